public import ImageModel

/// An image of a day.
public struct DayImage: Sendable, Hashable {
  /// The day.
  public let day: DayKey
  /// The image as its feed names it.
  public let image: FeedImage
  /// The position in the listing, from 1.
  public let number: Int
  /// Whether the page of a story names it, and not the day itself.
  var isOfPage = false
}

/// The requested days and their images, in sequence: each day once, and each URL of a day once.
///
/// The first days of feeds are requested up to six feeds ahead, a further day of a feed only when the
/// listing reaches it. A day or page that is not
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
    /// An image of that day that the filter leaves out.
    case skipped(DayImage)
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
    iterator
  }

  var iterator: Iterator { Iterator(self) }

  /// A feed, and which of its days are still to be requested.
  struct Part: Sendable {
    /// A list of feeds may name web pages that name their feeds.
    static let maximumDepth = 2

    var feed: any ImageFeed
    var source: FeedSource
    var plan: DayPlan
    /// By how many documents it is named.
    var depth = 0
  }

  struct Iterator: AsyncIteratorProtocol {
    private let listing: DayListing
    private var parts: [Part]?
    private var position = 0
    /// The feeds of the listing, each once.
    private var sources: Set<FeedSource> = []
    /// Those that turned out to name others.
    private var directories: Set<FeedSource> = []
    /// The first answers of feeds that are requested ahead; `nil` once they are taken.
    private var ahead: [FeedSource: Task<[FeedDay], any Error>?] = [:]
    /// A list of subscriptions takes as long as its slowest feeds, not as all together.
    private static let maximumFeedsAhead = 6
    private var days: ArraySlice<FeedDay> = []
    private var images: ArraySlice<(item: DayImage, isWanted: Bool)> = []
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

    fileprivate init(_ listing: DayListing) { self.listing = listing }

    /// The images that follow, up to the first other element.
    mutating func nextImages(maximumCount: Int) -> [DayImage] {
      let found = images.prefix(maximumCount).prefix { $0.isWanted }.map(\.item)
      images.removeFirst(found.count)
      return found
    }

    mutating func next() async throws -> Element? {
      if parts == nil {
        let parts = try await listing.archive.parts(
          listing.requests, daysEach: listing.options.daysEach)
        sources = Set(parts.map(\.source))
        self.parts = parts
      }
      while true {
        if let (image, isWanted) = images.popFirst() {
          return isWanted ? .image(image) : .skipped(image)
        }
        if let story = stories.popFirst(), let day, let asked {
          return try await page(of: story, on: day, from: asked)
        }
        if let day = days.popFirst() { return begin(day) }
        guard let parts, position < parts.count else { break }
        requestAhead()
        guard let query = self.parts?[position].plan.next() else {
          position += 1
          continue
        }
        let part = parts[position]
        if let element = try await answer(query, part.feed, part.source) { return element }
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

    /// Requests the first days of the next feeds at URLs; bases of Zhihu Daily are alternatives, of
    /// which a later one may not be needed.
    private mutating func requestAhead() {
      guard let parts, parts.count > 1 else { return }
      for part in parts[position...].prefix(Self.maximumFeedsAhead)
      where part.source.isRemote && ahead[part.source] == nil {
        guard let query = part.plan.first else { continue }
        ahead[part.source] = Task { [policy = listing.options.policy] in
          try await part.feed.days(query, policy: policy)
        }
      }
    }

    private mutating func days(
      _ query: DayQuery, _ feed: any ImageFeed, _ source: FeedSource
    ) async throws -> [FeedDay] {
      guard let task = ahead[source] ?? nil else {
        return try await feed.days(query, policy: listing.options.policy)
      }
      ahead[source] = .some(nil)
      return try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    }

    /// Requests days from a feed; `nil` for a failure that another base of Zhihu Daily may
    /// compensate.
    private mutating func answer(
      _ query: DayQuery, _ feed: any ImageFeed, _ source: FeedSource
    ) async throws -> Element? {
      do {
        var answer = try await days(query, feed, source)
        if listing.options.policy == .onlyIfCached {
          let titles = try await listing.archive.withRecords { await $0.titles(of: [source]) }
          for index in answer.indices { answer[index].addTitle(of: source, titles) }
        }
        parts?[position].plan.record(answer.map(\.day), answering: query)
        days = answer[...]
        asked = feed
        if source.isZhihuDaily { given.formUnion(answer.map(\.day)) }
        return .answer(answer, source)
      } catch let directory as FeedDirectory {
        return enter(directory, query, source)
      } catch let error as ImageError {
        guard listing.archive.isRemembering, source.isZhihuDaily else {
          return .dayFailed(query, error, source)
        }
        failures.append((query, error, source))
        return nil
      }
    }

    /// Puts the feeds that a document names in the place of it.
    private mutating func enter(
      _ directory: FeedDirectory, _ query: DayQuery, _ source: FeedSource
    ) -> Element? {
      let depth = (parts?[position].depth ?? 0) + 1
      guard depth <= Part.maximumDepth else {
        let error = ImageError(
          .notAFeed, "\(source) is named as a feed, but names others itself",
          url: source.description)
        return .dayFailed(query, error, source)
      }
      directories.insert(source)
      for fault in directory.faults {
        failures.append((query, ImageError(.notAFeed, "\(source): \(fault)"), source))
      }
      let all = directory.urls.map(FeedSource.url)
      guard !directories.isSuperset(of: all) else {
        let error = ImageError(
          .notAFeed, "\(source) names no feed but itself", url: source.description)
        return .dayFailed(query, error, source)
      }
      let named = all.filter { sources.insert($0).inserted }
      let found = named.compactMap { source in
        (try? listing.archive.feed(source, isRemembered: listing.archive.isRemembering)).map {
          let plan = DayPlan(
            listing.requests, daysEach: listing.options.daysEach, today: $0.today)
          return Part(feed: $0, source: source, plan: plan, depth: depth)
        }
      }
      parts?.replaceSubrange(position...position, with: found)
      return nil
    }

    private mutating func begin(_ answer: FeedDay) -> Element {
      day = answer.day
      let named = (answer.stories + answer.topStories).flatMap { story in
        story.images.map { (image: $0, title: story.title) }
      }
      images = new(named, on: answer.day)[...]
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
        images = new(found.map { ($0, story.title) }, on: day, ofPage: true)[...]
        return .page(found, day)
      } catch let error as ImageError {
        return .pageFailed(story, day, error)
      }
    }

    /// Those of a day's images, each with the title of a story that names it, that are not listed yet.
    private mutating func new(
      _ images: [(image: FeedImage, title: String)], on day: DayKey, ofPage: Bool = false
    ) -> [(item: DayImage, isWanted: Bool)] {
      let filter = listing.options.filter
      let wanted = Set(
        images.filter { filter.admits(url: $0.image.url, title: $0.title) }
          .map { ExactString($0.image.url) })
      return images.map(\.image).filter {
        seen[day, default: []].insert(ExactString($0.url)).inserted
      }.map { image in
        count += 1
        let item = DayImage(day: day, image: image, number: count, isOfPage: ofPage)
        return (item, wanted.contains(ExactString(image.url)))
      }
    }
  }
}
