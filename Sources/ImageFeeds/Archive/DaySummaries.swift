import DiskCaching
import ImageModel
import ImagePipeline

/// Counts of a day in the cache.
public struct DaySummary: Sendable, Hashable {
  /// The day.
  public var day: DayKey
  /// Stories.
  public var storyCount: Int
  /// Top stories.
  public var topStoryCount: Int
  /// Images that the day names, each once, but for those that were left out.
  public var imageCount: Int
  /// Those that are in the cache.
  public var cachedImageCount: Int
  /// Those that are neither there nor left out by an ``ImageFilter``, with images of the pages of
  /// stories that failed.
  public var missingImageCount = 0
  /// Those that were left out by an ``ImageFilter``.
  public var skippedImageCount = 0
  /// Bytes of those in the cache, without variants.
  public var byteCount = 0
  /// The feeds that it came from.
  public var feeds: [FeedReference] = []
  /// Whether its images are kept; see `DiskCache.setKept(_:group:)`.
  public var isKept = false
  /// Whether its images are pinned; see `DiskCache.setPinned(_:group:)`.
  public var isPinned = false
  /// When its feeds were last fetched completely, as ISO 8601; `nil` for never.
  public var refreshedAt: String?

  /// Counts the stories and images of a day.
  public init(_ day: FeedDay, cachedImageCount: Int = 0, refreshedAt: String? = nil) {
    self.day = day.day
    storyCount = day.stories.count
    topStoryCount = day.topStories.count
    imageCount = day.images.count
    self.cachedImageCount = cachedImageCount
    self.refreshedAt = refreshedAt
  }
}

/// The summaries of all days, in memory.
///
/// A pass reads the records of all days at once, and only those days whose records, documents or
/// images are not as in the pass before. Callers that come during a pass share the next one, which
/// sees all that had changed when they came.
actor DaySummaries {
  private struct Day {
    let rows: [String: String]
    let gaps: DayGaps?
    let today: [DayKey]
    let inputs: DayInputs
    let sources: [FeedSource]
    /// `nil` for a day whose documents are gone.
    let summary: DaySummary?
  }

  private var days: [DayKey: Day] = [:]
  private var pass: (number: Int, task: Task<[DaySummary], any Error>)?
  private var passCount = 0

  func all(of archive: DayArchive) async throws -> [DaySummary] {
    let arrival = passCount
    while let pass, pass.number <= arrival { _ = await pass.task.result }
    if let pass { return try await pass.task.value }
    passCount += 1
    // A task of its own: a caller that leaves does not cancel it for the others.
    let task = Task {
      defer { pass = nil }
      return try await archive.pipeline.onOwnThreads { try await self.read(archive) }
    }
    pass = (passCount, task)
    return try await task.value
  }

  private func read(_ archive: DayArchive) async throws -> [DaySummary] {
    let now = archive.clock()
    let today = [.utcPlus8, archive.timeZone].map { $0.day(at: now) }
    let records = try await archive.withRecords { $0 }
    let all = await records.all
    let (rows, gaps) = (all.rows, all.gaps)
    let retentions = await records.cache.retentions()
    let same = days.filter {
      rows[$0] == $1.rows && gaps[$0] == $1.gaps && $1.today == today
    }
    var current = await records.cache.perform { store in
      same.filter { $1.inputs.hold(in: store) }
    }
    // In order: a feed keeps what it has read of the days beside one.
    for (key, rows) in rows.sorted(by: { $0.key > $1.key }) where current[key] == nil {
      let sources = DayRecords.sources(in: rows)
      let inputs = DayInputs(in: records.cache)
      let summary = try await DayInputs.$current.withValue(inputs) { () -> DaySummary? in
        let gaps = gaps[key] ?? DayGaps()
        guard
          let day = try await archive.kept(
            key, from: sources, all.titles, leavingOut: gaps.skipped)?.union.day
        else {
          return nil
        }
        let urls = day.images.map(\.url)
        let wanted = DayArchive.candidates(urls, gaps).map { CacheKey.image(at: $0) }
        let keys = urls.map { CacheKey.image(at: $0) }
        for key in Set(keys).union(wanted) { inputs.record(key) }
        let images = await records.cache.records(for: Array(Set(keys).union(wanted)))
          .filter { !$1.isNegative }
        var summary = DaySummary(day, cachedImageCount: keys.count { images[$0] != nil })
        summary.missingImageCount = wanted.count { images[$0] == nil }
        summary.skippedImageCount = gaps.skipped.count
        summary.byteCount = images.values.reduce(0) { $0 + $1.byteCount }
        return summary
      }
      current[key] = Day(
        rows: rows, gaps: gaps[key], today: today, inputs: inputs, sources: sources,
        summary: summary)
      // Thumbnails are made on the same threads.
      await Task.yield()
    }
    days = current
    // Most days are of the same ones.
    var feeds: [[FeedSource]: [FeedReference]] = [:]
    return current.values.compactMap { day in
      guard var summary = day.summary else { return nil }
      summary.refreshedAt = DayRecords.lastRefresh(of: day.sources, in: all.refreshTimes)
      summary.feeds =
        feeds[day.sources] ?? DayRecords.references(of: day.sources, all.titles)
      feeds[day.sources] = summary.feeds
      if let retention = retentions[summary.day.group] {
        (summary.isKept, summary.isPinned) = (retention.isKept, retention.isPinned)
      }
      return summary
    }.sorted { $0.day > $1.day }
  }
}

/// The documents of a pipeline, noted as ``DayInputs`` before they are read.
struct NotedDocuments: PipelineDocuments {
  let pipeline: ImagePipeline

  func document(at url: String, options: DocumentOptions) async throws -> Document {
    DayInputs.current?.record(.document(url: url))
    return try await pipeline.document(at: url, options: options)
  }

  func keptDocument(named name: String) async throws -> Document? {
    DayInputs.current?.record(.document(url: name))
    return try await pipeline.keptDocument(named: name)
  }

  func keep(_ document: Document, as name: String) async throws {
    try await pipeline.keep(document, as: name)
  }
}
