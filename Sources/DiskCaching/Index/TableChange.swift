import ImageModel

/// A change of an ``EntryTable``, collected until it is applied. Reads see what was collected.
struct TableChange: ~Copyable {
  /// Words that fit the redo area, far more than most changes have: a removal moves the buckets
  /// behind its own, of which there may be any number.
  static let maximumCount = (EntryTable.Word.entries - EntryTable.Word.redo - 2) / 2

  let table: EntryTable
  var state: TableState
  private(set) var writes: [(index: Int, value: UInt64)] = []

  init(of table: EntryTable, _ state: TableState) {
    self.table = table
    self.state = state
    writes.reserveCapacity(64)
  }

  private var layout: EntryTable.Layout { table.layout }

  func word(_ index: Int) -> UInt64 {
    for write in writes.reversed() where write.index == index { return write.value }
    return table.peek(index)
  }

  mutating func set(_ index: Int, _ value: UInt64) { writes.append((index, value)) }

  /// Adds the state; the last step.
  mutating func seal() {
    for (index, word) in state.words.enumerated() { set(EntryTable.Word.state + index, word) }
  }

  // MARK: Entries

  /// Writes an entry in place of one with the same hash, or adds it.
  mutating func put(_ entry: TableEntry, replacing old: EntryMatch?) {
    guard let old else { return insert(entry) }
    state.liveByteCount -= old.entry.recordByteCount
    setEntry(entry, at: old.index)
  }

  /// Removes an entry. The record of the removal is out of date at once.
  mutating func remove(_ old: EntryMatch, recordedIn removal: TableEntry) {
    state.liveByteCount -= removal.recordByteCount + old.entry.recordByteCount
    remove(at: old.index, hash: old.entry.hash)
  }

  mutating func insert(_ entry: TableEntry) {
    let index = state.count
    state.totals.retain(1, entry)
    write(entry, at: index)
    if let bucket = bucket(of: nil, hash: entry.hash) { setBucket(bucket, index + 1) }
    state.count += 1
  }

  mutating func setEntry(_ entry: TableEntry, at index: Int) {
    state.totals.retain(-1, self.entry(at: index))
    state.totals.retain(1, entry)
    write(entry, at: index)
  }

  private mutating func write(_ entry: TableEntry, at index: Int) {
    let first = EntryTable.Word.entries + EntryTable.stride * index
    for (offset, word) in entry.words.enumerated() { set(first + offset, word) }
  }

  func entry(at index: Int) -> TableEntry {
    let first = EntryTable.Word.entries + EntryTable.stride * index
    return TableEntry { word(first + $0) }
  }

  /// Removes an entry; the last one moves into its place.
  mutating func remove(at index: Int, hash: UInt64) {
    state.totals.retain(-1, entry(at: index))
    removeBucket(of: index, hash: hash)
    let last = state.count - 1
    if index != last {
      let moved = entry(at: last)
      if let bucket = bucket(of: last, hash: moved.hash) { setBucket(bucket, index + 1) }
      write(moved, at: index)
    }
    state.count = last
  }

  // MARK: Buckets

  private func bucket(_ bucket: Int) -> Int {
    EntryTable.value(of: bucket, in: word(layout.buckets + (bucket >> 1)))
  }

  private mutating func setBucket(_ bucket: Int, _ value: Int) {
    let at = layout.buckets + (bucket >> 1)
    set(at, EntryTable.word(word(at), setting: bucket, to: value))
  }

  /// The bucket that has an index, or with `nil` the free one where an entry belongs.
  private func bucket(of index: Int?, hash: UInt64) -> Int? {
    let (mask, wanted) = (layout.bucketMask, index.map { $0 + 1 } ?? 0)
    let found = table.probe(from: table.home(of: hash, in: mask), in: mask) {
      let value = bucket($0)
      return value == wanted || value == 0
    }
    return found.flatMap { bucket($0) == wanted ? $0 : nil }
  }

