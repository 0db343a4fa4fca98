/// The values of a memory tier by key: open addressing with linear probing, in plain memory.
///
/// A look-up changes nothing and counts no references, so threads may look up at the same time; see
/// ``MemoryStore`` for the locks. References that all threads count would cost more than the rest
/// of a hit.
struct MemoryTable: ~Copyable {
  struct Entry {
    let key: MemoryKey
    /// Retained by the table.
    let value: Unmanaged<AnyObject>
    /// When it expires, in nanoseconds of the tier's clock, or `never`.
    let expires: UInt64
    let slot: Int32
  }

  static let never = UInt64.max

  private var places: UnsafeMutablePointer<Entry?>
  private var mask: Int
  private var count = 0

  init() {
    mask = 63
    places = Self.allocate(mask)
  }

  deinit {
    for place in 0...mask { places[place]?.value.release() }
    places.deallocate()
  }

  private static func allocate(_ mask: Int) -> UnsafeMutablePointer<Entry?> {
    let places = UnsafeMutablePointer<Entry?>.allocate(capacity: mask + 1)
    places.initialize(repeating: nil, count: mask + 1)
    return places
  }

  /// Returns the entry of a key. Its value is alive for as long as the caller has its lock.
  @inline(__always)
  func find(_ key: MemoryKey) -> Entry? {
    var place = home(of: key)
    while let entry = places[place] {
      if entry.key == key { return entry }
      place = (place + 1) & mask
    }
    return nil
  }

  /// Stores an entry and returns the value that it replaces; the caller releases that.
  mutating func store(_ entry: Entry) -> Unmanaged<AnyObject>? {
    if count > mask / 2 { grow() }
    var place = home(of: entry.key)
    while let old = places[place] {
      if old.key == entry.key {
        places[place] = entry
        return old.value
      }
      place = (place + 1) & mask
    }
    places[place] = entry
    count += 1
    return nil
  }

  /// Removes an entry and returns its value; the caller releases that.
  mutating func remove(_ key: MemoryKey) -> Unmanaged<AnyObject>? {
    var hole = home(of: key)
    while let entry = places[hole], entry.key != key { hole = (hole + 1) & mask }
    guard let value = places[hole]?.value else { return nil }
    // Entries behind it move up, unless that would put one before its home.
    var place = (hole + 1) & mask
    while let entry = places[place] {
      if (place - home(of: entry.key)) & mask >= (place - hole) & mask {
        places[hole] = entry
        hole = place
      }
      place = (place + 1) & mask
    }
    places[hole] = nil
    count -= 1
    return value
  }

  func keys(where isWanted: (AnyObject) -> Bool) -> [MemoryKey] {
    (0...mask).compactMap { place in
      places[place].flatMap { entry in
        entry.value._withUnsafeGuaranteedRef(isWanted) ? entry.key : nil
      }
    }
  }

  /// Removes all entries and returns their values; the caller releases them.
  mutating func removeAll() -> [Unmanaged<AnyObject>] {
    let values = (0...mask).compactMap { places[$0]?.value }
    places.update(repeating: nil, count: mask + 1)
    count = 0
    return values
  }

  @inline(__always)
  private func home(of key: MemoryKey) -> Int { Int(truncatingIfNeeded: key.low) & mask }

  private mutating func grow() {
    let (old, oldMask) = (places, mask)
    mask = 2 * mask + 1
    places = Self.allocate(mask)
    for place in 0...oldMask {
      guard let entry = old[place] else { continue }
      var new = home(of: entry.key)
      while places[new] != nil { new = (new + 1) & mask }
      places[new] = entry
    }
    old.deallocate()
  }
}
