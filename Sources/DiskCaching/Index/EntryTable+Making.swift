/// Making a table, before others see it.
extension EntryTable {
  /// Adds an entry at the end.
  func append(_ entry: TableEntry, at index: Int) {
    for (offset, word) in entry.words.enumerated() {
      poke(Word.entries + Self.stride * index + offset, word)
    }
    let mask = 2 * layout.capacity - 1
    var bucket = home(of: entry.hash, in: mask)
    while true {
      let at = layout.buckets + (bucket >> 1)
      let word = peek(at)
      let shift = UInt64(bucket & 1) * 32
      if word >> shift & 0xFFFF_FFFF == 0 { return poke(at, word | UInt64(index + 1) << shift) }
      bucket = (bucket + 1) & mask
    }
  }

  func setState(_ state: TableState) {
    for (offset, word) in state.words.enumerated() { poke(Word.state + offset, word) }
  }

  func setAccess(_ access: TableEntry.Access, at index: Int) {
    poke(Word.entries + Self.stride * index + TableEntry.accessWord, access.word)
  }

  /// Adds the marks of an entry's groups.
  func setRetention(_ retention: TableEntry.Flags, at index: Int) {
    var entry = entry(at: index)
    entry.flags.formUnion(retention)
    for (offset, word) in entry.words.enumerated() {
      poke(Word.entries + Self.stride * index + offset, word)
    }
  }

  func setShared(_ content: UInt64, _ count: UInt64) {
    let mask = layout.sharedCapacity - 1
    var slot = home(of: content, in: mask)
    while peek(layout.shared + 2 * slot) != 0 { slot = (slot + 1) & mask }
    poke(layout.shared + 2 * slot, content)
    poke(layout.shared + 2 * slot + 1, count)
  }

  func forEachShared(_ body: (_ content: UInt64, _ count: UInt64) -> Void) {
    for slot in 0..<layout.sharedCapacity {
      let content = peek(layout.shared + 2 * slot)
      if content != 0 { body(content, peek(layout.shared + 2 * slot + 1)) }
    }
  }

  /// Takes over the ghosts of another table, as far as they find a place.
  func takeGhosts(of other: EntryTable) {
    // A ghost's place is the lower bits of its hash.
    for index in 0..<max(layout.ghostCapacity, other.layout.ghostCapacity) {
      let place = layout.ghosts + (index & (layout.ghostCapacity - 1))
      let ghost = other.peek(other.layout.ghosts + (index & (other.layout.ghostCapacity - 1)))
      if ghost != 0, peek(place) == 0 { poke(place, ghost) }
    }
  }
}
