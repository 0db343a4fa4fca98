import CachePolicies
import ImageModel

struct TableEntry: Sendable, Equatable {
  struct Flags: OptionSet, Sendable {
    let rawValue: UInt16
    static let isDocument = Flags(rawValue: 1)
    /// No bytes: the origin had nothing.
    static let isNegative = Flags(rawValue: 2)
    static let isPinned = Flags(rawValue: 4)
    static let hasGroups = Flags(rawValue: 8)
    /// Not an entry of the cache but a small value, or the record of a group.
    static let isState = Flags(rawValue: 16)
    static let isGroup = Flags(rawValue: 32)
    static let isVariant = Flags(rawValue: 64)
    /// A group of an archive keeps it.
    static let isKept = Flags(rawValue: 128)
    /// No limit pushes it out, and it does not count towards one.
    static let retained: Flags = [.isPinned, .isKept]
    private static let withoutImage: Flags = [.isState, .isGroup, .isNegative, .isDocument]

    /// Whether it is an image that the limit may push out.
    @inline(__always) var isEvictable: Bool {
      isDisjoint(with: Self.withoutImage.union(.retained))
    }
    /// Whether it is an image that no limit pushes out.
    var isRetainedImage: Bool {
      !isDisjoint(with: .retained) && isDisjoint(with: Self.withoutImage)
    }
  }

  struct Access: Sendable, Equatable {
    static let maximumCount = 4095
    /// Microseconds since 1970.
    var time: Int64
    var count: Int

    init(time: Int64, count: Int) {
      self.time = time
      self.count = count
    }

    init(_ word: UInt64) {
      time = Int64(word >> 12)
      count = Int(word & 0xFFF)
    }

    var word: UInt64 {
      UInt64(clamping: max(0, min(time, 1 << 51))) << 12
        | UInt64(max(0, min(count, Self.maximumCount)))
    }
  }

  /// Bytes that a file may have, by the width of ``blockCount``.
  static let byteCounts: Range<Int64> = 0..<1 << 44
  static let accessWord = 5
  static let noteWord = 6

  /// The number of the record, which no other record of this cache ever has.
  var sequence: UInt64 = 0
  var hash: UInt64 = 0
  /// Where the record begins in the log, in bytes; a multiple of 16.
  var recordOffset = 0
  /// Bytes of the record, padded to a multiple of 16.
  var recordByteCount = 0
  var flags: Flags = []
  /// The number of the entry's first record: the order in which entries came.
  var born: UInt64 = 0
  /// Blocks of 4 KiB that the file takes.
  var blockCount = 0
  /// Seconds since 1970: when it was fetched or confirmed, or of a negative entry when it ends.
  var moment: UInt32 = 0
  var access = Access(time: 0, count: 0)
  var note = EvictionNote()
  /// One bit for each group it is in, those of `Cache-Groups` included, by the group's hash; several
  /// groups share a bit.
  var groupBits: UInt8 = 0

  init() {}

  @inline(__always)
  init(_ word: (Int) -> UInt64) {
    sequence = word(0)
    hash = word(1)
    let place = word(2)
    recordOffset = Int(place & 0xFFFF_FFFF) << 4
    recordByteCount = Int(place >> 32 & 0xFFFF) << 4
    flags = Flags(rawValue: UInt16(truncatingIfNeeded: place >> 48))
    born = word(3)
    let size = word(4)
    blockCount = Int(size & 0xFFFF_FFFF)
    moment = UInt32(truncatingIfNeeded: size >> 32)
    access = Access(word(Self.accessWord))
    note = EvictionNote(first: word(6), second: word(7))
    groupBits = UInt8(truncatingIfNeeded: word(7) >> 40)
  }

