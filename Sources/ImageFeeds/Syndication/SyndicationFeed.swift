import ImagePipeline

/// A feed of any kind but Zhihu Daily's API: RSS, Atom, JSON Feed or a plain list of image URLs, told apart
/// by their content.
///
/// ``DayQuery/latest`` is the whole feed as it is now, dated by its newest item. A calendar day is the
/// items published on it in UTC+8; an item without a date counts as published today. A day on which
/// nothing was published, but which lies between the feed's oldest and newest item, is empty and no error.
public struct SyndicationFeed: ImageFeed {
  private enum Source {
    case url(String, any DocumentLoading)
    case bytes([UInt8])
  }

  /// What was read last: a day's stories are asked for their pages one by one.
  private final class Memo: Sendable {
    private let last = Locked<(bytes: [UInt8], base: String, contents: FeedContents)?>(nil)

    func contents(of bytes: [UInt8], base: String) throws(ImageError) -> FeedContents {
      if let last = last.withLock({ $0 }), last.bytes == bytes, last.base == base {
        return last.contents
      }
      let contents = try FeedContents(reading: bytes, base: base)
      last.withLock { $0 = (bytes, base, contents) }
      return contents
    }
  }

  private let source: Source
  private let memo = Memo()
  private let currentDay: @Sendable () -> DayKey

  /// The feed's URL, or the name that was given with its bytes.
  public let identity: String

  /// Creates a feed that is fetched, and kept for use offline.
  ///
  /// - Throws: ``ImageError`` with code `invalidArgument` for what is no http(s) URL.
  public init(
    url: String, documents: any DocumentLoading, today: @escaping @Sendable () -> DayKey
  ) throws(ImageError) {
    guard WebAddress.isFetchable(url) else {
      throw ImageError(.invalidArgument, "\(url.debugDescription) is no http(s) URL of a feed")
    }
    source = .url(url, documents)
    identity = url
    currentDay = today
  }

  /// Creates a feed from bytes that are there already: a file, the standard input.
  ///
  /// - Parameter name: For messages and for remembering: a path, or `-`.
  public init(bytes: [UInt8], name: String, today: @escaping @Sendable () -> DayKey) {
    source = .bytes(bytes)
    identity = name
    currentDay = today
  }

  /// The current day in UTC+8.
  public var today: DayKey { currentDay() }

  /// Returns the whole feed, or the items of one day of it.
  public func day(_ query: DayQuery, options: FeedOptions) async throws -> FeedDay {
    let (contents, loadSource) = try await contents(options)
    var day = try day(query, of: contents)
    day.source = loadSource
    day.origin = identity
    return day
  }

  /// The text that an item brings along; `nil` for an item without.
  public func page(of story: FeedStory, options: FeedOptions) async throws -> StoryPage? {
    try await contents(options).contents.items.first { $0.story.id == story.id }?.page
  }

  private func contents(
    _ options: FeedOptions
  ) async throws -> (contents: FeedContents, source: LoadSource) {
    let (bytes, base, source) = try await load(options)
    do {
      return (try memo.contents(of: bytes, base: base), source)
    } catch {
      throw ImageError(error.code, "cannot read feed \(identity): \(error.message)")
    }
  }

  private func day(_ query: DayQuery, of contents: FeedContents) throws(ImageError) -> FeedDay {
    let today = today
    let days = contents.items.map { $0.day ?? today }
    let newest = days.max() ?? today
    switch query {
    case .latest:
      return FeedDay(
        day: newest, stories: contents.items.map(\.story), warnings: contents.warnings)
    case .day(let wanted):
      guard let oldest = days.min(), oldest <= wanted, wanted <= newest else {
        let reach = days.min().map { "it reaches from \($0) to \(newest)" } ?? "it has no items"
        throw ImageError(.dayNotFound, "feed \(identity) has nothing of \(wanted); \(reach)")
      }
      let stories = zip(contents.items, days).filter { $1 == wanted }.map(\.0.story)
      return FeedDay(day: wanted, stories: stories, warnings: contents.warnings)
    }
  }

  private func load(_ options: FeedOptions) async throws -> ([UInt8], String, LoadSource) {
    switch source {
    case .bytes(let bytes):
      return (bytes, "", .disk)
    case .url(let url, let documents):
      var documentOptions = DocumentOptions()
      documentOptions.revalidates = options.revalidates
      documentOptions.isOffline = options.isOffline
      let document = try await documents.document(at: url, options: documentOptions)
      return (document.bytes, document.url, document.source)
    }
  }
}
