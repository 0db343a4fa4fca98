import HTTPCaching
package import ImageModel

extension DiskStore {
  /// Removes what a purge names. It is noted first, so that a load which began before is not stored
  /// after it; then entries that were stored until then are removed, a few at a time, so that other
  /// writers do not wait for long. An entry that was fetched since stays.
  @discardableResult
  package func purge(_ purge: CachePurge) throws(ImageError) -> Int {
    let tags = purge.allTags
    if index.mode == .absent || tags.isEmpty { return 0 }
    let last = try record(tags)
    let (count, urls) = try forEachEntry(of: purge, isRemoved: true) { records throws(ImageError) in
      try remove(
        records.filter { $0.sharedAt ?? $0.fetchedAt < purge.fetchedBefore }, through: last)
    }
    for url in urls.union(purge.urls.map(ExactString.init)) { discardPartial(of: url.text) }
    // What others keep in memory has no tags of its origin.
    try record(tags.union(urls.map { CacheTag.source($0.text) }), isDone: true)
    return count
  }

  func urls(under prefixes: [String], tagged tags: [CacheTag]) throws(ImageError) -> [String] {
    let matcher = CacheTagMatcher(tags)
    var urls: Set<ExactString> = []
    try forEach(
      .original,
      where: { record in
        prefixes.contains { record.key.name.utf8.starts(with: $0.utf8) } || matcher.matches(record)
      }
    ) { records throws(ImageError) in
      urls.formUnion(records.map { ExactString($0.key.name) })
    }
    return urls.map(\.text)
  }

  @discardableResult
  package func removeGroup(_ group: String) throws(ImageError) -> Int {
    if index.mode == .absent { return 0 }
    let family = group.firstIndex(of: ":").map { String(group[...$0]) } ?? group
    let (leaving, last) = try write { writer in
      let leaving = try writer.members(of: group).map(\.record).filter { record in
        let others = record.groups.subtracting([group])
        return try !writer.enter(others).contains(.isPinned)
          && !others.contains { $0.hasPrefix(family) }
      }
      return (leaving, writer.state.nextSequence - 1)
    }
    let tags = Set(leaving.compactMap { $0.key.url.map { CacheTag.source($0) } })
    // Before anything changes: where the disk has no room for it, the group stays as it was.
    try record(tags)
    var removal = PurgeWalk()
    removal.record(try remove(leaving, through: last))
    try forEachVariant(&removal, isRemoved: true, where: { _ in false }) {
      records throws(ImageError) in try remove(records, through: last)
    }
    try write { writer in
      var isLeft = false
      for member in try writer.members(of: group) {
        // An entry looked up before a change may be elsewhere.
        guard let found = try writer.entry(for: member.record.key) else { continue }
        // What was stored meanwhile has entered the group again.
        guard found.match.entry.sequence <= last else {
          isLeft = true
          continue
        }
        var record = found.record
        record.groups.remove(group)
        try writer.update(found, record)
      }
      if !isLeft { try writer.remove(GroupRecord.self, named: group) }
    }
    for url in removal.urls { discardPartial(of: url.text) }
    try record(tags, isDone: true)
    return removal.count
  }

  func removeAll(inGroups groups: Set<String>, of origin: String) throws(ImageError) {
    let names = Set(groups.map { CacheRecord.name(ofCacheGroup: $0, of: origin) })
    // A few at a time, so that other writers do not wait for long.
    try forEach(indexedUnder: names) { records throws(ImageError) in
      try remove(records.map(\.key))
    }
  }

  /// The originals with `No-Vary-Search`, oldest first.
  func variedRecords() throws(ImageError) -> [CacheRecord] {
    var found: [CacheRecord] = []
    try forEach(indexedUnder: [CacheRecord.noVarySearch]) { found += $0 }
    return found
  }

  /// Calls a body with the originals that the index has under one of some names, oldest first.
  private func forEach(
    indexedUnder names: Set<String>, _ body: ([CacheRecord]) throws(ImageError) -> Void
  ) throws(ImageError) {
    let bits = names.reduce(0) { $0 | GroupRecord.bit(of: $1) }
    guard let (open, matches) = try index.places(where: { $0.groupBits & bits != 0 }) else {
      return
    }
    var rest = matches[...]
    while !rest.isEmpty {
      let records = rest.prefix(256).compactMap { index.entry($0, in: open)?.record }
        .filter { !names.isDisjoint(with: $0.indexedNames) }
      rest = rest.dropFirst(256)
      if !records.isEmpty { try body(records) }
    }
  }

  /// Whether an original was requested before it was purged; `begun` is the start of the load that
  /// stores it or what is made of it, `nil` for an entry that is there.
  func isPurged(_ record: CacheRecord, begun: Date?, _ writer: IndexWriter) -> Bool {
    guard record.requestTime.microseconds < writer.table.lastPurge else { return false }
    let marks = PurgeMarks(writer.state(PurgeMarks.stateName))
    let now = configuration.clock().microseconds
    return marks.cover(record, begun: begun?.microseconds, at: now)
  }

