import CPlatform
import CachePolicies
import ImageModel

/// The table of a cache's entries, `index.table`: a file that every process maps.
///
/// A look-up queries no database and takes no lock. The table holds what eviction and limits need
/// of each entry, and the position of its record in the ``RecordLog``; it can be rebuilt from the
/// log.
///
/// - Entries are adjacent, without gaps: a new one is appended, and the last one moves into the
///   place of one that is removed. So a random index is a random entry.
/// - Buckets, twice as many as entries fit, hold the indices of entries by the hash of the key
///   (linear probing).
/// - Shared contents: how many entries own a file, from the second owner on.
/// - Ghosts: what eviction has noted of entries that are gone.
///
/// A writer holds the index's lock. It writes all words of a change into the redo area first, so
/// that a change of a process that died is completed by the next one. ``Word/turn`` is odd while
/// the words are written; readers read again when it was odd or is another afterwards.
final class EntryTable: Sendable {
  enum Word {
    static let magic = 0
    static let shape = 1
    /// A random number. Tables with the same records share it.
    static let identity = 2
    static let logNumber = 3
    /// The sum of the words before; wrong where the header is damaged.
    static let sum = 4
    /// The boot in which the table was made: after another one it may lack changes.
    static let boot = 5
    /// Not 0 once another table has replaced this one at its path.
    static let isReplaced = 6
    static let turn = 7
    /// Not 0 where files may have no entry: after a power loss, until garbage is collected.
    static let mayHaveOrphans = 9
    /// The number of requests, the logical time of eviction.
    static let clock = 8
    /// The number of purges, and the time of the latest in microseconds since 1970.
    static let purgeCount = 10
    static let lastPurge = 11
    /// The files that a process which dies leaves behind: one that it has just published, and one
    /// that it was about to remove. Each is a sum, 0 for none, an area, and the words of a hash.
    static let published = 16
    static let doomed = 24
    static let state = 32
    static let policy = 64
    static let counters = 96
    static let runCounters = 128
    /// The number of words written, their sum, and pairs of index and value.
    static let redo = 512
    static let entries = 2048
  }

  static let magic: UInt64 = 0x3142_5445_4352_4D49
  static let version: UInt64 = 8
  /// The least number of entries that a table has room for.
  static let leastCapacity = EvictionTableSize.minimumEntryCount
  static let stride = 8

  struct Layout: Sendable, Equatable {
    /// Entries that fit, a power of two.
    let capacity: Int
    /// Ghosts that fit, a power of two.
    let ghostCapacity: Int

    var buckets: Int { Word.entries + EntryTable.stride * capacity }
    var bucketMask: Int { 2 * capacity - 1 }
    var shared: Int { buckets + capacity }
    /// Shared contents that fit, of two words each.
    var sharedCapacity: Int { capacity / 2 }
    var sharedMask: Int { sharedCapacity - 1 }
    var ghosts: Int { shared + 2 * sharedCapacity }
    var wordCount: Int { ghosts + ghostCapacity }
    var byteCount: Int { 8 * wordCount }

    init(capacity: Int) {
      self.capacity = capacity
      ghostCapacity = EvictionTableSize.ghostCount(entryCapacity: capacity)
    }

    init(count: Int) {
      var capacity = EntryTable.leastCapacity
      while capacity < count { capacity *= 2 }
      self.init(capacity: capacity)
    }
  }

  let layout: Layout
  private let wordCount: Int
  let isWritable: Bool
  private let memory: SharedPointer<UnsafeMutableRawPointer>
  @inline(__always) private var words: UnsafeMutableRawPointer { memory.pointer }

  /// The mapped file, open to see whether it still has a name; `nil` in memory.
  let file: OpenFile?
  private let key: UInt64

  private init(
    _ words: UnsafeMutableRawPointer, _ layout: Layout, _ file: OpenFile?, isWritable: Bool
  ) {
    memory = SharedPointer(words)
    self.layout = layout
    wordCount = layout.wordCount
    self.file = file
    self.isWritable = isWritable
    key = imgc_word_peek(words, Word.identity)
  }

  deinit { imgc_words_unmap(words, layout.wordCount) }

