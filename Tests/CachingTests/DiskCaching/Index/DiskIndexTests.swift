import Foundation
import Testing

@testable import DiskCaching
@testable import ImageModel
@testable import TestSupport

/// The table and the log behind a disk cache: growth, damage, and visibility to other instances.
@Suite struct `Disk index` {
  let directory = TemporaryDirectory()
  let clock = ManualClock()

  func open(
    _ files: any FileSystem = POSIXFileSystem(),
    _ change: (inout DiskCache.Configuration) -> Void = { _ in }
  ) throws -> DiskStore {
    var configuration = DiskCache.Configuration(directory: directory.path("cache"))
    configuration.maximumByteCount = 1 << 30
    let clock = clock
    configuration.clock = { clock.now }
    change(&configuration)
    return try DiskStore(configuration, files: files)
  }

  func key(_ number: Int) -> CacheKey { .original(url: "https://example.com/\(number).jpg") }

  func bytes(_ number: Int) -> [UInt8] {
    withUnsafeBytes(of: UInt64(number)) { Array($0) } + [UInt8](repeating: 7, count: 100)
  }

  func fill(_ cache: DiskStore, _ numbers: Range<Int>) throws {
    for number in numbers {
      try cache.store(bytes(number), CacheRecord(key: key(number), at: clock.now))
    }
  }

  func overwrite(_ name: String, at offset: Int, _ bytes: [UInt8]) throws {
    let file = try FileHandle(
      forUpdating: URL(fileURLWithPath: directory.path("cache/" + name)))
    try file.seek(toOffset: UInt64(offset))
    try file.write(contentsOf: Data(bytes))
    try file.close()
  }

  @Test func `a growing table keeps every entry, for other instances, too`() throws {
    let (cache, other) = (try open(), try open())
    let capacity = try #require(cache.index.readable()).table.layout.capacity

    try fill(cache, 0..<capacity + 20)

    let table = try #require(cache.index.readable()).table
    #expect(table.layout.capacity == 2 * capacity)
    for number in 0..<capacity + 20 {
      #expect(other.read(key(number))?.bytes == bytes(number), "\(number)")
    }
    try fill(other, capacity + 20..<capacity + 30)
    #expect(cache.read(key(capacity + 29))?.bytes == bytes(capacity + 29))
    #expect(cache.statistics().entryCount == capacity + 30)
  }

  @Test func `removals in any order leave the other entries`() throws {
    let cache = try open()
    try fill(cache, 0..<300)
    var random = SplitMix64(seed: 3)
    var rest = Set(0..<300)

    for number in (0..<300).shuffled(using: &random).prefix(250) {
      #expect(try cache.remove([key(number)]) == 1)
      rest.remove(number)
    }

    for number in 0..<300 {
      #expect(cache.read(key(number))?.bytes == (rest.contains(number) ? bytes(number) : nil))
    }
    #expect(cache.index.fault() == nil)
  }

  @Test func `a log that is mostly obsolete is compacted`() throws {
    let cache = try open()
    let other = try open()
    let long = String(repeating: "x", count: 20_000)
    for round in 0..<200 {
      var record = CacheRecord(key: key(round % 3), at: clock.now)
      record.headers = HeaderText(text: "x-long: \(long)\(round)\n")
      try cache.store(bytes(round), record)
    }

    #expect(cache.index.byteCount < 3 << 20)
    for number in 0..<3 {
      let round = (0..<200).last { $0 % 3 == number } ?? 0
      #expect(other.read(key(number))?.bytes == bytes(round))
      #expect(other.record(for: key(number))?.headers.text.hasSuffix("\(round)\n") == true)
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path("cache"))
    #expect(names.count { $0.hasPrefix(RecordLog.namePrefix) } == 1)
  }

