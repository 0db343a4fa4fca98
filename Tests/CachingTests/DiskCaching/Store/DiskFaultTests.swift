import Foundation
import Testing

@testable import DiskCaching
@testable import ImageModel
@testable import TestSupport

/// Every file system call fails once, in each way, while a cache is opened and used.
@Suite struct `Disk faults`: OnDisk {
  let folder = CacheFolder()
  static let errors: [(name: String, plan: FaultyFileSystem.Plan)] = [
    ("ENOSPC", .init(number: ENOSPC)), ("EIO", .init(number: EIO)),
    ("EACCES", .init(number: EACCES)),
    ("EROFS", .init(number: EROFS)), ("ENOENT", .init(number: ENOENT)),
    ("EIO for ever", .init(number: EIO, lasts: true)),
    ("a short write", .init(number: ENOSPC, isShort: true)),
  ]

  private func open(
    _ durability: DiskCache.Durability, _ files: any FileSystem = POSIXFileSystem(),
    in folder: CacheFolder
  ) throws(ImageError) -> DiskStore {
    let configuration = folder.configuration {
      $0.setRoom(files: 5)
      $0.durability = durability
    }
    return try DiskStore(configuration, files: files)
  }

  /// One of each operation; returns the numbers whose store was acknowledged, in order.
  func work(on cache: DiskStore) -> [Int] {
    var acknowledged: [Int] = []
    for number in 1...7 {
      do {
        if number % 2 == 0 {
          try cache.store(bytes(number), record(number))
        } else {
          let staged = try cache.stage()
          try staged.append(Array(bytes(number)[..<400]))
          try staged.append(Array(bytes(number)[400...]))
          try cache.commit(staged, record(number))
        }
        acknowledged.append(number)
      } catch {
        #expect([.diskFull, .cacheUnusable, .storeFailed].contains(error.code), "\(error)")
      }
      if let entry = cache.read(key(number)) { #expect(entry.bytes == bytes(number)) }
    }
    if let partial = try? cache.partialBodies.store.openPartial(for: "u") {
      try? partial.restart(validator: "\"1\"", expectedByteCount: 3)
      try? partial.append(([1, 2] as [UInt8]).span.bytes)
      _ = try? partial.contents()
    }
    _ = try? cache.remove([key(2)])
    _ = try? cache.verify(repair: true)
    _ = try? cache.collectGarbage()
    cache.close()
    return acknowledged.filter { $0 != 2 }
  }

  @Test(.isLong, arguments: DiskCache.Durability.allCases, 0..<errors.count)
  func `whatever fails, loads succeed and no damaged entry is stored`(
    durability: DiskCache.Durability, error: Int
  ) throws {
    var call = 1
    var sites: Set<String> = []
    let writes: Set = ["write", "create", "rename"]
    var checkedCount = 0
    while true {
      let folder = CacheFolder()
      var plan = Self.errors[error].plan
      plan.call = call
      let files = FaultyFileSystem(plan)

      var acknowledged: [Int] = []
      if let cache = try? open(durability, files, in: folder) {
        acknowledged = work(on: cache)
      }

      if files.faults.isEmpty { break }
      sites.formUnion(files.faults)
      call += CampaignSize.isFull ? 1 : 3
      let cache = try open(durability, in: folder)
      for number in 1...7 {
        if let entry = cache.read(key(number)) { #expect(entry.bytes == bytes(number)) }
      }
      #expect(cache.statistics().countedByteCount <= 5 * 4096)
      // The last acknowledged entry is present, unless the fault hit a read or the upkeep, which
      // may remove it.
      if let last = acknowledged.last, writes.isSuperset(of: files.faults) {
        checkedCount += 1
        #expect(cache.record(for: key(last)) != nil, "\(files.faults) at call \(plan.call)")
      }
      #expect(try cache.verify(repair: false).damages.map(\.reason) == [])
      try cache.store(bytes(9), record(9))
      #expect(cache.read(key(9))?.bytes == bytes(9))
    }
    #expect(call > 30)
    #expect(sites.count >= 8)
    // Where every later call fails as well, reads and upkeep fail, too.
    #expect(checkedCount > 0 || Self.errors[error].plan.lasts)
  }

  @Test func `a full disk fails the store and not the load, and is counted`() throws {
    let files = FaultyFileSystem()
    let cache = try open(.relaxed, files, in: folder)
    try cache.store(bytes(1), record(1))
    files.set(.init(call: 1, number: ENOSPC, lasts: true))

    let error = #expect(throws: ImageError.self) {
      try cache.store(bytes(2), record(2))
    }

    #expect(error?.code == .diskFull)
    files.set(.init())
    #expect(cache.read(key(1))?.bytes == bytes(1))
    #expect(cache.read(key(2)) == nil)
    #expect(cache.statistics().total[.storeFailures] == 1)
  }

  @Test func `in strict mode a store returns once file, folders and record are synced`() throws {
    let files = FaultyFileSystem()
    let cache = try open(.strict, files, in: folder)
    func calls(storing number: Int) throws -> [String] {
      let before = files.names.count
      try cache.store(bytes(number), record(number))
      return files.names[before...].filter {
        ["write", "synchronize", "rename", "synchronizeData", "remove"].contains($0)
      }
    }

    let first = try calls(storing: 1)
    try cache.remove([key(1)])
    let second = try calls(storing: 1)

    // The file; the name's first attempt; its folder, made and synced to its parent; the name;
    // the record; then folder and record are synced, at once.
    let calls = ["write", "synchronize", "rename", "synchronize", "rename", "write"]
    #expect(first.prefix(6) == calls[...])
    #expect(first.dropFirst(6).sorted() == ["synchronize", "synchronizeData"])
    // The folder was removed with its last file.
    #expect(second.prefix(6) == calls[...])

    // A key's former file is removed when its replacement is synced.
    let before = files.names.count
    try cache.store(bytes(3), record(1))
    let all = Array(files.names[before...])
    let order = ["synchronize", "synchronizeData", "remove"].map { all.lastIndex(of: $0) ?? -1 }
    #expect(order == order.sorted() && order[0] >= 0)
    // In relaxed mode nothing waits for a sync.
    let relaxed = FaultyFileSystem()
    try open(.relaxed, relaxed, in: CacheFolder()).store(bytes(1), record(1))
    #expect(!relaxed.names.contains("synchronize") && relaxed.names.contains("rename"))
  }

  @Test func `damage that cannot be removed is reported once, and again after a repair`() throws {
    let files = FaultyFileSystem()
    let cache = try open(.relaxed, files, in: folder)
    func damage() throws {
      try cache.store(bytes(1), record(1))
      let path = try #require(cache.path(for: key(1)))
      try overwrite(path, bytes(2))
    }
    try damage()
    files.set(.init(call: 1, number: EROFS, lasts: true, only: "write"))

    for _ in 0..<3 { #expect(cache.read(key(1)) == nil) }

    #expect(log.count == 1)
    files.set(.init())
    try damage()
    #expect(cache.read(key(1)) == nil)
    #expect(log.count == 2)
    #expect(cache.statistics().total[.damaged] == 4)
  }
}