  // MARK: Steps

  /// The entries that a purge has found or removed so far.
  private struct PurgeWalk {
    var count = 0
    var urls: Set<ExactString> = []
    /// The bytes of originals, and how many of these had them.
    var contents: [BlobHash: Int] = [:]

    mutating func record(_ records: [CacheRecord]) {
      count += records.count
      for record in records {
        if let url = record.key.url { urls.insert(ExactString(url)) }
        if case .original = record.key, let content = record.content {
          contents[content.hash, default: 0] += 1
        }
      }
    }
  }

  /// Notes a purge of tags, or with `nil` of everything, for all processes, and returns the number
  /// of the last record. Observers are notified once it is done, as they could read an entry again
  /// earlier; it is recorded again then, for a purge in between may have notified them too early.
  @discardableResult
  func record(
    _ tags: Set<CacheTag>?, isDone: Bool = false
  ) throws(ImageError) -> UInt64 {
    let now = configuration.clock().microseconds
    let last = try write { writer in
      let last = writer.state.nextSequence - 1
      if let tags, tags.isEmpty { return last }
      var marks = PurgeMarks(writer.state(PurgeMarks.stateName))
      marks.add(tags, number: last + 1, at: now)
      try writer.setState(marks.text, for: PurgeMarks.stateName)
      writer.table.poke(EntryTable.Word.lastPurge, UInt64(bitPattern: marks.latestTime))
      if isDone { writer.table.add(1, to: EntryTable.Word.purgeCount) }
      return last
    }
    if isDone { purges.check() }
    return last
  }

  private func discardPartial(of url: String) {
    let partials = PartialStore(blobs: blobs)
    if partials.keepsPartial(of: url) { (try? partials.openPartial(for: url))?.discard() }
  }

  /// Calls a body, which returns those that count, with the entries of a purge, originals before
  /// variants, a few at a time; returns how many counted, and the URLs of originals among them.
  @discardableResult
  func forEachEntry(
    of purge: CachePurge, isRemoved: Bool,
    _ take: ([CacheRecord]) throws(ImageError) -> [CacheRecord]
  ) throws(ImageError) -> (count: Int, urls: Set<ExactString>) {
    var walk = PurgeWalk()
    var seen: Set<ExactString> = []
    for url in purge.urls where seen.insert(ExactString(url)).inserted {
      walk.record(try take(variations(of: url)))
    }
    if !purge.tags.isEmpty {
      let matcher = CacheTagMatcher(purge.tags)
      try forEach(
        .original, where: { !seen.contains(ExactString($0.key.name)) && matcher.matches($0) }
      ) {
        records throws(ImageError) in walk.record(try take(records))
      }
    }
    let matcher = CacheTagMatcher(purge.allTags)
    try forEachVariant(&walk, isRemoved: isRemoved, where: { matcher.matches($0) }, take)
    return (walk.count, walk.urls)
  }

  /// Calls a body with the variants of some originals, unless originals that stay have the same
  /// bytes, and with others that are wanted.
  private func forEachVariant(
    _ walk: inout PurgeWalk, isRemoved: Bool, where isWanted: (CacheRecord) -> Bool,
    _ take: ([CacheRecord]) throws(ImageError) -> [CacheRecord]
  ) throws(ImageError) {
    guard let table = index.readable()?.table else { return }
    let owners = TableChange(of: table, table.state ?? TableState())
    var sources: Set<String> = []
    for (hash, count) in walk.contents {
      let stays =
        isRemoved
        ? (try? blobs.files.exists(at: blobs.path(of: hash, in: .images))) ?? false
        : owners.ownerCount(of: hash.fileWord(in: .images)) > count
      if !stays { sources.insert(hash.hex) }
    }
    try forEach(.variant, where: { sources.contains($0.key.name) || isWanted($0) }) {
      records throws(ImageError) in walk.record(try take(records))
    }
  }

  private func forEach(
    _ kind: EntrySelection.Kind, where isWanted: (CacheRecord) -> Bool,
    _ body: ([CacheRecord]) throws(ImageError) -> Void
  ) throws(ImageError) {
    try forEachPage(of: EntrySelection(kind: kind)) { page throws(ImageError) in
      let records = page.map(\.record).filter(isWanted)
      if !records.isEmpty { try body(records) }
    }
  }

  /// Removes entries that were not stored later than a record.
  private func remove(
    _ records: [CacheRecord], through last: UInt64
  ) throws(ImageError) -> [CacheRecord] {
    if records.isEmpty { return [] }
    return try write { writer in
      var removed: [CacheRecord] = []
      for record in records {
        // One with a new record may be an old entry in another group.
        guard let found = try writer.entry(for: record.key),
          found.match.entry.sequence <= last || self.isPurged(found.record, begun: nil, writer)
        else { continue }
        try writer.delete(found)
        removed.append(found.record)
      }
      return removed
    }
  }
}
