public import ImageModel

/// A source of days and their images.
public protocol ImageFeed: Sendable {
  /// The identity of the feed, for example its URL; recorded with its days.
  var identity: String { get }

  /// The current day of the feed, in UTC+8.
  var today: DayKey { get }

  /// Returns one day.
  ///
  /// - Parameters:
  ///   - query: The latest day, or one by its date.
  ///   - policy: How far cached responses are trusted: `CachePolicy.revalidate` always sends a
  ///     request to the origin, `CachePolicy.onlyIfCached` never.
  /// - Throws: `ImageError`: `dayNotFound` when the feed has no such day, `notJSON` or `notAFeed`
  ///   when the response cannot be read, else the network's error; or `CancellationError`.
  func day(_ query: DayQuery, policy: CachePolicy) async throws -> FeedDay

  /// Returns all days that match a query, newest first, never empty.
  ///
  /// ``DayQuery/latest`` is a single day of a feed of days, and of a feed of items all of them,
  /// each under its own day.
  ///
  /// - Throws: As ``day(_:policy:)``.
  func days(_ query: DayQuery, policy: CachePolicy) async throws -> [FeedDay]

  /// Returns the images of a story's page, each URL once: those of its text in order of appearance,
  /// then its header; empty if the story has no page.
  func bodyImages(of story: FeedStory, policy: CachePolicy) async throws -> [FeedImage]

  /// Returns the page of a story; `nil` if it has none. ``bodyImages(of:policy:)`` reads the same
  /// response, after which the page is available offline.
  ///
  /// - Throws: `ImageError` with code `notCached` offline when it is not kept.
  func page(of story: FeedStory, policy: CachePolicy) async throws -> StoryPage?
}

extension ImageFeed {
  /// Returns the single day that matches the query.
  public func days(_ query: DayQuery, policy: CachePolicy) async throws -> [FeedDay] {
    [try await day(query, policy: policy)]
  }

  /// No images: the response of the feed has all of them.
  public func bodyImages(of story: FeedStory, policy: CachePolicy) async throws -> [FeedImage] {
    []
  }

  /// No page.
  public func page(of story: FeedStory, policy: CachePolicy) async throws -> StoryPage? { nil }
}

extension DocumentOptions {
  init(_ policy: CachePolicy, accept: String = "*/*") {
    self.init()
    self.accept = accept
    revalidates = policy == .revalidate || policy == .reload
    isOffline = policy == .onlyIfCached
  }
}

extension ImageError.Code {
  /// The feed's response is not JSON.
  public static let notJSON = Self(rawValue: "not_json")
  /// The feed's response is neither a feed nor a day's stories.
  public static let notAFeed = Self(rawValue: "not_a_feed")
  /// The feed, or the cache, does not have the day.
  public static let dayNotFound = Self(rawValue: "day_not_found")
}
