import ImageFeeds
import ImagePipeline

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A `--feed` as it is typed: a URL, a file, or `-` for stdin.
enum FeedArgument {
  private static let maximumByteCount = 64 << 20

  /// Reads a file that a kept day names; nothing else, as reading a pipe may wait for ever.
  private static func read(
    _ path: String, _ clock: @Sendable () -> Date
  ) throws -> (bytes: [UInt8], time: Date) {
    guard InputFile.isRegular(path) else {
      throw ImageError(.fileUnreadable, "cannot read \(path): it is not a regular file any more")
    }
    return (try InputFile.read(path, maximum: maximumByteCount), clock())
  }

  /// Whether it names an origin.
  static func isURL(_ argument: String) -> Bool {
    argument.hasPrefix("http://") || argument.hasPrefix("https://")
  }

  /// The feed that is meant.
  ///
  /// - Parameter isRemembered: Whether a kept day names it, not the command line: then stdin is not
  ///   read, and what was kept of a file is there without it.
  /// - Throws: ``ImageError`` with code `fileUnreadable` for a file that cannot be read.
  static func feed(
    _ argument: String, isRemembered: Bool, documents: any DocumentLoading,
    clock: @escaping @Sendable () -> Date
  ) throws -> any ImageFeed {
    let today: @Sendable () -> DayKey = { .today(at: clock()) }
    if isURL(argument) {
      return try SyndicationFeed(url: argument, documents: documents, today: today)
    }
    if isRemembered {
      let reading: @Sendable () throws -> (bytes: [UInt8], time: Date) = {
        try read(argument, clock)
      }
      return SyndicationFeed(
        keptAs: argument, documents: documents, reading: argument == "-" ? nil : reading,
        today: today)
    }
    let bytes = try InputFile.read(argument, maximum: maximumByteCount)
    return SyndicationFeed(
      bytes: bytes, name: argument, keptIn: documents, readAt: clock(), today: today)
  }
}
