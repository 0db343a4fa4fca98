import ImageModel
import ImagePipeline

/// Days from the cache, without requests to an origin.
extension DayArchive {
  /// Days with more stories are lists of images.
  static let maximumPagedStories = 200
  private static let absences: Set<ImageError.Code> = [.notCached, .dayNotFound, .fileUnreadable]

  struct KeptDay: Sendable {
    let union: DayUnion
    let feeds: [any ImageFeed]
    /// As each feed sent it.
    let parts: [FeedDay]
  }

  /// A day as its feeds sent it; `nil` if none of them is kept.
  public func day(_ day: DayKey) async throws -> FeedDay? { try await kept(day)?.union.day }

  /// The identifiers of the stories whose own pages are kept.
  public func pages(of day: FeedDay) async -> Set<String> {
    guard let kept = try? await kept(day.day) else { return [] }
    return Set(await pages(of: kept).keys)
  }

  /// The page of a story; `nil` if it is not kept or the story has none.
  public func page(of story: FeedStory, on day: DayKey) async throws -> StoryPage? {
    guard let kept = try await kept(day) else { return nil }
    return try await page(of: story.id, on: kept)
  }

  func kept(_ day: DayKey) async throws -> KeptDay? {
    let (sources, titles, gaps) = try await withRecords { records in
      let sources = await records.sources(of: day)
      return (sources, await records.titles(of: sources), await records.gaps(of: day))
    }
    return try await kept(day, from: sources, titles, leavingOut: gaps.skipped)
  }

  func kept(
    _ day: DayKey, from sources: [FeedSource], _ titles: [String: String],
    leavingOut skipped: Set<String>
  ) async throws -> KeptDay? {
    let feeds = try sources.map { try feed($0, isRemembered: true) }
    var days: [(feed: Int, day: FeedDay)] = []
    var failure: ImageError?
    for (number, feed) in feeds.enumerated() {
      do {
        var found = try await feed.day(.day(day), policy: .onlyIfCached)
        found.addTitle(of: sources[number], titles)
        days.append((number, found))
      } catch let error as ImageError {
        if !Self.absences.contains(error.code) { failure = error }
      }
    }
    guard var union = DayUnion(days) else {
      if let failure { throw failure }
      return nil
    }
    union.leaveOut(skipped)
    return KeptDay(union: union, feeds: feeds, parts: days.map(\.day))
  }

  private func page(of id: String, on day: KeptDay) async throws -> StoryPage? {
    guard let origin = day.union.origin(of: id) else { return nil }
    do {
      return try await day.feeds[origin.feed].page(of: origin.story, policy: .onlyIfCached)
    } catch let error as ImageError where error.code == .notCached {
      return nil
    }
  }

  func pages(
    of kept: KeptDay, maximumCount: Int = maximumPagedStories
  ) async -> [String: StoryPage] {
    let day = kept.union.day
    // Lists of thousands of images have no pages, and asking for each takes time.
    guard day.stories.count <= maximumCount else { return [:] }
    var pages: [String: StoryPage] = [:]
    for story in day.stories + day.topStories where pages[story.id] == nil {
      pages[story.id] = try? await page(of: story.id, on: kept)
    }
    return pages
  }

  func namedURLs(of kept: KeptDay) async -> Set<ExactString> {
    let pages = await pages(of: kept)
    let inPages = try? await pipeline.onOwnThreads {
      pages.flatMap { id, page in (try? page.images(of: id)) ?? [] }
    }
    return Set((kept.union.day.images + (inPages ?? [])).map { ExactString($0.url) })
  }
}

extension FeedDay {
  /// Adds the title of its feed as it last was, where the response does not have it.
  mutating func addTitle(of source: FeedSource, _ titles: [String: String]) {
    guard let title = titles[source.description] else { return }
    setFeed { $0?.title == nil ? FeedReference(title: title, url: $0?.url ?? "") : $0 }
  }
}
