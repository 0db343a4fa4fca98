import DiskCaching
import ImageModel

extension DayArchive {
  /// Writes readable copies of the images of some days (default: the latest) that are in the cache,
  /// with an index and pages for viewing, and if asked those of the stories' own pages; sends no
  /// request to an origin.
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
    options.includesPages = includingPages
    let entries = Locked(export)
    let progress = try await prefetch(days, options: options) { event, _ in
      entries.withLock { $0.add(event) }
    }
    try await place(entries.withLock { $0 }, includingPages: includingPages)
    return progress
  }

  /// Places the files, indexes and pages of an export, and if asked the texts of the stories' own
  /// pages, as far as they are in the cache.
  ///
  /// - Returns: Remarks for the user, such as that a file of another origin kept its name.
  ///
  /// - Throws: The first `ImageError` (`storeFailed`, `diskFull`), after all else was placed.
  @discardableResult
  public func place(_ export: DayExport, includingPages: Bool) async throws -> [String] {
    try await withRecords { [self] records in
      // Steps on threads that may block: folders are locked meanwhile.
      guard let target = try await records.cache.perform({ _ in try export.open() }) else {
        return []
      }
      // Made once: a feed keeps what it has read.
      var feeds: [FeedSource: any ImageFeed] = [:]
      let days = export.days
      var placed: [DayKey: Result<[String], ImageError>] = [:]
      await withTaskGroup(of: (DayKey, Result<[String], ImageError>).self) { group in
        for (number, day) in days.enumerated() {
          if number >= maximumInFlight, let (day, result) = await group.next() {
            placed[day] = result
          }
          let pages = includingPages ? await pages(of: export.stories(of: day), &feeds) : []
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

  private func pages(
    of stories: [DayExport.Story], _ feeds: inout [FeedSource: any ImageFeed]
  ) async -> [StoryPage?] {
    var pages: [StoryPage?] = []
    for story in stories {
      if feeds[story.source] == nil {
        feeds[story.source] = try? feed(story.source, isRemembered: isRemembering)
      }
      pages.append(try? await feeds[story.source]?.page(of: story.story, policy: .onlyIfCached))
    }
    return pages
  }
}
