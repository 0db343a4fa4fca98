import ImageModel

/// The recent access frequency of keys, in four counters of four bits each: an estimate that is
/// never too low, except that all counters are halved at intervals.
///
/// Source: Cormode, Muthukrishnan, "An Improved Data Stream Summary: the Count-Min Sketch and its
/// Applications", 2005; the halving: Einziger, Friedman, Manes, "TinyLFU: A Highly Efficient Cache
/// Admission Policy", ACM ToS 2017.
struct FrequencySketch: Sendable {
  /// Sixteen counters a word; the length is a power of two.
  private var words: [UInt64]
  private var additions = 0

  /// Creates a sketch that distinguishes about so many keys well: one byte a key and counter row.
  init(expectedCount: Int = 64) {
    var count = 32
    while count < expectedCount { count *= 2 }
    words = Array(repeating: 0, count: count)
  }

  var capacity: Int { words.count }

  /// Doubles the room until it suffices; estimates stay.
  mutating func reserve(_ count: Int) {
    // A counter's place is its hash modulo the length, so both halves of the new table start as
    // copies of the old one.
    while capacity < count { words += words }
  }

  /// Counts one access; after `period` of them all counts are halved.
  @inline(__always)
  mutating func add(_ key: UInt64, period: Int) {
    var hash = SplitMix64.mixed(key)
    for _ in 0..<4 {
      let word = Int(truncatingIfNeeded: hash &>> 4) & (words.count &- 1)
      let shift = (hash & 15) &* 4
      if (words[word] &>> shift) & 15 < 15 { words[word] &+= 1 &<< shift }
      hash = Self.next(hash)
    }
    additions += 1
    if additions >= period { halve() }
  }

  @inline(__always)
  func estimate(_ key: UInt64) -> Int {
    var hash = SplitMix64.mixed(key)
    var least: UInt64 = 15
    for _ in 0..<4 {
      let word = Int(truncatingIfNeeded: hash &>> 4) & (words.count &- 1)
      least = min(least, (words[word] &>> ((hash & 15) &* 4)) & 15)
      hash = Self.next(hash)
    }
    return Int(least)
  }

  private mutating func halve() {
    for index in words.indices { words[index] = (words[index] &>> 1) & 0x7777_7777_7777_7777 }
    additions = 0
  }

  private static func next(_ hash: UInt64) -> UInt64 {
    let product = hash &* 0xd134_2543_de82_ef95 &+ 0x9e37_79b9_7f4a_7c15
    return product ^ (product &>> 32)
  }
}