  /// The words, the last with a sum over those that accesses do not change.
  var words: [UInt64] {
    var words = [
      sequence, hash,
      UInt64(recordOffset >> 4) | UInt64(recordByteCount >> 4) << 32 | UInt64(flags.rawValue) << 48,
      born, UInt64(blockCount) | UInt64(moment) << 32, access.word,
      note.firstWord, note.secondWord | UInt64(groupBits) << 40,
    ]
    let sum = Self.sum(groupBits) { words[$0] }
    words[7] |= sum << 48
    return words
  }

  static func isIntact(_ word: (Int) -> UInt64) -> Bool {
    sum(UInt8(truncatingIfNeeded: word(7) >> 40), word) == word(7) >> 48
  }

  private static func sum(_ groupBits: UInt8, _ word: (Int) -> UInt64) -> UInt64 {
    var sum = WordSum()
    for index in 0..<5 { sum.add(word(index)) }
    sum.add(UInt64(groupBits))
    return sum.value & 0xFFFF
  }

  var area: BlobArea { flags.contains(.isDocument) ? .documents : .images }
  var isNegative: Bool { flags.contains(.isNegative) }
  /// Whether it is an entry of the cache, rather than a state or a group.
  var isEntry: Bool { flags.isDisjoint(with: [.isState, .isGroup]) }
  var isEvictable: Bool { flags.isEvictable }
}

struct EntryMatch: Sendable, Equatable {
  let index: Int
  let entry: TableEntry
}

struct EntryMatches: Sendable {
  private(set) var first: EntryMatch?
  private var others: [EntryMatch] = []

  mutating func append(_ match: EntryMatch) {
    if first == nil { first = match } else { others.append(match) }
  }

  var all: [EntryMatch] { first.map { [$0] + others } ?? [] }

  func forEach(_ body: (EntryMatch) -> Void) {
    if let first { body(first) }
    for other in others { body(other) }
  }
}

struct TableState: Sendable, Equatable {
  static let wordCount = 15

  /// Entries, states and groups included.
  var count = 0
  var totals = IndexTotals()
  /// Contents that more than one entry owns.
  var sharedCount = 0
  var nextSequence: UInt64 = 1
  var logByteCount = 0
  /// Bytes of the log's records that entries name.
  var liveByteCount = 0

  init() {}

  init?(words: [UInt64]) {
    guard words.count == Self.wordCount, WordSum.of(words.dropLast()) == words.last else {
      return nil
    }
    let numbers = words.map { Int(truncatingIfNeeded: $0) }
    // Sums of several such numbers cannot overflow.
    guard numbers.dropLast(2).allSatisfy({ 0...1 << 56 ~= $0 }), numbers[11] > 0,
      numbers[13].magnitude <= 1 << 56
    else { return nil }
    count = numbers[0]
    totals = IndexTotals(Array(numbers[1..<10]))
    sharedCount = numbers[10]
    nextSequence = words[11]
    logByteCount = numbers[12]
    liveByteCount = numbers[13]
  }

  var words: [UInt64] {
    var words =
      [UInt64(count)] + totals.numbers.map { UInt64(bitPattern: Int64($0)) } + [
        UInt64(sharedCount), nextSequence, UInt64(logByteCount),
        UInt64(bitPattern: Int64(liveByteCount)),
      ]
    words.append(WordSum.of(words))
    return words
  }
}

/// A note in two words, the second with 24 bits to spare; bits 16 through 31 of it are 0.
extension EvictionNote {
  static let secondMask: UInt64 = 0xFF_FFFF_FFFF

  init(first: UInt64, second: UInt64) {
    self.init(
      asked: UInt32(truncatingIfNeeded: first),
      credit: Float(bitPattern: UInt32(truncatingIfNeeded: first >> 32)),
      count: UInt16(truncatingIfNeeded: second), kind: UInt8(truncatingIfNeeded: second >> 32))
  }

  var firstWord: UInt64 { UInt64(asked) | UInt64(credit.bitPattern) << 32 }
  var secondWord: UInt64 { UInt64(count) | UInt64(kind) << 32 }
}
