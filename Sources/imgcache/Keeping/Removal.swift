import DiskCaching
import ImageFeeds
import ImageModel

/// The entries that `rm` removes: found first, so that they can be listed, then removed.
struct Removal {
  enum Selection {
    case urls([String])
    case tags([CacheTag])
    case days([DayKey])
    /// Those fetched or confirmed longer ago than this, and not pinned.
    case olderThan(Duration)
    case all
  }

  struct Tally {
    var images = 0
    var thumbnails = 0
    var documents = 0
    var failures = 0
    var byteCount = 0

    var count: Int { images + thumbnails + documents + failures }

    /// For example `2 images and 1 thumbnail`.
    var text: String {
      var parts: [String] = []
      if images > 0 || thumbnails + documents + failures == 0 {
        parts.append(images.counted("image"))
      }
      if thumbnails > 0 { parts.append(thumbnails.counted("thumbnail")) }
      if documents > 0 { parts.append(documents.counted("feed document")) }
      if failures > 0 { parts.append(failures.counted("remembered failure")) }
      return parts.enumerated
    }

    fileprivate mutating func add(_ record: CacheRecord) {
      byteCount += record.byteCount
      if record.isNegative {
        failures += 1
      } else {
        switch record.key {
        case .original: images += 1
        case .variant: thumbnails += 1
        case .document: documents += 1
        }
      }
    }
  }

  /// The entries that are, or would be, removed.
  private(set) var tally = Tally()
  /// The entries that stay because they are pinned.
  private(set) var spared = Tally()
  /// URLs and days that have no entries.
  private(set) var missing: [String] = []
  private let selection: Selection
  private let cache: DiskCache
  /// Of `olderThan`: entries fetched or confirmed before this.
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
    case .urls(let urls):
      for url in urls where await cache.variations(of: url).isEmpty { missing.append(url) }
      for record in await cache.records(of: CachePurge(urls: urls)) { remove(record, visit) }
    case .tags(let tags):
      for record in await cache.records(of: CachePurge(tags: tags)) { remove(record, visit) }
      if tally.count == 0 { missing = tags.map(\.name) }
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

  /// Removes them and returns their number.
  func perform() async throws(ImageError) -> Int {
    switch selection {
    case .urls(let urls): return try await cache.purge(CachePurge(urls: urls))
    case .tags(let tags): return try await cache.purge(CachePurge(tags: tags))
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
      if !isKept { missing.append(day.description) }
    }
    return found
  }
}