  private mutating func removeBucket(of index: Int, hash: UInt64) {
    guard let bucket = bucket(of: index, hash: hash) else { return }
    let hole = close(bucket, in: layout.bucketMask) { change, bucket in
      let value = change.bucket(bucket)
      let entry = EntryTable.Word.entries + EntryTable.stride * (value - 1)
      return value == 0 ? nil : change.word(entry + 1)
    } move: { change, bucket, hole in
      change.setBucket(hole, change.bucket(bucket))
    }
    setBucket(hole, 0)
  }

  /// Moves what is behind a place that becomes free up, as far as it belongs, and returns the place
  /// that is free then. A place without a word to search for is free.
  private mutating func close(
    _ place: Int, in mask: Int, word: (borrowing TableChange, Int) -> UInt64?,
    move: (inout TableChange, _ place: Int, _ hole: Int) -> Void
  ) -> Int {
    var hole = place
    table.probe(from: place + 1, in: mask) { next in
      guard let word = word(self, next) else { return true }
      // Movable unless its home lies behind the hole.
      if (next - table.home(of: word, in: mask)) & mask >= (next - hole) & mask {
        move(&self, next, hole)
        hole = next
      }
      return false
    }
    return hole
  }

  // MARK: Shared contents

  /// Counts another owner of a file that an entry owns already.
  mutating func share(_ content: UInt64) {
    let slot = sharedSlot(of: content)
    if word(slot) == 0 {
      set(slot, content)
      set(slot + 1, 2)
      state.sharedCount += 1
    } else {
      set(slot + 1, word(slot + 1) + 1)
    }
  }

  /// Counts one owner less, and returns whether there are others.
  mutating func release(_ content: UInt64) -> Bool {
    let slot = sharedSlot(of: content)
    guard word(slot) != 0 else { return false }
    let count = word(slot + 1)
    if count > 2 {
      set(slot + 1, count - 1)
    } else {
      removeShared(slot)
      state.sharedCount -= 1
    }
    return true
  }

  func isShared(_ content: UInt64) -> Bool { word(sharedSlot(of: content)) != 0 }

  /// The number of entries that own a file which has an entry.
  func ownerCount(of content: UInt64) -> Int {
    let slot = sharedSlot(of: content)
    return word(slot) == 0 ? 1 : Int(clamping: word(slot + 1))
  }

  /// The word of a content, or the free one where it belongs.
  private func sharedSlot(of content: UInt64) -> Int {
    let mask = layout.sharedMask
    let home = table.home(of: content, in: mask)
    let slot = table.probe(from: home, in: mask) {
      let found = word(layout.shared + 2 * $0)
      return found == 0 || found == content
    }
    return layout.shared + 2 * (slot ?? home)
  }

  private mutating func removeShared(_ at: Int) {
    let first = layout.shared
    let hole = close((at - first) / 2, in: layout.sharedMask) { change, slot in
      let content = change.word(first + 2 * slot)
      return content == 0 ? nil : content
    } move: { change, slot, hole in
      for word in 0..<2 {
        change.set(first + 2 * hole + word, change.word(first + 2 * slot + word))
      }
    }
    for word in 0..<2 { set(first + 2 * hole + word, 0) }
  }

  // MARK: Files in doubt

  /// Notes a file that is there without an entry until ``EntryTable/Word`` is cleared again.
  mutating func record(_ word: Int, _ hash: BlobHash?, in area: BlobArea) {
    for (offset, value) in Self.words(of: hash, in: area).enumerated() { set(word + offset, value) }
  }

  static func words(of hash: BlobHash?, in area: BlobArea) -> [UInt64] {
    guard let hash else { return [0] }
    let (a, b, c, d) = hash.words
    let words = [UInt64(area.rawValue), a, b, c, d]
    return [WordSum.of(words) | 1] + words
  }
}

extension BlobHash {
  /// A word that distinguishes the files of an area as well as the whole hash does; never 0.
  func fileWord(in area: BlobArea) -> UInt64 {
    let word = area == .images ? words.0 : ~words.0
    return word == 0 ? 1 : word
  }
}
