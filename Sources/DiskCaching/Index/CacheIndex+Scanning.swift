import ImageModel
import Synchronization

extension CacheIndex {
  /// Returns the matches of entries that meet a condition, oldest first, and the files that they are
  /// in; `nil` where there is not an index.
  func places(
    where isWanted: (TableEntry) -> Bool
  ) throws(ImageError) -> (open: Files, matches: [EntryMatch])? {
    let found = try snapshot { open, _ in (open, open.table.entries(where: isWanted)) }
    return found.map { open, matches in
      (open, matches.sorted { $0.entry.born < $1.entry.born })
    }
  }

  func groups() throws(ImageError) -> [GroupRecord] {
    guard let (open, matches) = try places(where: { $0.flags.contains(.isGroup) }) else {
      return []
    }
    return matches.compactMap { match in
      try? open.log.withRecord(of: match.entry) { GroupRecord(&$1) }
    }
  }

  /// Returns all states. Those of an earlier call are not read again: a record never changes.
  func states() throws(ImageError) -> [StateRecord] {
    guard let (open, matches) = try places(where: { $0.flags.contains(.isState) }) else {
      return []
    }
    return knownStates.withLock { known in
      let old = known.table == open.table.identity ? known.records : [:]
      var records: [UInt64: StateRecord] = [:]
      for entry in matches.map(\.entry) {
        records[entry.sequence] =
          old[entry.sequence] ?? (try? open.log.withRecord(of: entry) { StateRecord(&$1) })
      }
      known = (open.table.identity, records)
      return matches.compactMap { records[$0.entry.sequence] }
    }
  }

  /// The files that entries own, and the number of the last record then.
  typealias Contents = (owned: Set<BlobHash>, last: UInt64)

  /// The files that the entries of an area own. Throws unless all were read: other files are
  /// removed.
  func contents(in area: BlobArea) throws(ImageError) -> Contents {
    do {
      return try wholeContents(in: area)
    } catch  where isDamaged.load(ordering: .relaxed) {
      // The log may have what the table has lost.
      try rebuild()
      return try wholeContents(in: area)
    }
  }

  private func wholeContents(in area: BlobArea) throws(ImageError) -> Contents {
    let found = try snapshot { open, state in
      let matches = open.table.entries { $0.isEntry && $0.area == area }
      return (open: open, state: state, matches: open.table.isIntact ? matches : nil)
    }
    guard let found else { return ([], 0) }
    return try translatingErrors {
      guard let matches = found.matches else { throw damage() }
      return (try contents(of: matches, in: found.open), found.state.nextSequence - 1)
    }
  }

  func contents(of matches: [EntryMatch], in open: Files) throws -> Set<BlobHash> {
    var owned: Set<BlobHash> = []
    for match in matches {
      guard let entry = try read(match, in: open) else { throw damage() }
      if let content = entry.record.content { owned.insert(content.hash) }
    }
    return owned
  }

  /// Notes damage, so that the next change makes the table again.
  private func damage() -> ImageError {
    isDamaged.store(true, ordering: .relaxed)
    return ImageError(
      .cacheUnusable,
      "the cache's index in \(blobs.directory) is damaged; the next change repairs it")
  }

  func fault() -> String? {
    if mode == .absent { return nil }
    guard let table = readable()?.table else { return "it cannot be read" }
    if case .some(nil) = table.read({ table.state }) { return "the table's totals are damaged" }
    let found = reporting {
      try snapshot { open, _ in (open, open.table.isIntact, open.table.entries { _ in true }) }
    }
    guard let (open, isIntact, matches) = found ?? nil else { return "it cannot be read" }
    if !isIntact { return "an entry of the table is damaged" }
    for match in matches {
      let isWhole = try? open.log.withRecord(of: match.entry) { _, _ in true }
      if isWhole != true { return "a record is damaged" }
    }
    return nil
  }
}