  @Test func `a table full of shared contents that damage made up ends no search`() throws {
    let layout = EntryTable.Layout(capacity: 2 * EntryTable.leastCapacity)
    do {
      let cache = try open()
      // Removals make the table that gc writes smaller.
      try fill(cache, 0..<EntryTable.leastCapacity + 20)
      for number in 20..<EntryTable.leastCapacity + 20 { _ = try cache.remove([key(number)]) }
      #expect(try #require(cache.index.readable()).table.layout == layout)
    }
    try overwrite(
      "index.table", at: 8 * layout.shared, [UInt8](repeating: 7, count: 16 * layout.sharedCapacity)
    )
    let cache = try open()

    _ = try cache.collectGarbage()

    for number in 0..<20 { #expect(cache.read(key(number))?.bytes == bytes(number), "\(number)") }
    #expect(cache.index.fault() == nil)
  }

  @Test func `damage in any word of the table is at most a miss, and is repaired`() throws {
    do {
      let cache = try open()
      try fill(cache, 0..<20)
      try cache.addGroup("day:1", to: [key(3)])
      _ = try cache.setPinned(true, group: "day:1")
    }
    let whole = try Data(contentsOf: URL(fileURLWithPath: directory.path("cache/index.table")))
    var random = SplitMix64(seed: 11)
    let header = Array(0..<EntryTable.Word.policy)
    let entries = (0..<20 * EntryTable.stride).map { EntryTable.Word.entries + $0 }
    let layout = EntryTable.Layout(capacity: EntryTable.leastCapacity)
    let buckets = (0..<60).map { _ in
      Int.random(in: layout.buckets..<layout.wordCount, using: &random)
    }

    for word in header + entries + buckets {
      // A scan skips what repairs have done to the log, which remains the same file.
      try whole.write(to: URL(fileURLWithPath: directory.path("cache/index.table")))
      try overwrite(
        "index.table", at: 8 * word, (0..<8).map { _ in UInt8.random(in: 0...255, using: &random) })

      let cache = try open()
      for number in 0..<20 {
        let found = cache.read(key(number))?.bytes
        #expect(found == nil || found == bytes(number), "word \(word), entry \(number)")
      }
      try cache.store(bytes(99), CacheRecord(key: key(99), at: clock.now))
      #expect(cache.read(key(99))?.bytes == bytes(99), "word \(word)")
      _ = try cache.verify(repair: true)
      for number in 0..<20 {
        #expect(cache.read(key(number))?.bytes == bytes(number), "word \(word), entry \(number)")
      }
      #expect(cache.record(for: key(3))?.isPinned == true, "word \(word)")
      #expect(cache.statistics().entryCount == 21, "word \(word)")
      #expect(try cache.verify(repair: false).indexFault == nil, "word \(word)")
      try cache.remove([key(99)])
      cache.close()
    }
  }

  @Test func `a directory removed and recreated is used in its new place`() throws {
    let cache = try open()
    try fill(cache, 0..<3)
    try FileManager.default.removeItem(atPath: directory.path("cache"))
    let other = try open()
    try fill(other, 5..<8)

    #expect(cache.read(key(6))?.bytes == bytes(6))
    #expect(cache.read(key(0)) == nil)
    try fill(cache, 9..<10)
    #expect(other.read(key(9))?.bytes == bytes(9))
  }

  @Test func `a body of another entry is stored once, also where something must be evicted`() throws
  {
    let cache = try open { $0.setRoom(files: 3) }
    try fill(cache, 0..<3)

    // Equal bytes need no room.
    try cache.store(bytes(1), CacheRecord(key: key(8), at: clock.now))
    #expect(cache.statistics().entryCount == 4)
    try fill(cache, 9..<10)

    #expect(cache.read(key(9))?.bytes == bytes(9))
    #expect(cache.statistics().byteCount <= 3 * bytes(0).count)
    #expect(try cache.verify(repair: false).damages.isEmpty)
    for number in 0..<10 { try cache.remove([key(number)]) }
    #expect(directory.files(under: "cache/blobs") == [])
    #expect(try cache.collectGarbage() == GarbageReport())
  }

  @Test func `a failure after a file was named leaves no file behind`() throws {
    let files = FaultyFileSystem()
    let cache = try open(files) { $0.durability = .strict }
    try fill(cache, 0..<1)
    files.set(.init())
    try fill(cache, 1..<2)
    let calls = files.callCount
    for call in 1...calls {
      files.set(.init(call: call, number: EIO))
      _ = try? cache.store(bytes(100 + call), CacheRecord(key: key(100 + call), at: clock.now))
      files.set(.init())
      if cache.record(for: key(100 + call)) != nil { try cache.remove([key(100 + call)]) }
    }
    #expect(directory.files(under: "cache/blobs").count == 2)
  }

  @Test func `bytes already on disk are compared, and replaced when wrong`() throws {
    let cache = try open()
    try fill(cache, 0..<1)
    let path = try #require(cache.path(for: key(0)))
    try FileManager.default.removeItem(atPath: path)
    try Data().write(to: URL(fileURLWithPath: path))

    try cache.store(bytes(0), CacheRecord(key: key(1), at: clock.now))

    #expect(cache.read(key(1))?.bytes == bytes(0))
    #expect(cache.read(key(0))?.bytes == bytes(0))
    #expect(cache.statistics().byteCount == bytes(0).count)
    try cache.remove([key(0)])
    #expect(cache.read(key(1))?.bytes == bytes(0))
    try cache.remove([key(1)])
    #expect(directory.files(under: "cache/blobs") == [])
  }

  @Test func `a file system without O_TMPFILE is supported`() throws {
    let files = FaultyFileSystem().withoutUnnamed()
    let cache = try open(files)
    try fill(cache, 0..<5)
    try cache.store(bytes(0), CacheRecord(key: key(9), at: clock.now))

    for number in 0..<5 { #expect(cache.read(key(number))?.bytes == bytes(number)) }
    #expect(cache.read(key(9))?.bytes == bytes(0))
    try cache.remove([key(0)])
    #expect(cache.read(key(9))?.bytes == bytes(0))
    #expect(directory.files(under: "cache/tmp") == [])
  }

  @Test func `after a reboot stored entries are found in the log`() throws {
    do {
      let cache = try open()
      try fill(cache, 0..<30)
      try cache.remove([key(4)])
      try cache.addGroup("day:1", to: [key(3)])
      _ = try cache.setPinned(true, group: "day:1")
      try cache.updateStates([]) { _ in ["feed": "zhihu"] }
      try cache.store(bytes(1), CacheRecord(key: key(40), at: clock.now))
      clock.advance(by: 100)
      #expect(cache.read(key(5)) != nil)
    }
    try overwrite("index.table", at: 8 * EntryTable.Word.boot, [1, 2, 3, 4, 5, 6, 7, 8])
    let lines = Locked<[String]>([])

    let cache = try open { $0.log = { line in lines.withLock { $0.append(line) } } }

    // This is not damage; counts and accesses are preserved.
    #expect(lines.withLock { $0 } == [])
    #expect(cache.statistics().total[.stores] == 31)
    #expect(cache.statistics().total[.diskHits] == 1)
    #expect(cache.record(for: key(5))?.lastAccess == clock.now)
    #expect(cache.record(for: key(5))?.accessCount == 2)

    for number in 0..<30 {
      #expect(cache.read(key(number))?.bytes == (number == 4 ? nil : bytes(number)))
    }
    #expect(cache.record(for: key(3))?.isPinned == true)
    #expect(cache.state("feed") == "zhihu")
    #expect(cache.groups() == ["day:1"])
    #expect(cache.statistics().entryCount == 30)
    #expect(cache.statistics().byteCount == 29 * bytes(0).count)
    // A file without an entry, as after a power loss, is not taken for another's.
    let orphan = bytes(77)
    let content = orphan.withUnsafeBytes { CacheContent(of: $0) }
    let staged = try cache.stage(orphan.span.bytes)
    _ = try staged.finish()
    _ = try staged.publish(as: content, in: .images)
    try cache.store(orphan, CacheRecord(key: key(77), at: clock.now))
    #expect(cache.statistics().byteCount == 30 * bytes(0).count)
    try cache.remove([key(77)])
    #expect(cache.path(for: key(77)) == nil)
    #expect(try cache.collectGarbage() == GarbageReport())
  }

  @Test func `a store that cannot succeed evicts nothing`() throws {
    let cache = try open { $0.setRoom(files: 4) }
    try fill(cache, 0..<4)
    for number in 0..<2 { cache.protect(key(number)) }

    let error = #expect(throws: ImageError.self) {
      try cache.store(
        [UInt8](repeating: 1, count: 3 * 4096), CacheRecord(key: key(9), at: clock.now))
    }

    #expect(error?.code == .cacheFull)
    for number in 0..<4 { #expect(cache.read(key(number))?.bytes == bytes(number)) }
  }

  @Test func `a limit lowered to a fraction is enforced by the next store`() throws {
    do { try fill(try open(), 0..<1000) }
    let cache = try open { $0.maximumByteCount = 500_000 }

    try fill(cache, 1000..<1001)

    #expect(cache.read(key(1000))?.bytes == bytes(1000))
    #expect(cache.statistics().countedByteCount <= 500_000)
    #expect(cache.statistics().entryCount > 10)
  }

  @Test func `a group or a value is found again among many`() throws {
    let cache = try open()
    for number in 0..<40 {
      try cache.updateStates([]) { _ in ["name \(number)": "value \(number)"] }
      var record = CacheRecord(key: key(number), at: clock.now)
      record.groups = ["day:\(number % 7)"]
      try cache.store(bytes(number), record)
    }
    try cache.updateStates([]) { _ in ["name 3": nil, "name 4": "other"] }

    #expect(cache.state("name 3") == nil)
    #expect(cache.states(withPrefix: "name ").count == 39)
    #expect(cache.state("name 4") == "other")
    #expect(cache.groups() == (0..<7).map { "day:\($0)" })
    #expect(try cache.removeGroup("day:2") == 6)
    #expect(cache.statistics().entryCount == 34)
    #expect(cache.groups(of: key(1)) == ["day:1"])
  }
}
