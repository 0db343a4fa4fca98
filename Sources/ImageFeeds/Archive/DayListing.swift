public import ImageModel

/// An image of a day.
public struct DayImage: Sendable, Hashable {
  /// The day.
  public let day: DayKey
  /// The image as its feed names it.
  public let image: FeedImage
  /// The position in the listing, from 1.
  public let number: Int
}

/// The requested days and their images, in sequence: each day once, and each URL of a day once.
///
/// A further day of a feed is requested only when the listing reaches it. A day or page that is not
/// available is an element, not an error, and the listing continues.
public struct DayListing: AsyncSequence, Sendable {
  /// An element of the listing.
  public enum Element: Sendable {
    /// A feed answered with these days; they follow one by one.
    case answer([FeedDay], FeedSource)
    /// A day begins; so many queries for further days of all feeds remain.
    case day(FeedDay, remaining: Int)
    /// An image of that day.
    case image(DayImage)
    /// The page of a story was read; its images that the day itself does not name follow.
    case page([FeedImage], DayKey)
    /// A day is not available.
    case dayFailed(DayQuery, ImageError, FeedSource)
    /// A base of Zhihu Daily does not have a day that another base gave.
    case baseFailed(DayQuery, ImageError, FeedSource)
    /// The page of a story is not available.
    case pageFailed(FeedStory, DayKey, ImageError)
  }

  let archive: DayArchive
  let requests: [DayRequest]
  let options: DayArchive.Options

  /// Starts the requests to the feeds.
  ///
  /// - Returns: An iterator that throws `ImageError` with code `invalidArgument` for the address of a
  ///   feed that is not http(s), or `cacheUnusable` without a disk cache; or `CancellationError`.
  public func makeAsyncIterator() -> some AsyncIteratorProtocol<Element, any Error> {
    Iterator(self)
  }

  private struct Iterator: AsyncIteratorProtocol {
    private let listing: DayListing
    private var parts: [(feed: any ImageFeed, source: FeedSource, plan: DayPlan)]?
    private var position = 0
    private var days: ArraySlice<FeedDay> = []
    private var images: ArraySlice<DayImage> = []
    private var stories: ArraySlice<FeedStory> = []
    /// The feed that gave the days at hand, and the day at hand.
    private var asked: (any ImageFeed)?
    private var day: DayKey?
    /// If two feeds name one image on one day, the first counts.
    private var seen: [DayKey: Set<ExactString>] = [:]
    private var count = 0
    /// Days that a remembered base of Zhihu Daily did not give, and those that another gave: bases
    /// are alternatives, and one that is gone does not fail a day of another.
    private var failures: ArraySlice<(query: DayQuery, error: ImageError, source: FeedSource)> = []
    private var given: Set<DayKey> = []

    init(_ listing: DayListing) { self.listing = listing }

    mutating func next() async throws -> Element? {
      if parts == nil {
        parts = try await listing.archive.parts(
          listing.requests, daysEach: listing.options.daysEach)
      }
      while true {
        if let image = images.popFirst() { return .image(image) }
        if let story = stories.popFirst(), let day, let asked {
          return try await page(of: story, on: day, from: asked)
        }
        if let day = days.popFirst() { return begin(day) }
        guard let parts, position < parts.count else { break }
        guard let query = self.parts?[position].plan.next() else {
          position += 1
          continue
        }
        let (feed, source, _) = parts[position]
        if let element = try await answer(query, feed, source) { return element }
      }
      return failures.popFirst().map { query, error, source in
        let isGiven =
          switch query {
          case .latest: !given.isEmpty
          case .day(let day): given.contains(day)
          }
        return isGiven ? .baseFailed(query, error, source) : .dayFailed(query, error, source)
      }
    }

    /// Requests days from a feed; `nil` for a failure that another base of Zhihu Daily may
    /// compensate.
    private mutating func answer(
      _ query: DayQuery, _ feed: any ImageFeed, _ source: FeedSource
    ) async throws -> Element? {
      do {
        let answer = try await feed.days(query, policy: listing.options.policy)
        parts?[position].plan.record(answer.map(\.day), answering: query)
        days = answer[...]
        asked = feed
        if source.isZhihuDaily { given.formUnion(answer.map(\.day)) }
        return .answer(answer, source)
      } catch let error as ImageError {
        guard listing.archive.isRemembering, source.isZhihuDaily else {
          return .dayFailed(query, error, source)
        }
        failures.append((query, error, source))
        return nil
      }
    }

    private mutating func begin(_ answer: FeedDay) -> Element {
      day = answer.day
      images = new(answer.images, on: answer.day)[...]
      if listing.options.includesPages {
        var pages: Set<String> = []
        stories = (answer.stories + answer.topStories).filter { pages.insert($0.id).inserted }[...]
      }
      let queries = parts?[position...].reduce(0) { $0 + $1.plan.remainingCount } ?? 0
      return .day(answer, remaining: days.count + queries)
    }

    private mutating func page(
      of story: FeedStory, on day: DayKey, from feed: any ImageFeed
    ) async throws -> Element {
      do {
        let found = try await feed.bodyImages(of: story, policy: listing.options.policy)
        images = new(found, on: day)[...]
        return .page(found, day)
      } catch let error as ImageError {
        return .pageFailed(story, day, error)
      }
    }

    private mutating func new(_ images: [FeedImage], on day: DayKey) -> [DayImage] {
      images.filter { seen[day, default: []].insert(ExactString($0.url)).inserted }.map { image in
        count += 1
        return DayImage(day: day, image: image, number: count)
      }
    }
  }
}
