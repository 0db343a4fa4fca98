import ImageModel

/// The keys of a cache under a policy by sample, in arrays: the disk tier of the simulator.
package struct SampledCache<Policy: SampledPolicy>: Sendable, ReplayedCache {
  struct Entry: Sendable {
    var key: UInt64
    var byteCount: Int
    var note: EvictionNote
  }

  struct Table: EvictionTable {
    var entries: [Entry] = []
    var ghosts: [UInt64]

    var count: Int { entries.count }
    var ghostCount: Int { ghosts.count }
    @inline(__always) func key(at index: Int) -> UInt64 { entries[index].key }
    @inline(__always) func byteCount(at index: Int) -> Int { entries[index].byteCount }
    subscript(note index: Int) -> EvictionNote {
      @inline(__always) get { entries[index].note }
      @inline(__always) set { entries[index].note = newValue }
    }
    subscript(ghost index: Int) -> UInt64 {
      @inline(__always) get { ghosts[index] }
      @inline(__always) set { ghosts[index] = newValue }
    }
  }

  private var sampler: EvictionSampler<Policy>
  var table: Table
  private var places: KeyTable
  private var entryCapacity = EvictionTableSize.minimumEntryCount
  private var now: UInt32 = 0
  package let capacity: Int
  private let refusesNewcomers: Bool
  package private(set) var byteCount = 0

  /// - Parameter refusesNewcomers: Whether newcomers may be refused, as in `serve` and `proxy`.
  package init(
    _ policy: Policy, capacity: Int, refusesNewcomers: Bool = true, seed: UInt64 = 1
  ) {
    sampler = EvictionSampler(policy, seed: seed)
    self.refusesNewcomers = refusesNewcomers
    self.capacity = SlotSlab.bounded(capacity)
    table = Table(
      ghosts: Array(
        repeating: 0, count: EvictionTableSize.ghostCount(entryCapacity: entryCapacity)))
    places = KeyTable()
  }

  /// Performs one request of a trace, of the hash of a key: a hit, or an insertion, which may be
  /// refused; one larger than the capacity does nothing. An entry that is requested with another size
  /// has that size from then on.
  @inline(__always)
  package mutating func access(_ key: UInt64, size: Int, evictions: inout Int) -> Bool {
    let slot = places.slot(of: key) { table.entries[Int($0)].key == key }
    if slot == SlotSlab.none {
      if size <= capacity { insert(key, size: size, evictions: &evictions) }
      return false
    }
    now &+= 1
    let index = Int(slot)
    sampler.requested(index, at: now, in: &table)
    let difference = size - table.entries[index].byteCount
    if difference != 0 {
      table.entries[index].byteCount = size
      byteCount += difference
      makeRoom(for: 0, evictions: &evictions)
    }
    return true
  }

  private mutating func insert(_ key: UInt64, size: Int, evictions: inout Int) {
    now &+= 1
    let note = sampler.admit(key, at: now, in: &table)
    let missing = byteCount + size - capacity
    if refusesNewcomers, missing > 0,
      sampler.refuses(key, note, byteCount: size, freeing: missing, at: now, in: &table)
    {
      return
    }
    makeRoom(for: size, evictions: &evictions)
    if table.count == entryCapacity { grow() }
    places.insert(key, slot: Int32(table.count))
    table.entries.append(Entry(key: key, byteCount: size, note: note))
    byteCount += size
  }

  private mutating func makeRoom(for size: Int, evictions: inout Int) {
    while byteCount + size > capacity {
      let victims = sampler.victims(freeing: byteCount + size - capacity, at: now, in: table)
      if victims.isEmpty { return }
      for index in victims {
        sampler.evict(index, at: now, in: &table)
        remove(index)
      }
      evictions += victims.count
    }
  }

  private mutating func remove(_ index: Int) {
    let entry = table.entries[index]
    byteCount -= entry.byteCount
    places.remove(entry.key, slot: Int32(index))
    let last = table.entries.removeLast()
    guard index < table.count else { return }
    places.remove(last.key, slot: Int32(table.count))
    places.insert(last.key, slot: Int32(index))
    table.entries[index] = last
  }

  private mutating func grow() {
    entryCapacity *= 2
    table.ghosts += table.ghosts
  }

  /// A hash, as on disk: parts of it choose the place of a ghost.
  package static func key(_ number: UInt32) -> UInt64 { SplitMix64.mixed(UInt64(number)) }
}
