import ImageModel

extension IndexWriter {
  typealias Sparing = @Sendable (_ place: Int, EntryTable) -> Bool

  var byteCount: Int { table.layout.byteCount + state.logByteCount }

  /// Bytes that table and log would have without what is out of date.
  var neededByteCount: Int { neededLayout.byteCount + state.liveByteCount }

  /// Whether more than half of the log is out of date.
  var isWorthRewriting: Bool {
    state.logByteCount - state.liveByteCount > max(state.liveByteCount, 1 << 20)
  }

  /// Whether both would become smaller by an eighth.
  var hasWaste: Bool { (byteCount - neededByteCount) * 8 > neededByteCount + (64 << 10) }

  var mayHaveOrphans: Bool { table.peek(EntryTable.Word.mayHaveOrphans) != 0 }

  func isShared(_ hash: BlobHash, in area: BlobArea) -> Bool {
    TableChange(of: table, state).isShared(hash.fileWord(in: area))
  }

  /// Whether an entry owns a file that is there. The first call of a process reads every record.
  func isOwned(_ hash: BlobHash, in area: BlobArea) throws -> Bool {
    let known: CacheIndex.Contents
    if let first = index.knownContents.withLock({ $0[area] }) {
      known = first
    } else {
      let matches = table.entries { $0.isEntry && $0.area == area }
      known = (try index.contents(of: matches, in: open), state.nextSequence - 1)
      index.knownContents.withLock { $0[area] = known }
    }
    return try known.owned.contains(hash) || contents(since: known.last).contains(hash)
  }

  private func contents(since last: UInt64) throws -> Set<BlobHash> {
    try index.contents(of: table.entries { $0.sequence > last && $0.isEntry }, in: open)
  }

  /// Counts what eviction may take, until it is as much as is wanted.
  func evictable(upTo wanted: Int, sparing isSpared: Sparing) -> (count: Int, byteCount: Int) {
    var found = (count: 0, byteCount: 0)
    for place in 0..<state.count where table.isEvictable(at: place) {
      if isSpared(place, table) { continue }
      found.count += 1
      found.byteCount += table.byteCount(at: place)
      if found.byteCount >= wanted { break }
    }
    return found
  }

  /// Removes entries that are older than a maximum age, and negative ones that have ended, among
  /// `count` places of the table; returns the place to go on at. While anything is pinned, documents
  /// stay: they list the images of days.
  func expire(
    from place: Int, count: Int, at now: Int64, maximumAge: Int64?, sparing isSpared: Sparing
  ) throws -> (place: Int, count: Int) {
    var place = place < state.count ? place : 0
    var removed = 0
    lazy var sparesDocuments = table.hasPinned
    for _ in 0..<min(count, state.count) {
      if place >= state.count { place = 0 }
      let entry = table.entry(at: place)
      let isListing = entry.area == .documents && !entry.isNegative
      guard isDue(entry, at: now, maximumAge), !(isListing && sparesDocuments),
        let found = self.entry(at: place), isPast(found, at: now, maximumAge),
        !isSpared(place, table)
      else {
        place += 1
        continue
      }
      // The last entry moves to this place.
      try delete(found)
      removed += 1
      if state.count == 0 { break }
    }
    return (place, removed)
  }

  /// Whether the record of an entry must be read, judged by the seconds in the table.
  private func isDue(_ entry: TableEntry, at now: Int64, _ maximumAge: Int64?) -> Bool {
    guard entry.isEntry, !entry.flags.contains(.isPinned) else { return false }
    let moment = Int64(entry.moment) * 1_000_000
    if entry.isNegative { return moment <= now }
    return maximumAge.map { moment < now - $0 } ?? false
  }

  private func isPast(_ found: IndexEntry, at now: Int64, _ maximumAge: Int64?) -> Bool {
    if found.record.isNegative {
      return found.record.expires.map { $0.microseconds < now } ?? false
    }
    return maximumAge.map { found.record.responseTime.microseconds < now - $0 } ?? false
  }

  /// Removes negative entries, those that end first before others, and returns their number.
  func dropNegatives(_ count: Int, keeping born: UInt64?) throws -> Int {
    if state.totals.negativeCount == 0 { return 0 }
    return try table.entries { $0.isEntry && $0.isNegative && $0.born != born }
      .sorted { $0.entry.moment < $1.entry.moment }
      .prefix(count)
      .count { match in
        // Removals move entries.
        let current = table.find(match.entry.hash).all
          .first { $0.entry.born == match.entry.born }
        guard let current, let found = entry(at: current.index) else { return false }
        try delete(found)
        return true
      }
  }

  // MARK: Groups

  func members(of group: String) throws -> [IndexEntry] {
    let bit = GroupRecord.bit(of: group)
    return table.entries { $0.groupBits & bit != 0 }
      .compactMap { index.entry($0, in: open) }
      .filter { $0.record.groups.contains(group) }
  }

  // MARK: Files

  /// Removes files that no entry owned when a record had the number `last`, unless one does now.
  /// Under the lock no store is between publishing a file and writing its record.
  func removeUnowned(
    _ names: [String], in folder: String, since last: UInt64
  ) throws -> (count: Int, byteCount: Int) {
    var removed = (count: 0, byteCount: 0)
    let added = try contents(since: last)
    for name in names {
      guard let hash = BlobHash(hex: name), !added.contains(hash) else { continue }
      let path = "\(folder)/\(name)"
      guard let facts = try blobs.files.facts(at: path), facts.isRegular else { continue }
      try blobs.files.remove(path)
      removed.count += 1
      removed.byteCount += facts.byteCount
    }
    return removed
  }

  func endOrphans() { table.poke(EntryTable.Word.mayHaveOrphans, 0) }
}
