import CachePolicies
import ImageModel

/// The policy of a directory: an ``EvictionSampler`` over the table that all processes share. Only
/// one thread may call at a time. Closures over the policy's type; see ``SampledPolicyVisitor``.
struct DiskEviction {
  let name: String
  let snapshot: () -> [UInt8]
  let restore: ([UInt8]) -> Void
  let requested: (_ place: Int, _ now: UInt32, EntryTable) -> Void
  let admit: (_ key: UInt64, _ now: UInt32, EntryTable) -> EvictionNote
  let refuses:
    (
      _ key: UInt64, EvictionNote, _ byteCount: Int, _ missing: Int, _ now: UInt32, EntryTable,
      _ isEvictable: (Int) -> Bool
    ) -> Bool
  let victims: (_ byteCount: Int, _ now: UInt32, EntryTable, _ isEvictable: (Int) -> Bool) -> [Int]
  let evict: (_ place: Int, _ now: UInt32, EntryTable) -> Void

  init(_ policy: DiskEvictionPolicy, seed: UInt64) {
    self = Maker(name: policy.description, seed: seed).visit(policy)
  }

  private init(_ name: String, _ sampler: EvictionSampler<some SampledPolicy>) {
    self.name = name
    var sampler = sampler
    func keepUp(with table: EntryTable) {
      sampler.policy.clock = max(sampler.policy.clock, table.policyClock)
    }
    snapshot = { sampler.policy.snapshot }
    restore = { sampler.policy.snapshot = $0 }
    requested = { place, now, table in
      keepUp(with: table)
      var memory = EvictionMemory(table: table)
      sampler.requested(place, at: now, in: &memory)
    }
    admit = { key, now, table in
      keepUp(with: table)
      var memory = EvictionMemory(table: table)
      return sampler.admit(key, at: now, in: &memory)
    }
    refuses = { key, note, byteCount, missing, now, table, isEvictable in
      var memory = EvictionMemory(table: table)
      return sampler.refuses(
        key, note, byteCount: byteCount, freeing: missing, at: now, in: &memory, where: isEvictable)
    }
    victims = { byteCount, now, table, isEvictable in
      sampler.victims(
        freeing: byteCount, at: now, in: EvictionMemory(table: table), where: isEvictable)
    }
    evict = { place, now, table in
      var memory = EvictionMemory(table: table)
      sampler.evict(place, at: now, in: &memory)
      if sampler.policy.clock > table.policyClock { table.policyClock = sampler.policy.clock }
    }
  }

  private struct Maker: SampledPolicyVisitor {
    let name: String
    let seed: UInt64

    func visit(_ policy: some SampledPolicy) -> DiskEviction {
      DiskEviction(name, EvictionSampler(policy, seed: seed))
    }
  }
}

private struct EvictionMemory: EvictionTable {
  let table: EntryTable

  var count: Int { table.count }
  var ghostCount: Int { table.layout.ghostCapacity }
  @inline(__always) func key(at index: Int) -> UInt64 { table.hash(at: index) }
  @inline(__always) func byteCount(at index: Int) -> Int { table.byteCount(at: index) }
  subscript(note index: Int) -> EvictionNote {
    get { table[note: index] }
    nonmutating set { table[note: index] = newValue }
  }
  subscript(ghost index: Int) -> UInt64 {
    get { table.peek(table.layout.ghosts + index) }
    nonmutating set { table.poke(table.layout.ghosts + index, newValue) }
  }
}

/// The estimates of a policy, behind its name in the file `index.policy`, for the next process.
enum PolicySnapshot {
  private static func path(in blobs: BlobStore) -> String { blobs.directory + "/index.policy" }

  static func read(of name: String, in blobs: BlobStore) -> [UInt8]? {
    guard let all = try? blobs.files.readIfPresent(path(in: blobs), upTo: (1 << 20) - 1),
      let end = all.firstIndex(of: 10), String(decoding: all[..<end], as: UTF8.self) == name
    else { return nil }
    return Array(all[(end + 1)...])
  }

  /// Replaces the file; a failure costs what was learned.
  static func write(_ bytes: [UInt8], of name: String, in blobs: BlobStore) {
    try? blobs.replace(path(in: blobs), with: Array((name + "\n").utf8) + bytes)
  }
}