  /// Makes an empty table in a file or, with `nil`, in memory.
  static func create(
    in file: OpenFile?, _ layout: Layout, logNumber: UInt64,
    identity: UInt64 = .random(in: 1 ... .max)
  ) throws(FileSystemFailure) -> EntryTable {
    let words =
      if let file { imgc_words_map(file.descriptor, layout.wordCount) } else {
        imgc_words_map_private(layout.wordCount)
      }
    guard let words else { throw FileSystemFailure.last("") }
    imgc_word_poke(words, Word.shape, version << 32 | UInt64(layout.capacity))
    imgc_word_poke(words, Word.identity, identity)
    let table = EntryTable(words, layout, file, isWritable: file != nil)
    table.poke(Word.magic, magic)
    table.poke(Word.logNumber, logNumber)
    table.poke(Word.sum, table.headerSum)
    table.poke(Word.boot, UInt64(bitPattern: BootIdentity.current))
    table.setState(TableState())
    return table
  }

  /// Maps a table; `nil` when it is damaged or of another version.
  static func open(_ file: OpenFile, byteCount: Int, isWritable: Bool) -> EntryTable? {
    guard byteCount >= 8 * Word.entries,
      let head = imgc_words_map_reading(file.descriptor, Word.entries)
    else { return nil }
    let (magic, shape) = (imgc_word_peek(head, Word.magic), imgc_word_peek(head, Word.shape))
    imgc_words_unmap(head, Word.entries)
    let capacity = Int(shape & 0xFFFF_FFFF)
    guard magic == Self.magic, shape >> 32 == version,
      capacity >= leastCapacity, capacity & (capacity - 1) == 0
    else { return nil }
    let layout = Layout(capacity: capacity)
    guard layout.byteCount == byteCount,
      let words = isWritable
        ? imgc_words_map(file.descriptor, layout.wordCount)
        : imgc_words_map_reading(file.descriptor, layout.wordCount)
    else { return nil }
    let table = EntryTable(words, layout, file, isWritable: isWritable)
    return table.peek(Word.sum) == table.headerSum ? table : nil
  }

  // MARK: Words

  // An index that damage made up is outside of the mapping.
  @inline(__always) func peek(_ index: Int) -> UInt64 {
    UInt(bitPattern: index) < UInt(wordCount) ? imgc_word_peek(words, index) : 0
  }
  @inline(__always) func poke(_ index: Int, _ value: UInt64) {
    if UInt(bitPattern: index) < UInt(wordCount) { imgc_word_poke(words, index, value) }
  }
  /// Adds to a word that no change of the table writes, and returns the sum.
  @inline(__always) @discardableResult
  func add(_ amount: UInt64, to index: Int) -> UInt64 { imgc_word_add(words, index, amount) }

  @inline(__always) func word(_ offset: Int, at index: Int) -> UInt64 {
    peek(Word.entries + Self.stride * index + offset)
  }

  private var headerSum: UInt64 { WordSum.of((Word.magic..<Word.sum).map { peek($0) }) }

  var logNumber: UInt64 { peek(Word.logNumber) }
  var identity: UInt64 { peek(Word.identity) }
  var isReplaced: Bool { imgc_word_load(words, Word.isReplaced) != 0 }
  /// Whether the machine has been running since the table was made, so that nothing of it was lost.
  var isOfThisBoot: Bool { peek(Word.boot) == UInt64(bitPattern: BootIdentity.current) }
  var turn: UInt64 { imgc_word_load(words, Word.turn) }

  /// The state as it was written last; `nil` when it is damaged.
  var state: TableState? {
    let state = TableState(words: (0..<TableState.wordCount).map { peek(Word.state + $0) })
    guard let state, state.count <= layout.capacity, state.sharedCount <= layout.sharedCapacity
    else { return nil }
    return state
  }

  /// The number of entries, states and groups: at most the capacity, also when it is damaged.
  var count: Int { Int(min(peek(Word.state), UInt64(layout.capacity))) }

