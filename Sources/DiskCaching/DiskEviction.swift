import CachePolicies
import ImageModel

/// The policy of a directory: an ``EvictionSampler`` over the table that all processes share.
protocol DiskEviction: Sendable {
  /// The name of the policy.
  var name: String { get }
  /// What was learned; see ``SampledPolicy/snapshot``.
  var snapshot: [UInt8] { get set }
  mutating func requested(_ place: Int, at now: UInt32, in table: EntryTable)
  mutating func admit(
    _ key: UInt64, byteCount: Int, at now: UInt32, in table: EntryTable
  ) -> EvictionNote
  mutating func victims(
    freeing byteCount: Int, at now: UInt32, in table: EntryTable, where isEvictable: (Int) -> Bool
  ) -> [Int]
  mutating func evict(_ place: Int, at now: UInt32, in table: EntryTable)
}

extension EvictionSampler: DiskEviction {
  var name: String { policy.name }
  var snapshot: [UInt8] {
    get { policy.snapshot }
    set { policy.snapshot = newValue }
  }

  mutating func requested(_ place: Int, at now: UInt32, in table: EntryTable) {
    policy.clock = max(policy.clock, table.policyClock)
    var memory = EvictionMemory(table: table)
    requested(place, at: now, in: &memory)
  }

  mutating func admit(
    _ key: UInt64, byteCount: Int, at now: UInt32, in table: EntryTable
  ) -> EvictionNote {
    policy.clock = max(policy.clock, table.policyClock)
    var memory = EvictionMemory(table: table)
    return admit(key, byteCount: byteCount, at: now, in: &memory)
  }

  mutating func victims(
    freeing byteCount: Int, at now: UInt32, in table: EntryTable, where isEvictable: (Int) -> Bool
  ) -> [Int] {
    var memory = EvictionMemory(table: table)
    return victims(freeing: byteCount, at: now, in: &memory, where: isEvictable)
  }

  mutating func evict(_ place: Int, at now: UInt32, in table: EntryTable) {
    var memory = EvictionMemory(table: table)
    evict(place, at: now, in: &memory)
    if policy.clock > table.policyClock { table.policyClock = policy.clock }
  }
}

/// The table as eviction sees it.
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

/// What a policy has learned, in the file `index.policy`, for the next process.
struct PolicySnapshot {
  let name: String
  let bytes: [UInt8]

  private static func path(in blobs: BlobStore) -> String { blobs.directory + "/index.policy" }

  init(name: String, bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }

  /// Reads the file; `nil` when there is none of this policy.
  init?(name: String, in blobs: BlobStore) {
    let files = blobs.files
    guard let (file, facts) = try? files.openRegular(Self.path(in: blobs), forWriting: false)
    else { return nil }
    defer { files.close(file) }
    guard facts.byteCount < 1 << 20,
      let all = try? files.readWhole(file, byteCount: facts.byteCount),
      let end = all.firstIndex(of: 10), String(decoding: all[..<end], as: UTF8.self) == name
    else { return nil }
    self.init(name: name, bytes: Array(all[(end + 1)...]))
  }

  /// Replaces the file; a failure costs what was learned.
  func write(in blobs: BlobStore) {
    let files = blobs.files
    // Of one that is left behind the name tells that it may be removed; see ``Leftovers``.
    let new = "\(blobs.directory)/tmp/\(TemporaryName.next(amongFolders: 1).name)"
    guard let file = try? files.create(new, mode: 0o644) else { return }
    defer { files.close(file) }
    let all = Array((name + "\n").utf8) + bytes
    do {
      try all.span.bytes.withUnsafeBytes { bytes throws(FileSystemFailure) in
        try files.write(bytes, to: file, at: 0)
      }
      try files.rename(new, to: Self.path(in: blobs))
    } catch {
      try? files.remove(new)
    }
  }
}

extension EvictionPolicy {
  /// The policy as it runs on disk.
  ///
  /// - Parameter seed: What its samples begin with.
  func onDisk(seed: UInt64) -> any DiskEviction {
    func sampler(_ policy: some SampledPolicy) -> any DiskEviction {
      EvictionSampler(policy, seed: seed)
    }
    return sampler(sampled())
  }
}
