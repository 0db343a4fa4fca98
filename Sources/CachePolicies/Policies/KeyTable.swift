/// The slots of keys: an open-addressing table with linear probing, eight bytes a place.
///
/// A place holds half of the key's hash beside the slot, so a probe that does not match reads no
/// slot, and an entry's home is known without it. Removal shifts entries back; there are no
/// tombstones.
struct KeyTable {
  /// High half: hash; low half: slot + 1; zero: empty.
  private var places: [UInt64]
  /// 32 minus the binary logarithm of the number of places.
  private var shift: UInt32
  private var count = 0

  init(minimumCapacity: Int = 0) {
    var bits: UInt32 = 4
    while bits < 31, (3 << bits) / 4 < minimumCapacity { bits += 1 }
    shift = 32 - bits
    places = Array(repeating: 0, count: 1 << bits)
  }

  /// Returns the slot of a key, or `none`; `isKey` tells whether a slot has the key.
  @inline(__always)
  func slot(of key: UInt64, where isKey: (Int32) -> Bool) -> Int32 {
    let hash = Self.hash(key)
    let mask = places.count &- 1
    var at = Int(hash &>> shift)
    while true {
      let place = places[at]
      if place == 0 { return SlotSlab.none }
      if UInt32(truncatingIfNeeded: place &>> 32) == hash {
        let slot = Int32(truncatingIfNeeded: place & 0xFFFF_FFFF) &- 1
        if isKey(slot) { return slot }
      }
      at = (at &+ 1) & mask
    }
  }

  /// Adds a key that is not there.
  mutating func insert(_ key: UInt64, slot: Int32) {
    if (count + 1) * 4 > places.count * 3 { grow() }
    count += 1
    place(UInt64(Self.hash(key)) << 32 | UInt64(slot + 1))
  }

  /// Removes a key that is there.
  mutating func remove(_ key: UInt64, slot: Int32) {
    let mask = places.count - 1
    let wanted = UInt64(Self.hash(key)) << 32 | UInt64(slot + 1)
    var hole = home(wanted)
    while places[hole] != wanted { hole = (hole + 1) & mask }
    var at = hole
    while true {
      at = (at + 1) & mask
      let place = places[at]
      if place == 0 { break }
      // It may fill the hole unless its home is after the hole.
      if (at - home(place)) & mask >= (at - hole) & mask {
        places[hole] = place
        hole = at
      }
    }
    places[hole] = 0
    count -= 1
  }

  private mutating func grow() {
    let old = places
    places = Array(repeating: 0, count: old.count * 2)
    shift -= 1
    for entry in old where entry != 0 { place(entry) }
  }

  private mutating func place(_ entry: UInt64) {
    let mask = places.count - 1
    var at = home(entry)
    while places[at] != 0 { at = (at + 1) & mask }
    places[at] = entry
  }

  private func home(_ place: UInt64) -> Int { Int(UInt32(place >> 32) >> shift) }

  /// Knuth's multiplicative hashing spreads keys evenly: hashes, or dense numbers.
  @inline(__always)
  private static func hash(_ key: UInt64) -> UInt32 {
    UInt32(truncatingIfNeeded: (key &* 0x9e37_79b9_7f4a_7c15) &>> 32)
  }
}
