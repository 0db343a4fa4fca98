import FoundationEssentials
import ImageFeeds
import ImagePipeline

/// A `--feed` as it is typed: a URL, a file, or `-` for stdin.
enum FeedArgument {
  /// The feed that is meant.
  ///
  /// - Throws: ``ImageError`` with code `fileUnreadable` for a file that cannot be read.
  static func feed(
    _ argument: String, documents: any DocumentLoading, today: @escaping @Sendable () -> DayKey
  ) throws -> any ImageFeed {
    if argument.hasPrefix("http://") || argument.hasPrefix("https://") {
      return try SyndicationFeed(url: argument, documents: documents, today: today)
    }
    let bytes = try argument == "-" ? StandardInput.bytes() : file(argument)
    return SyndicationFeed(bytes: bytes, name: argument, today: today)
  }

  private static func file(_ path: String) throws -> [UInt8] {
    do {
      return [UInt8](try Data(contentsOf: URL(filePath: path)))
    } catch {
      throw ImageError(.fileUnreadable, "cannot read the feed \(path)")
    }
  }
}
