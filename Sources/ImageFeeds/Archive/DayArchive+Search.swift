import DiskCaching
import ImageModel
import ImagePipeline

extension DayArchive {
  /// How long a search may take out the texts of days whose documents have changed.
  private static let maximumMaking = Duration.seconds(1)

  /// Finds the stories of the days in the cache that have all words of a text in their titles, or in
  /// their titles and texts: those of feeds, and the pages that
  /// ``DayArchive/Options/includesPages`` has fetched. Case and width of letters do not matter, and a
  /// word may be a part of another one. Sends no request.
  ///
  /// The texts of days that have changed are read again, for a second at most; a search that comes
  /// meanwhile does not wait for it. ``FoundStories/isComplete`` tells whether that was enough, and
  /// the next search continues.
  ///
  /// - Parameters:
  ///   - words: The words, separated by white space; without any nothing is found.
  ///   - feed: The URL of the feed whose stories are wanted. Default: all.
  ///   - limit: The maximum number of stories, each of which counts once.
  public func stories(
    matching words: String, ofFeed feed: String? = nil, limit: Int
  ) async throws -> FoundStories {
    let terms = FoldedText.terms(of: words)
    guard !terms.isEmpty, limit > 0 else { return FoundStories() }
    return try await pipeline.onOwnThreads { [self] in
      try await search(StorySearch(terms, feed, limit))
    }
  }

  private func search(_ wanted: StorySearch) async throws -> FoundStories {
    let mayMake = isReadingTexts.withLock { isReading in
      defer { isReading = true }
      return !isReading
    }
    defer { if mayMake { isReadingTexts.withLock { $0 = false } } }
    let all = try await withRecords { await $0.all }
    let bases = all.bases(in: timeZone, at: clock())
    let end = ContinuousClock.now + Self.maximumMaking
    var search = wanted
    var isComplete = true
    for month in DayExtracts.months(of: bases.keys.sorted(by: >)) {
      try Task.checkCancellation()
      let found = try await texts.read(month, of: self, all, bases) {
        mayMake && ContinuousClock.now < end
      }
      for day in month {
        guard let extract = found[day] else {
          isComplete = false
          continue
        }
        search.add(extract.bytes, of: day, leavingOut: all.gaps[day]?.skipped ?? [])
        if search.isFull { return FoundStories(matches: search.matches, isComplete: isComplete) }
      }
    }
    return FoundStories(matches: search.matches, isComplete: isComplete)
  }

  /// Brings what is kept of some days up to date.
  func keepExtracts(of days: Set<DayKey>) async throws {
    try await pipeline.onOwnThreads { [self] in
      let all = try await withRecords { await $0.all }
      let bases = all.bases(in: timeZone, at: clock())
      let known = days.filter { bases[$0] != nil }.sorted(by: >)
      for month in DayExtracts.months(of: known) {
        for extracts in [counts, texts] { _ = try await extracts.read(month, of: self, all, bases) }
      }
    }
  }

  /// The stories of a day with their texts, as ``StorySearch`` reads them.
  func texts(of kept: KeptDay) async -> [UInt8] {
    StorySearch.stories(of: kept.union.day, await pages(of: kept, maximumCount: .max))
  }
}
