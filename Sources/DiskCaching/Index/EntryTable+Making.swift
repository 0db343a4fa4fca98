/// Making a table, before others see it.
extension EntryTable {
  func append(_ entry: TableEntry, at index: Int) {
    write(entry, at: index)
    let mask = layout.bucketMask
    probe(from: home(of: entry.hash, in: mask), in: mask) { bucket in
      let at = layout.buckets + (bucket >> 1)
      let word = peek(at)
      guard Self.value(of: bucket, in: word) == 0 else { return false }
      poke(at, Self.word(word, setting: bucket, to: index + 1))
      return true
    }
  }

  private func write(_ entry: TableEntry, at index: Int) {
    for (offset, word) in entry.words.enumerated() {
      poke(Word.entries + Self.stride * index + offset, word)
    }
  }

  func setState(_ state: TableState) {
    for (offset, word) in state.words.enumerated() { poke(Word.state + offset, word) }
  }

  func setAccess(_ access: TableEntry.Access, at index: Int) {
    poke(Word.entries + Self.stride * index + TableEntry.accessWord, access.word)
  }

  func setRetention(_ retention: TableEntry.Flags, at index: Int) {
    var entry = entry(at: index)
    entry.flags.formUnion(retention)
    write(entry, at: index)
  }

  func setShared(_ content: UInt64, _ count: UInt64) {
    let mask = layout.sharedMask
    probe(from: home(of: content, in: mask), in: mask) { slot in
      guard peek(layout.shared + 2 * slot) == 0 else { return false }
      poke(layout.shared + 2 * slot, content)
      poke(layout.shared + 2 * slot + 1, count)
      return true
    }
  }

  var shared: [(content: UInt64, count: UInt64)] {
    (0..<layout.sharedCapacity).map { slot in
      (peek(layout.shared + 2 * slot), peek(layout.shared + 2 * slot + 1))
    }.filter { $0.content != 0 }
  }

  func adoptGhosts(of other: EntryTable) {
    // A ghost's place is the lower bits of its hash.
    for index in 0..<max(layout.ghostCapacity, other.layout.ghostCapacity) {
      let place = layout.ghosts + (index & (layout.ghostCapacity - 1))
      let ghost = other.peek(other.layout.ghosts + (index & (other.layout.ghostCapacity - 1)))
      if ghost != 0, peek(place) == 0 { poke(place, ghost) }
    }
  }
}
