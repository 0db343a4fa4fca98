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

  init(_ day: DayKey, _ counts: DayCounts) {
    self.day = day
    (storyCount, topStoryCount) = (counts.storyCount, counts.topStoryCount)
    imageCount = counts.imageURLs.count
    cachedImageCount = 0
  }

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

/// What the documents of a day say of its counts.
struct DayCounts: Sendable, Hashable {
  var storyCount: Int
  var topStoryCount: Int
  /// Those of ``FeedDay/images``, with those that are left out.
  var imageURLs: [String]

  init(_ day: FeedDay) {
    (storyCount, topStoryCount) = (day.stories.count, day.topStories.count)
    imageURLs = day.images.map(\.url)
  }

  /// `nil` for a day without documents.
  init?(_ bytes: ArraySlice<UInt8>) {
    guard !bytes.isEmpty else { return nil }
    (storyCount, topStoryCount, imageURLs) = bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      let counts = (0..<3).map { _ in Int(reader.integer(UInt32.self)) }
      let urls = (0..<min(counts[2], bytes.count)).map { _ in reader.text() }
      return (counts[0], counts[1], urls)
    }
  }

  var bytes: [UInt8] {
    var writer = ByteWriter()
    for count in [storyCount, topStoryCount, imageURLs.count] {
      writer.integer(UInt32(clamping: count))
    }
    for url in imageURLs { writer.text(url) }
    return writer.bytes
  }
}

/// The summaries of all days, in memory.
///
/// A pass reads the records of all days at once, and the ``DayExtracts`` of those days alone whose
/// records, documents or images are not as in the pass before. Callers that come during a pass share
/// the next one, which sees all that had changed when they came.
actor DaySummaries {
  private struct Day {
    let basis: String
    let gaps: DayGaps?
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
    let records = try await archive.withRecords { $0 }
    let all = await records.all
    let retentions = await records.cache.retentions()
    let bases = all.bases(in: archive.timeZone, at: archive.clock())
    let same = days.filter { bases[$0] == $1.basis && all.gaps[$0] == $1.gaps }
    var current = await records.cache.perform { store in
      same.filter { $1.inputs.hold(in: store) }
    }
    // In order: a feed keeps what it has read of the days beside one.
    let changed = bases.keys.filter { current[$0] == nil }.sorted(by: >)
    for month in DayExtracts.months(of: changed) {
      let found = try await archive.counts.read(month, of: archive, all, bases)
      for key in month {
        guard let extract = found[key] else { continue }
        let gaps = all.gaps[key]
        current[key] = Day(
          basis: extract.basis, gaps: gaps, inputs: extract.inputs,
          sources: DayRecords.sources(in: all.rows[key] ?? [:]),
          summary: await summary(key, extract, gaps ?? DayGaps(), records.cache))
      }
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

  private func summary(
    _ day: DayKey, _ extract: DayExtracts.Extract, _ gaps: DayGaps, _ cache: DiskCache
  ) async -> DaySummary? {
    guard var counts = DayCounts(extract.bytes) else { return nil }
    counts.imageURLs.removeAll { gaps.skipped.contains($0) }
    let wanted = DayArchive.candidates(counts.imageURLs, gaps).map { CacheKey.image(at: $0) }
    // Those that are named come first.
    let keys = wanted.prefix(counts.imageURLs.count)
    for key in Set(wanted) { extract.inputs.record(key) }
    let images = await cache.records(for: wanted).filter { !$1.isNegative }
    var summary = DaySummary(day, counts)
    summary.cachedImageCount = keys.count { images[$0] != nil }
    summary.missingImageCount = wanted.count { images[$0] == nil }
    summary.skippedImageCount = gaps.skipped.count
    summary.byteCount = images.values.reduce(0) { $0 + $1.byteCount }
    return summary
  }
}

/// The documents of a pipeline, noted as ``DayInputs`` before they are read.
struct NotedDocuments: PipelineDocuments {
  let pipeline: ImagePipeline
  let months: ItemMonths?

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
