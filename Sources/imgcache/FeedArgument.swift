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
    let bytes = try InputFile.read(argument, maximum: 64 << 20)
    return SyndicationFeed(bytes: bytes, name: argument, today: today)
  }
}
