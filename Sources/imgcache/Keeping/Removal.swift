import DiskCaching
import ImageFeeds
import ImageModel

struct Removal {
  enum Selection {
    case purge(CachePurge)
    case days([DayKey])
    /// Those fetched or confirmed longer ago than this, and not pinned.
    case olderThan(Duration)
    case all
  }

  enum Kind: String, CaseIterable {
    case image, thumbnail, document, failure

    init(_ record: CacheRecord) {
      self =
        switch record.key {
        case _ where record.isNegative: .failure
        case .original: .image
        case .variant: .thumbnail
        case .document: .document
        }
    }

    fileprivate var noun: String {
      switch self {
      case .image, .thumbnail: rawValue
      case .document: "feed document"
      case .failure: "remembered failure"
      }
    }
  }

  struct Tally {
    private var counts: [Kind: Int] = [:]
    fileprivate(set) var byteCount = 0

    subscript(kind: Kind) -> Int {
      get { counts[kind, default: 0] }
      set { counts[kind] = newValue }
    }

    var count: Int { counts.values.reduce(0, +) }

    /// For example `2 images and 1 thumbnail`.
    var text: String {
      let parts = Kind.allCases.filter { self[$0] > 0 }.map { self[$0].counted($0.noun) }
      return parts.isEmpty ? 0.counted(Kind.image.noun) : parts.enumerated
    }

    fileprivate mutating func add(_ record: CacheRecord) {
      byteCount += record.byteCount
      self[Kind(record)] += 1
    }
  }

  private(set) var tally = Tally()
  private(set) var spared = Tally()
  private(set) var missing: [String] = []
  /// The days that are there, also those that have texts alone.
  private(set) var days: [DayKey] = []
  private let selection: Selection
  private let cache: DiskCache
  private let limit: Date
  /// Whether feed documents stay: they list the images of days, and so a pinned day stays readable.
  private let sparesDocuments: Bool

  init(_ selection: Selection, in cache: DiskCache, visit: (CacheRecord) -> Void = { _ in }) async {
    self.selection = selection
    self.cache = cache
    let now = cache.configuration.clock()
    if case .olderThan(let age) = selection { limit = now - age / .seconds(1) } else { limit = now }
    sparesDocuments = await cache.statistics().pinnedCount > 0
    switch selection {
    case .purge(let purge):
      for url in purge.urls where await cache.variations(of: url).isEmpty { missing.append(url) }
      for record in await cache.records(of: purge) { remove(record, visit) }
      if tally.count == 0 { missing += purge.tags.map(\.name) }
    case .days(let days): for record in await entries(ofOnly: days) { remove(record, visit) }
    case .olderThan, .all:
      for await record in cache.entries(matching: entrySelection) {
        if isSpared(record) { spared.add(record) } else { remove(record, visit) }
      }
    }
  }

  private mutating func remove(_ record: CacheRecord, _ visit: (CacheRecord) -> Void) {
    tally.add(record)
    visit(record)
  }

  private var entrySelection: EntrySelection {
    if case .olderThan = selection { EntrySelection(before: limit) } else { .all }
  }

  private func isSpared(_ record: CacheRecord) -> Bool {
    guard case .olderThan = selection else { return false }
    let isDocument = if case .document = record.key { true } else { false }
    return record.isPinned || isDocument && sparesDocuments
  }

  func perform() async throws(ImageError) -> Int {
    switch selection {
    case .purge(let purge): return try await cache.purge(purge)
    case .days(let days):
      var count = 0
      for day in days { count += try await DayRecords(in: cache).remove(day) }
      return count
    case .all: return try await DayRecords(in: cache).removeAll()
    case .olderThan: return try await removeOld()
    }
  }

  /// Removes them in batches: an entry that is pinned or refreshed meanwhile stays.
  private func removeOld() async throws(ImageError) -> Int {
    var count = 0
    var keys: [CacheKey] = []
    for await record in cache.entries(matching: entrySelection) {
      if !isSpared(record) { keys.append(record.key) }
      guard keys.count == 500 else { continue }
      count += try await cache.remove(keys)
      keys = []
    }
    return count + (try await cache.remove(keys))
  }

  /// The entries that are only in these days; notes days without any.
  private mutating func entries(ofOnly days: [DayKey]) async -> [CacheRecord] {
    let removed = Set(days.map(\.group))
    var seen: Set<CacheKey> = []
    var found: [CacheRecord] = []
    for day in days {
      var isKept = false
      for await record in cache.entries(matching: EntrySelection(group: day.group)) {
        isKept = true
        let stays = record.groups.contains { DayKey(group: $0) != nil && !removed.contains($0) }
        if !stays, seen.insert(record.key).inserted { found.append(record) }
      }
      let isThere = isKept ? true : await !DayRecords(in: cache).sources(of: day).isEmpty
      if isThere { self.days.append(day) } else { missing.append(day.description) }
    }
    return found
  }
}
