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
  /// Images that the day names, each once.
  public var imageCount: Int
  /// Those that are in the cache.
  public var cachedImageCount: Int
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
    let today: DayKey
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
    let today = DayKey.today(at: archive.clock())
    let records = try await archive.withRecords { $0 }
    let rows = await records.rows
    let times = await records.refreshTimes
    let same = days.filter { rows[$0] == $1.rows && $1.today == today }
    var current = await records.cache.perform { store in
      same.filter { $1.inputs.hold(in: store) }
    }
    // In order: a feed keeps what it has read of the days beside one.
    for (key, rows) in rows.sorted(by: { $0.key > $1.key }) where current[key] == nil {
      let sources = DayRecords.sources(in: rows)
      let inputs = DayInputs(in: records.cache)
      let summary = try await DayInputs.$current.withValue(inputs) { () -> DaySummary? in
        guard let day = try await archive.kept(key, from: sources)?.union.day else { return nil }
        let keys = day.images.map { CacheKey.image(at: $0.url) }
        for key in keys { inputs.record(key) }
        let images = await records.cache.records(for: keys)
        return DaySummary(day, cachedImageCount: keys.count { images[$0]?.isNegative == false })
      }
      current[key] = Day(
        rows: rows, today: today, inputs: inputs, sources: sources, summary: summary)
      // Thumbnails are made on the same threads.
      await Task.yield()
    }
    days = current
    return current.values.compactMap { day in
      var summary = day.summary
      summary?.refreshedAt = DayRecords.lastRefresh(of: day.sources, in: times)
      return summary
    }.sorted { $0.day > $1.day }
  }
}

/// The entries of the cache that a day is read from, as they were before.
final class DayInputs: Sendable {
  /// Those of the day that the task at hand reads.
  @TaskLocal static var current: DayInputs?

  private let cache: DiskCache
  private let state = Locked((revisions: EntryRevisions(), hasFile: false))

  init(in cache: DiskCache) { self.cache = cache }

  func record(_ key: CacheKey) {
    state.withLock { [store = cache.core] in $0.revisions.record(key, in: store) }
  }

  /// Notes that a file was read, whose changes the cache does not know.
  func recordFile() { state.withLock { $0.hasFile = true } }

  func hold(in store: DiskStore) -> Bool {
    state.withLock { !$0.hasFile && $0.revisions.hold(in: store) }
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
