import CachePolicies
import ImageModel

/// The policy of a directory: an ``EvictionSampler`` over the table that all processes share.
///
/// Only one thread may call at a time. Each is a closure over the policy's type, see
/// ``SampledPolicyVisitor``.
struct DiskEviction {
  let name: String
  private let sampler: Sampler

  private struct Sampler {
    let snapshot: () -> [UInt8]
    let restore: ([UInt8]) -> Void
    let requested: (Int, UInt32, EntryTable) -> Void
    let admit: (UInt64, UInt32, EntryTable) -> EvictionNote
    let victims: (Int, UInt32, EntryTable, (Int) -> Bool) -> [Int]
    let evict: (Int, UInt32, EntryTable) -> Void
  }

  init(_ policy: DiskEvictionPolicy, seed: UInt64) {
    name = policy.description
    sampler = Maker(seed: seed).visit(policy)
  }

  /// The policy's estimates; see ``SampledPolicy/snapshot``.
  var snapshot: [UInt8] {
    get { sampler.snapshot() }
    nonmutating set { sampler.restore(newValue) }
  }

  func requested(_ place: Int, at now: UInt32, in table: EntryTable) {
    sampler.requested(place, now, table)
  }

  func admit(_ key: UInt64, at now: UInt32, in table: EntryTable) -> EvictionNote {
    sampler.admit(key, now, table)
  }

  func victims(
    freeing byteCount: Int, at now: UInt32, in table: EntryTable, where isEvictable: (Int) -> Bool
  ) -> [Int] {
    sampler.victims(byteCount, now, table, isEvictable)
  }

  func evict(_ place: Int, at now: UInt32, in table: EntryTable) {
    sampler.evict(place, now, table)
  }

  private final class State<Policy: SampledPolicy> {
    var sampler: EvictionSampler<Policy>

    init(_ sampler: EvictionSampler<Policy>) { self.sampler = sampler }
  }

  private struct Maker: SampledPolicyVisitor {
    let seed: UInt64

    func visit(_ policy: some SampledPolicy) -> Sampler {
      let state = State(EvictionSampler(policy, seed: seed))
      func keepUp(with table: EntryTable) {
        state.sampler.policy.clock = max(state.sampler.policy.clock, table.policyClock)
      }
      return Sampler(
        snapshot: { state.sampler.policy.snapshot },
        restore: { state.sampler.policy.snapshot = $0 },
        requested: { place, now, table in
          keepUp(with: table)
          var memory = EvictionMemory(table: table)
          state.sampler.requested(place, at: now, in: &memory)
        },
        admit: { key, now, table in
          keepUp(with: table)
          var memory = EvictionMemory(table: table)
          return state.sampler.admit(key, at: now, in: &memory)
        },
        victims: { byteCount, now, table, isEvictable in
          state.sampler.victims(
            freeing: byteCount, at: now, in: EvictionMemory(table: table), where: isEvictable)
        },
        evict: { place, now, table in
          var memory = EvictionMemory(table: table)
          state.sampler.evict(place, at: now, in: &memory)
          let clock = state.sampler.policy.clock
          if clock > table.policyClock { table.policyClock = clock }
        })
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

/// The estimates of a policy, in the file `index.policy`, for the next process.
struct PolicySnapshot {
  let name: String
  let bytes: [UInt8]

  private static func path(in blobs: BlobStore) -> String { blobs.directory + "/index.policy" }

  init(name: String, bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }

  /// Reads the file; `nil` when there is none of this policy.
  init?(name: String, in blobs: BlobStore) {
    guard let all = try? blobs.files.readIfPresent(Self.path(in: blobs), upTo: (1 << 20) - 1),
      let end = all.firstIndex(of: 10), String(decoding: all[..<end], as: UTF8.self) == name
    else { return nil }
    self.init(name: name, bytes: Array(all[(end + 1)...]))
  }

  /// Replaces the file; a failure costs what was learned.
  func write(in blobs: BlobStore) {
    try? blobs.replace(Self.path(in: blobs), with: Array((name + "\n").utf8) + bytes)
  }
}
