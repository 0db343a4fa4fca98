import DiskCaching
import ImageModel

extension DayArchive {
  /// Writes readable copies of the images of some days (default: the latest) that are in the cache,
  /// with the texts of stories, an index and pages for viewing; sends no request to an origin. Images
  /// of the stories' own pages that are not in the cache count as failed if `includingPages`, and
  /// are left out otherwise.
  ///
  /// - Returns: The counts; images that are not in the cache have failed.
  ///
  /// - Throws: `ImageError`: `storeFailed` or `diskFull` when a file cannot be placed; or
  /// `CancellationError`.
  @discardableResult
  public func export(
    _ days: [DayRequest] = [.latest], to export: DayExport, includingPages: Bool = false
  ) async throws -> PrefetchProgress {
    var options = Options()
    options.policy = .onlyIfCached
    options.leavesOutSkipped = true
    options.includesPages = includingPages
    let entries = Locked(export)
    let progress = try await prefetch(days, options: options) { event, _ in
      entries.withLock { $0.add(event) }
    }
    try await place(entries.withLock { $0 })
    return progress
  }

  /// Places the files, indexes and pages of an export, with the texts of stories that feeds sent or
  /// whose own pages are in the cache.
  ///
  /// - Returns: Remarks for the user, such as that a file of another origin kept its name.
  ///
  /// - Throws: The first `ImageError` (`storeFailed`, `diskFull`), after all else was placed.
  @discardableResult
  public func place(_ export: DayExport) async throws -> [String] {
    try await withRecords { [self] records in
      // Steps on threads that may block: folders are locked meanwhile.
      guard let target = try await records.cache.perform({ _ in try export.open() }) else {
        return []
      }
      // Made once: a feed keeps what it has read.
      var feeds: [FeedSource: any ImageFeed] = [:]
      let export = export.isBook ? await whole(export, &feeds) : export
      let days = export.days
      var placed: [DayKey: Result<[String], ImageError>] = [:]
      await withTaskGroup(of: (DayKey, Result<[String], ImageError>).self) { group in
        for (number, day) in days.enumerated() {
          if number >= maximumInFlight, let (day, result) = await group.next() {
            placed[day] = result
          }
          let pages = await pages(of: export.stories(of: day), on: day, &feeds)
          group.addTask {
            await records.cache.perform { store in
              (
                day,
                Result { () throws(ImageError) in
                  try export.write(day, pages: pages, to: target, from: store)
                }
              )
            }
          }
        }
        for await (day, result) in group { placed[day] = result }
      }
      let finished = await records.cache.perform { _ in
        Result { () throws(ImageError) in try target.finish() }
      }
      return try (days.compactMap { placed[$0] } + [finished]).flatMap { try $0.get() }
    }
  }

  /// An export with all that the cache has of its days and feeds.
  private func whole(
    _ export: DayExport, _ feeds: inout [FeedSource: any ImageFeed]
  ) async -> DayExport {
    var whole = export
    for source in export.sources.sorted(by: { $0.description < $1.description }) {
      guard let feed = try? feed(source, isRemembered: true) else { continue }
      feeds[source] = feed
      for day in export.days {
        guard let kept = try? await feed.day(.day(day), policy: .onlyIfCached) else { continue }
        let gaps = try? await withRecords { await $0.gaps(of: day) }
        whole.complete(kept, of: source, leavingOut: gaps?.skipped ?? [])
      }
    }
    return whole
  }

  private func pages(
    of stories: [DayExport.Story], on day: DayKey, _ feeds: inout [FeedSource: any ImageFeed]
  ) async -> [StoryPage?] {
    var pages: [StoryPage?] = []
    var read: Set<FeedSource> = []
    for (story, source) in stories {
      // The items that are kept, which the feed itself may have dropped since.
      if feeds[source] == nil { feeds[source] = try? feed(source, isRemembered: true) }
      let feed = feeds[source]
      if read.insert(source).inserted { _ = try? await feed?.day(.day(day), policy: .onlyIfCached) }
      pages.append(try? await feed?.page(of: story, policy: .onlyIfCached))
    }
    return pages
  }
}
