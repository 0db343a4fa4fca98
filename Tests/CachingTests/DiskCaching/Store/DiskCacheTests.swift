import Foundation
import Testing

@testable import DiskCaching
@testable import HTTPCaching
@testable import ImageModel
@testable import TestSupport

@Suite struct `Disk cache` {
  let directory = TemporaryDirectory()
  let clock = ManualClock()

  func open(_ change: (inout DiskCache.Configuration) -> Void = { _ in }) throws -> DiskCache {
    var configuration = DiskCache.Configuration(directory: directory.path("cache"))
    configuration.maximumByteCount = 1 << 20
    let clock = clock
    configuration.clock = { clock.now }
    change(&configuration)
    return try DiskCache(configuration)
  }

  func key(_ name: String) -> CacheKey { .original(url: "https://example.com/\(name).jpg") }

  func record(_ name: String) -> CacheRecord { CacheRecord(key: key(name), at: clock.now) }

  func bytes(_ seed: Int, count: Int = 1000) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ seed &* 7 &+ seed >> 8) }
  }

  @Test func `a stored value is read back with its record`() async throws {
    let cache = try open()
    var record = record("a")
    record.format = .jpeg
    record.size = PixelSize(width: 640, height: 480)
    record.frameCount = 3
    record.headers = HeaderText([.eTag: "\"abc\"", .contentType: "image/jpeg"])
    record.dominantColor = 0x112233
    record.thumbHash = [1, 2, 3]
    record.groups = ["day:20200616", "role:story"]

    try await cache.store(bytes(1), record)

    let entry = try #require(await cache.read(key("a")))
    #expect(entry.bytes == bytes(1))
    #expect(entry.record.format == .jpeg)
    #expect(entry.record.size == PixelSize(width: 640, height: 480))
    #expect(entry.record.frameCount == 3)
    #expect(entry.record.entityTag == "\"abc\"")
    #expect(entry.record.headers.fields[.contentType] == "image/jpeg")
    #expect(entry.record.dominantColor == 0x112233)
    #expect(entry.record.thumbHash == [1, 2, 3])
    #expect(entry.record.fetchedAt == clock.now)
    #expect(await cache.list().first?.groups == ["day:20200616", "role:story"])
    #expect(await cache.read(key("b")) == nil)
  }

  @Test func `an original is a read-only file named by its hash`() async throws {
    let cache = try open()

    let stored = try await cache.store(bytes(1), record("a"))

    let path = try #require(await cache.path(for: key("a")))
    let hex = try #require(stored.content?.hash.hex)
    #expect(path == directory.path("cache/blobs/\(hex.prefix(2))/\(hex)"))
    #expect(FileManager.default.contents(atPath: path).map { [UInt8]($0) } == bytes(1))
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o444)
    #expect(directory.files(under: "cache/tmp") == [])
  }

  @Test func `equal bytes under two keys share one file and count once`() async throws {
    let cache = try open()

    try await cache.store(bytes(1), record("a"))
    try await cache.store(bytes(1), record("b"))

    #expect(directory.files(under: "cache/blobs").count == 1)
    #expect(await cache.statistics().entryCount == 2)
    #expect(await cache.statistics().byteCount == 1000)
    try await cache.remove([key("a")])
    #expect(await cache.read(key("b"))?.bytes == bytes(1))
    try await cache.remove([key("b")])
    #expect(await cache.statistics().byteCount == 0)
    #expect(directory.files(under: "cache/blobs") == [])
  }

  @Test func `staged bytes are published on commit and removed without one`() async throws {
    let cache = try open()
    do {
      let abandoned = try cache.core.stage()
      try abandoned.append(bytes(9))
    }
    let staged = try cache.core.stage()
    try staged.append(Array(bytes(1)[..<300]))
    try staged.append(Array(bytes(1)[300...]))
    #expect(try staged.contents() == bytes(1))
    #expect(await cache.read(key("a")) == nil)

    try cache.core.commit(staged, record("a"))

    #expect(await cache.read(key("a"))?.bytes == bytes(1))
    #expect(directory.files(under: "cache/tmp") == [])
  }

  @Test func `the limit holds after every write and the least recently used is evicted`()
    async throws
  {
    do {
      let cache = try open { $0.setRoom(files: 3) }
      for (index, name) in ["a", "b", "c"].enumerated() {
        try await cache.store(bytes(index), record(name))
        clock.advance(by: 1)
      }
      #expect(await cache.read(key("a")) != nil)
      clock.advance(by: 1)
    }
    let cache = try open { $0.setRoom(files: 3) }

    try await cache.store(bytes(4), record("d"))

    #expect(await cache.record(for: key("b")) == nil)
    #expect(await cache.record(for: key("a")) != nil)
    #expect(await cache.statistics().byteCount == 3000)
    #expect(await cache.statistics().countedByteCount == 3 * 4096)
    #expect(await cache.statistics().total[.evictions] == 1)
    await cache.close()
    #expect(directory.files(under: "cache/blobs").count == 3)
  }

  @Test func `an entry larger than the limit is refused with a message`() async throws {
    let cache = try open { $0.setRoom(files: 0) }

    let error = await #expect(throws: ImageError.self) {
      try await cache.store(bytes(1), record("a"))
    }

    #expect(error?.code == .cacheFull)
    #expect(error?.message.contains("DiskCache.Configuration.maximumByteCount") == true)
    #expect(directory.files(under: "cache/blobs") == [])
  }

  @Test func `an entry that the run protects is not evicted by it`() async throws {
    let cache = try open { $0.setRoom(files: 3) }
    try await cache.store(bytes(0), record("old"))
    for index in 1...3 { try await cache.store(bytes(index), record("\(index)"), protecting: true) }

    let error = await #expect(throws: ImageError.self) {
      try await cache.store(bytes(4), record("4"), protecting: true)
    }

    #expect(error?.code == .cacheFull)
    for index in 1...3 { #expect(await cache.read(key("\(index)"))?.bytes == bytes(index)) }
    #expect(await cache.record(for: key("old")) == nil)
    await cache.close()
    #expect(directory.files(under: "cache/blobs").count == 3)
  }

  @Test func `a pinned group stays, also entries that join it later`() async throws {
    let cache = try open { $0.setRoom(files: 3) }
    var first = record("a")
    first.groups = ["day:1"]
    try await cache.store(bytes(1), first)
    #expect(try await cache.setPinned(true, group: "day:1") == 1)
    try await cache.store(bytes(2), record("b"))
    try cache.core.addGroup("day:1", to: [key("b")])

    for index in 3...6 { try await cache.store(bytes(index), record("\(index)")) }

    #expect(await cache.read(key("a")) != nil)
    #expect(await cache.read(key("b")) != nil)
    #expect(await cache.record(for: key("b"))?.isPinned == true)
    try await cache.setPinned(false, group: "day:1")
    for index in 7...9 { try await cache.store(bytes(index), record("\(index)")) }
    #expect(await cache.record(for: key("a")) == nil)
  }

  @Test func `removing a day leaves entries of another day or a pin`() async throws {
    let cache = try open()
    for (index, groups) in [["day:1"], ["day:1", "role:top"], ["day:1", "day:2"], ["day:2"]]
      .enumerated()
    {
      var record = record("\(index)")
      record.groups = Set(groups)
      try await cache.store(bytes(index), record)
    }

    #expect(try await cache.removeGroup("day:1") == 2)

    #expect(await cache.record(for: key("0")) == nil)
    #expect(await cache.record(for: key("1")) == nil)
    #expect(await cache.groups(of: key("2")) == ["day:2"])
    #expect(await cache.read(key("3")) != nil)
    #expect(await cache.groups() == ["day:2", "role:top"])
  }

  @Test func `a 304 freshens the record and leaves bytes and groups unchanged`() async throws {
    let cache = try open()
    var record = record("a")
    record.headers = HeaderText([.eTag: "\"1\"", .cacheControl: "max-age=10"])
    record.groups = ["day:1"]
    try await cache.store(bytes(1), record)
    clock.advance(by: 20)
    var stale = try #require(await cache.record(for: key("a")))
    #expect(!stale.freshness().isFresh(at: clock.now))
    var response = StoredResponse(stale)
    response.fields[.cacheControl] = "max-age=100"
    (response.requestTime, response.responseTime) = (clock.now, clock.now)

    stale.adopt(response)
    try await cache.update(stale)

    let renewed = try #require(await cache.read(key("a")))
    #expect(renewed.record.freshness().isFresh(at: clock.now + 99))
    #expect(renewed.record.fetchedAt == clock.now - 20)
    #expect(renewed.bytes == bytes(1))
    #expect(await cache.groups(of: key("a")) == ["day:1"])
  }

  @Test func `an entry stored despite no-store is never fresh`() async throws {
    let cache = try open()
    var record = record("a")
    record.headers = HeaderText([.cacheControl: "no-store, max-age=100"])
    record.isAlwaysStale = true

    try await cache.store(bytes(1), record, protecting: true)

    let kept = try #require(await cache.read(key("a"))?.record)
    #expect(!HTTPStorability.mayStore(status: kept.status, headers: kept.headers.fields))
    #expect(
      StoredResponse(kept).reuse(
        for: HTTPCacheRequest(), at: clock.now, profile: .images(isShared: false)) == .afterAsking)
    #expect(await cache.explain(key("a")).verdict == .revalidate(mayServeOnError: true))
  }

  @Test func `a replaced value leaves no old file and keeps its groups`() async throws {
    let cache = try open()
    var record = record("a")
    record.groups = ["g"]
    try await cache.store(bytes(1), record)

    try await cache.store(bytes(2), self.record("a"))

    #expect(await cache.read(key("a"))?.bytes == bytes(2))
    #expect(await cache.list(matching: EntrySelection(group: "g")).count == 1)
    #expect(await cache.statistics().byteCount == 1000)
    #expect(await cache.statistics().entryCount == 1)
    await cache.close()
    #expect(directory.files(under: "cache/blobs").count == 1)
  }

  @Test func `a flipped byte is a miss, counted and repaired by the next store`() async throws {
    let lines = Locked<[String]>([])
    let cache = try open { $0.log = { line in lines.withLock { $0.append(line) } } }
    try await cache.store(bytes(1), record("a"))
    let path = try #require(await cache.path(for: key("a")))
    try FileManager.default.removeItem(atPath: path)
    var damaged = bytes(1)
    damaged[500] ^= 1
    _ = FileManager.default.createFile(atPath: path, contents: Data(damaged))

    #expect(await cache.read(key("a")) == nil)

    #expect(await cache.record(for: key("a")) == nil)
    #expect(await cache.statistics().total[.damaged] == 1)
    #expect(lines.withLock { $0.count } == 1)
    try await cache.store(bytes(1), record("a"))
    #expect(await cache.read(key("a"))?.bytes == bytes(1))
  }

  @Test func `a file removed from outside is a miss and the index is repaired`() async throws {
    let cache = try open()
    try await cache.store(bytes(1), record("a"))
    try await cache.store(bytes(2), record("b"))
    for key in ["a", "b"] {
      try FileManager.default.removeItem(atPath: #require(await cache.path(for: self.key(key))))
    }

    #expect(await cache.read(key("a")) == nil)
    #expect(await cache.path(for: key("b")) == nil)

    #expect(await cache.statistics().entryCount == 0)
    #expect(await cache.statistics().byteCount == 0)
  }

  @Test func `a negative entry is used until it expires`() async throws {
    let cache = try open()
    var record = record("a")
    record.status = 404
    record.failure = .httpStatus
    record.expires = clock.now + 60

    try cache.core.storeNegative(record)

    #expect(await cache.read(key("a"))?.record.status == 404)
    #expect(await cache.statistics().negativeCount == 1)
    clock.advance(by: 60)
    #expect(await cache.read(key("a")) == nil)
    try await cache.store(bytes(1), self.record("a"))
    #expect(await cache.read(key("a"))?.record.status == 200)
    #expect(await cache.statistics().negativeCount == 0)
  }

  @Test func `an expired negative entry is removed, and is not an eviction`() async throws {
    let cache = try open()
    for name in ["a", "b"] {
      var record = record(name)
      record.failure = .httpStatus
      record.responseTime = clock.now
      record.expires = clock.now + 60

      try cache.core.storeNegative(record)
      clock.advance(by: 61)
    }

    #expect(await cache.statistics().negativeCount == 1)
    #expect(await cache.statistics().total[.evictions] == nil)
  }

  @Test func `documents do not count towards the limit`() async throws {
    let cache = try open { $0.setRoom(files: 1) }
    try await cache.store(bytes(1), record("a"))
    for index in 1...3 {
      let key = CacheKey.document(url: "\(index)")
      try await cache.store(bytes(10 + index), CacheRecord(key: key, at: clock.now))
    }

    #expect(await cache.read(key("a")) != nil)
    #expect(await cache.statistics().documentCount == 3)
    #expect(await cache.statistics().documentByteCount == 3000)
    #expect(await cache.statistics().byteCount == 1000)
  }

  @Test func `an entry older than the maximum age is removed by a write`() async throws {
    let cache = try open { $0.maximumAge = .seconds(60) }
    try await cache.store(bytes(1), record("a"))
    clock.advance(by: 61)

    try await cache.store(bytes(2), record("b"))

    #expect(await cache.record(for: key("a")) == nil)
    #expect(await cache.record(for: key("b")) != nil)
  }

  @Test func `counts and accesses are persisted together`() async throws {
    do {
      let cache = try open()
      try await cache.store(bytes(1), record("a"))
      for _ in 0..<5 { _ = await cache.read(key("a")) }
      _ = await cache.read(key("b"))
      cache.count(.requests, by: 7)
    }
    let cache = try open()
    let statistics = await cache.statistics()
    #expect(statistics.total[.diskHits] == 5)
    #expect(statistics.total[.diskMisses] == 1)
    #expect(statistics.lastRun[.requests] == 7)
    #expect(await cache.record(for: key("a"))?.accessCount == 6)

    _ = await cache.read(key("a"))

    #expect(await cache.statistics().lastRun == [.diskHits: 1])
    #expect(await cache.statistics().total[.diskHits] == 6)
  }

  @Test func `concurrent changes of a small value are not lost`() async throws {
    let caches = [try open(), try open()]

    await withTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        let cache = caches[number % 2]
        group.addTask {
          await #expect(throws: Never.self) {
            try await cache.updateStates(["sum"]) { old in
              ["sum": String((old["sum"].flatMap { Int($0) } ?? 0) + 1)]
            }
          }
        }
      }
    }

    #expect(await caches[0].state("sum") == "40")
    try await caches[1].updateStates(["sum", "none"]) { old in
      #expect(old == ["sum": "40"])
      return ["sum": nil]
    }
    #expect(await caches[0].state("sum") == nil)
  }

  @Test func `small values are stored`() async throws {
    do {
      let cache = try open()
      try await cache.setStates(["refresh:zhihu": "2020"])
      try await cache.setStates(["refresh:other": "1"])
      try await cache.setStates(["base:1": "x"])
      try await cache.setStates(["refresh:other": nil])
    }
    let cache = try open()
    #expect(await cache.state("refresh:zhihu") == "2020")
    #expect(await cache.states(withPrefix: "refresh:") == ["refresh:zhihu": "2020"])
  }

  @Test func `an empty key stores nothing and finds nothing`() async throws {
    let cache = try open()

    try await cache.store(bytes(1), CacheRecord(key: .original(url: ""), at: clock.now))

    #expect(await cache.read(.original(url: "")) == nil)
    #expect(await cache.statistics().entryCount == 0)
  }

  @Test func `a cache of another format is refused`() throws {
    _ = try open()
    try Data("99\n".utf8).write(to: URL(fileURLWithPath: directory.path("cache/version")))

    let error = #expect(throws: ImageError.self) { try open() }

    #expect(error?.code == .cacheUnusable)
    #expect(error?.message.contains("format 99") == true)
  }

  @Test func `a directory that cannot be created is refused`() throws {
    _ = FileManager.default.createFile(atPath: directory.path("cache"), contents: Data())

    let error = #expect(throws: ImageError.self) { try open() }

    #expect(error?.code == .cacheUnusable)
  }

  @Test func `a directory removed from outside is recreated by the next write`() async throws {
    let cache = try open()
    try await cache.store(bytes(1), record("a"))
    try FileManager.default.removeItem(atPath: directory.path("cache"))
    #expect(await cache.read(key("a")) == nil)

    try await cache.store(bytes(2), record("b"))

    #expect(await cache.read(key("b"))?.bytes == bytes(2))
    #expect(try await open().read(key("b"))?.bytes == bytes(2))
  }

  @Test(arguments: ["index.table", "index.records.1", "version"], [50_000, 100, 0])
  func `a garbage index is rebuilt, with a warning where something was lost`(
    name: String, count: Int
  ) async throws {
    do {
      let cache = try open()
      try await cache.store(bytes(1), record("a"))
    }
    let path = directory.path("cache/" + name)
    try FileManager.default.removeItem(atPath: path)
    _ = FileManager.default.createFile(
      atPath: path, contents: Data(bytes(7, count: count)))
    let lines = Locked<[String]>([])

    let cache = try open { $0.log = { line in lines.withLock { $0.append(line) } } }

    // Without its log the index is lost.
    let kept = name == "index.records.1" ? nil : bytes(1)
    #expect(await cache.read(key("a"))?.bytes == kept)
    try await cache.store(bytes(1), record("a"))
    #expect(lines.withLock { $0.count } == (name == "version" ? 0 : 1))
    #expect(await cache.read(key("a"))?.bytes == bytes(1))
    #expect(try await open().read(key("a"))?.bytes == bytes(1))
    #expect(await cache.statistics().entryCount == 1)
  }

  @Test(arguments: ["index.table", "index.records.1", "version", "index.lock"])
  func `an index file removed while the cache is open is rebuilt`(
    name: String
  ) async throws {
    let cache = try open()
    try await cache.store(bytes(1), record("a"))
    let other = try open()
    try FileManager.default.removeItem(atPath: directory.path("cache/" + name))

    try await cache.store(bytes(2), record("b"))
    try await other.store(bytes(3), record("c"))

    let third = try open()
    for cache in [cache, other, third] {
      #expect(await cache.read(key("b"))?.bytes == bytes(2))
      #expect(await cache.read(key("c"))?.bytes == bytes(3))
    }
  }

  @Test func `many threads store and read at once`() async throws {
    let cache = try open { $0.setRoom(files: 20) }
    let clock = clock

    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask {
          for round in 0..<50 {
            let number = (worker * 7 + round * 3) % 40
            let key = CacheKey.original(url: "https://example.com/\(number)")
            let bytes = [UInt8](repeating: UInt8(number), count: 1000)
            if let entry = await cache.read(key) {
              #expect(entry.bytes == bytes)
            } else {
              _ = try? await cache.store(bytes, CacheRecord(key: key, at: clock.now))
            }
          }
        }
      }
    }

    #expect(await cache.statistics().countedByteCount <= 20 * 4096)
  }
}