  /// The place where the search for a word begins: a bucket for the hash of a key, or a slot for a
  /// shared content. The mask is the number of places, a power of two, minus 1.
  ///
  /// Hashes are known to everyone, so URLs could be chosen whose searches begin at one place. The
  /// first multiplication (as in wyhash) depends on a random number that only this directory has;
  /// the second one spreads its result.
  @inline(__always) func home(of word: UInt64, in mask: Int) -> Int {
    let product = (word ^ key).multipliedFullWidth(by: key | 1)
    let spread = (product.high ^ product.low) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: spread >> 32) & mask
  }

  /// Linear probing: calls a body with the places from one on, until it returns true for one.
  @inline(__always) @discardableResult
  func probe(from place: Int, in mask: Int, _ body: (Int) -> Bool) -> Int? {
    var place = place & mask
    for _ in 0...mask {
      if body(place) { return place }
      place = (place + 1) & mask
    }
    return nil
  }

  /// The value of a bucket in the word of two: the index of an entry, plus 1, or 0.
  @inline(__always) static func value(of bucket: Int, in word: UInt64) -> Int {
    Int(truncatingIfNeeded: bucket & 1 == 0 ? word & 0xFFFF_FFFF : word >> 32)
  }

  static func word(_ word: UInt64, setting bucket: Int, to value: Int) -> UInt64 {
    bucket & 1 == 0
      ? word & 0xFFFF_FFFF_0000_0000 | UInt64(value) : word & 0xFFFF_FFFF | UInt64(value) << 32
  }

  // MARK: Reading

  /// Calls a body until no change was written meanwhile: only so often where it takes long. Returns
  /// `nil` when a change does not end, since its writer died, or each run was disturbed by one.
  @inline(__always)
  func read<Value>(maximumRuns: Int = .max, _ body: () -> Value) -> Value? {
    var (attempts, runs) = (0, 0)
    while true {
      let before = turn
      if before & 1 == 0 {
        let value = body()
        imgc_words_end_read()
        if peek(Word.turn) == before { return value }
        runs += 1
        if runs == maximumRuns { return nil }
      }
      attempts += 1
      if attempts > 200 {
        // Where the lock can be taken, waiting for it tells whether the writer lives.
        if attempts > (isWritable ? 220 : 2200) { return nil }
        blockThread(microseconds: 50)
      }
    }
  }

  @inline(__always)
  func entry(at index: Int) -> TableEntry { TableEntry { word($0, at: index) } }

  /// The entries under a hash, mostly one or none, of a table that does not change meanwhile: under
  /// the lock, or in a body of ``read(maximumRuns:_:)``.
  @inline(__always)
  func find(_ hash: UInt64) -> EntryMatches {
    var matches = EntryMatches()
    let mask = layout.bucketMask
    probe(from: home(of: hash, in: mask), in: mask) { bucket in
      let index = Self.value(of: bucket, in: peek(layout.buckets + (bucket >> 1))) - 1
      if index < 0 { return true }
      guard index < layout.capacity else { return false }
      let entry = entry(at: index)
      if entry.hash == hash { matches.append(EntryMatch(index: index, entry: entry)) }
      return false
    }
    return matches
  }

  /// The entries that meet a condition, while the table does not change, as with ``find(_:)``.
  func entries(where isWanted: (TableEntry) -> Bool) -> [EntryMatch] {
    var found: [EntryMatch] = []
    for place in 0..<count {
      let entry = entry(at: place)
      if isWanted(entry) { found.append(EntryMatch(index: place, entry: entry)) }
    }
    return found
  }

  /// Whether any entry is pinned, under the same condition.
  var hasPinned: Bool {
    (0..<count).contains { place in
      let entry = entry(at: place)
      return entry.isEntry && entry.flags.contains(.isPinned)
    }
  }

  @inline(__always) func born(at index: Int) -> UInt64 { word(3, at: index) }
  @inline(__always) func hash(at index: Int) -> UInt64 { word(1, at: index) }
  @inline(__always) func byteCount(at index: Int) -> Int {
    Int(word(4, at: index) & 0xFFFF_FFFF) * BlobStore.blockByteCount
  }
  @inline(__always) func isEvictable(at index: Int) -> Bool {
    TableEntry.Flags(rawValue: UInt16(truncatingIfNeeded: word(2, at: index) >> 48)).isEvictable
  }

  // MARK: Accesses

  /// Notes an access to an entry, unless another one is in its place. Of two at one time one may
  /// be lost.
  func touch(_ match: EntryMatch, at time: Int64) {
    guard isWritable, born(at: match.index) == match.entry.born else { return }
    let old = TableEntry.Access(word(TableEntry.accessWord, at: match.index))
    let new = TableEntry.Access(
      time: max(time, old.time), count: min(old.count + 1, TableEntry.Access.maximumCount))
    setAccess(new, at: match.index)
  }

  /// The eviction note of an entry. Of two set at one time one may be lost, and one for an entry
  /// that is replaced or moved meanwhile is.
  subscript(note index: Int) -> EvictionNote {
    get {
      let first = TableEntry.noteWord
      return EvictionNote(first: word(first, at: index), second: word(first + 1, at: index))
    }
    set {
      let first = Word.entries + Self.stride * index + TableEntry.noteWord
      guard UInt(bitPattern: first + 1) < UInt(wordCount) else { return }
      // The other bits of the second word belong to the entry.
      let old = peek(first + 1)
      let new = old & ~EvictionNote.secondMask | newValue.secondWord
      if imgc_word_exchange(words, first + 1, old, new) { poke(first, newValue.firstWord) }
    }
  }

  /// Whether the words of all entries are those that were written, and the buckets lead to them; of
  /// a table that does not change meanwhile, as with ``find(_:)``.
  var isIntact: Bool {
    (0..<count).allSatisfy { place in
      isIntact(at: place) && find(hash(at: place)).all.contains { $0.index == place }
    }
  }

  func isIntact(at index: Int) -> Bool { TableEntry.isIntact { word($0, at: index) } }

  /// Marks the table at a path as replaced, for processes that have mapped it, whatever is in it.
  static func markReplaced(at path: String, in files: any FileSystem) {
    guard let (file, facts) = try? files.openRegular(path, forWriting: true) else { return }
    defer { files.close(file) }
    guard facts.byteCount >= 8 * Word.entries, let words = imgc_words_map(file, Word.entries) else {
      return
    }
    imgc_word_store(words, Word.isReplaced, 1)
    imgc_words_unmap(words, Word.entries)
  }

  // MARK: Changing

  /// Writes a change, whole or, if this process dies before its words are in the redo area, not at
  /// all. One that does not fit that area is to be made in a ``copy(with:)``. `half` is for tests.
  func apply(_ change: borrowing TableChange, half: () -> Void = {}) -> Bool {
    if change.writes.count > TableChange.maximumCount { return false }
    var sum = WordSum()
    for (number, write) in change.writes.enumerated() {
      poke(Word.redo + 2 + 2 * number, UInt64(write.index))
      poke(Word.redo + 3 + 2 * number, write.value)
      sum.add(UInt64(write.index))
      sum.add(write.value)
    }
    poke(Word.redo + 1, sum.value)
    imgc_word_store(words, Word.redo, UInt64(change.writes.count))
    write {
      for (number, write) in change.writes.enumerated() {
        if number == change.writes.count / 2 { half() }
        poke(write.index, write.value)
      }
    }
    imgc_word_store(words, Word.redo, 0)
    return true
  }

  func copy(with change: borrowing TableChange) throws(FileSystemFailure) -> EntryTable {
    guard let words = imgc_words_map_private(wordCount) else { throw FileSystemFailure.last("") }
    for index in 0..<wordCount { imgc_word_poke(words, index, peek(index)) }
    let copy = EntryTable(words, layout, nil, isWritable: false)
    for write in change.writes { copy.poke(write.index, write.value) }
    return copy
  }

  private func write(_ body: () -> Void) {
    // Odd already where a writer died.
    let turn = peek(Word.turn) | 1
    poke(Word.turn, turn)
    imgc_words_begin_write()
    body()
    imgc_word_store(words, Word.turn, turn + 1)
  }

  /// Completes the change of a writer that died. Runs under the lock.
  func recover() {
    let count = Int(clamping: peek(Word.redo))
    if count > 0, count <= TableChange.maximumCount {
      let pairs = (0..<count).map {
        (index: Int(clamping: peek(Word.redo + 2 + 2 * $0)), value: peek(Word.redo + 3 + 2 * $0))
      }
      var sum = WordSum()
      for pair in pairs {
        sum.add(UInt64(pair.index))
        sum.add(pair.value)
      }
      if sum.value == peek(Word.redo + 1), pairs.allSatisfy({ $0.index < layout.wordCount }) {
        write { for pair in pairs { poke(pair.index, pair.value) } }
      }
    }
    if peek(Word.redo) != 0 { imgc_word_store(words, Word.redo, 0) }
    if peek(Word.turn) & 1 == 1 { write {} }
  }
}

/// A checksum of words that detects damage.
struct WordSum {
  private(set) var value: UInt64 = 0x9E37_79B9_7F4A_7C15

  @inline(__always)
  mutating func add(_ word: UInt64) {
    let product = (value ^ word).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
    value = product.high ^ product.low
  }

  static func of(_ words: some Sequence<UInt64>) -> UInt64 {
    var sum = WordSum()
    for word in words { sum.add(word) }
    return sum.value
  }
}
