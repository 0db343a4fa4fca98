import FoundationEssentials
import ImageFeeds
import ImagePipeline

/// What `rm` removes: found first, so that it can be listed, then removed.
struct Removal {
  /// Which entries are meant.
  enum Selection {
    case urls([String])
    case days([DayKey])
    /// Fetched or confirmed longer ago than this, and not pinned.
    case olderThan(Duration)
    case all
  }

  /// Entries by what they are for people.
  struct Tally {
    var images = 0
    var thumbnails = 0
    var documents = 0
    /// Of these URLs the origin had nothing.
    var failures = 0
    var byteCount = 0

    var count: Int { images + thumbnails + documents + failures }

    /// As in a sentence: `2 images and 1 thumbnail`.
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

  /// What is, or would be, removed.
  private(set) var tally = Tally()
  /// What would be, were it not pinned.
  private(set) var spared = Tally()
  /// URLs and days of which nothing is kept.
  private(set) var missing: [String] = []
  private let selection: Selection
  private let cache: DiskCache
  private var keys: [CacheKey] = []

  /// Finds the entries.
  ///
  /// - Parameter visit: Is told of each.
  init(_ selection: Selection, in cache: DiskCache, visit: (CacheRecord) -> Void = { _ in }) {
    self.selection = selection
    self.cache = cache
    var found: [CacheRecord] = []
    switch selection {
    case .urls(let urls):
      for url in Self.unique(urls) {
        let records = cache.variations(of: url)
        if records.isEmpty { missing.append(url) }
        found += records
      }
    case .days(let days): found = entries(ofOnly: days)
    case .olderThan(let age):
      let all = cache.entries(
        matching: EntrySelection(before: cache.configuration.clock() - age.seconds))
      // Documents list the images of days: a pinned day stays readable.
      let hasPins = cache.statistics().pinnedCount > 0
      for record in all {
        if record.isPinned || hasPins && Self.isDocument(record) {
          spared.add(record)
        } else {
          found.append(record)
        }
      }
    case .all: found = cache.entries()
    }
    for record in found {
      tally.add(record)
      keys.append(record.key)
      visit(record)
    }
  }

  /// Removes them.
  ///
  /// - Returns: How many entries were removed.
  func perform() throws(ImageError) -> Int {
    switch selection {
    case .days(let days):
      var count = 0
      for day in days {
        count += try cache.removeGroup(Group.day(day))
        try FeedChoice.forget(day, in: cache)
      }
      return count
    case .all:
      let count = try cache.remove(matching: .all)
      try FeedChoice.forgetAll(in: cache)
      return count
    case .urls, .olderThan:
      var count = 0
      var start = 0
      while start < keys.count {
        let end = min(start + 500, keys.count)
        count += try cache.remove(Array(keys[start..<end]))
        start = end
      }
      return count
    }
  }

  /// The entries that are in these days and in no other; notes days that have none at all.
  private mutating func entries(ofOnly days: [DayKey]) -> [CacheRecord] {
    let removed = Set(days.map(Group.day))
    var seen: Set<CacheKey> = []
    var found: [CacheRecord] = []
    for day in days {
      var isKept = false
      cache.forEachEntry(matching: EntrySelection(group: Group.day(day))) { record in
        isKept = true
        let stays = record.groups.contains { Group.day(of: $0) != nil && !removed.contains($0) }
        if !stays, seen.insert(record.key).inserted { found.append(record) }
        return true
      }
      if !isKept { missing.append(day.description) }
    }
    return found
  }

  private static func unique(_ urls: [String]) -> [String] {
    var seen: Set<String> = []
    return urls.filter { seen.insert($0).inserted }
  }

  private static func isDocument(_ record: CacheRecord) -> Bool {
    if case .document = record.key { true } else { false }
  }
}
