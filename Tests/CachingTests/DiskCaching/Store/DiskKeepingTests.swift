import Foundation
import ImageModel
import Testing

@testable import DiskCaching
@testable import TestSupport

@Suite struct `An archive in the disk cache`: OnDisk {
  let folder = CacheFolder()

  private func store(
    _ names: some Sequence<String>, byteCount: Int = 3_000, day: String? = nil, in cache: DiskStore
  ) throws {
    for name in names {
      let record = record(name, groups: day.map { [$0] } ?? [])
      clock.advance(by: 1)
      var bytes = Array(name.utf8)
      bytes += [UInt8](repeating: 7, count: byteCount - bytes.count)
      try cache.store(bytes, record)
    }
  }

  private func names(_ prefix: String, _ count: Int) -> [String] {
    (0..<count).map { "\(prefix)\($0)" }
  }

  private func held(_ names: [String], in cache: DiskStore) -> Int {
    names.count { cache.read(key($0)) != nil }
  }

  @Test func `is not evicted, and takes no room from other entries`() throws {
    let cache = try open { $0.setRoom(files: 4) }
    let other = try open { $0.setRoom(files: 4) }
    let (old, new) = (names("old", 10), names("new", 9))
    try cache.setKept(true, group: "day:1")
    try store(old, day: "day:1", in: cache)
    try store(new, in: other)

    #expect(held(old, in: cache) == 10)
    #expect(held(new, in: cache) == 4)
    let statistics = cache.statistics()
    #expect(statistics.retainedCount == 10)
    #expect(statistics.retainedByteCount == 10 * 4_096)
    #expect(statistics.countedByteCount <= statistics.maximumByteCount)
    #expect(cache.evicted == (0, 0))
    #expect(other.evicted.count == 5 && other.evicted.byteCount == 5 * 3_000)
    #expect(old.allSatisfy { cache.record(for: key($0))?.isKept == true })
  }

  @Test func `is kept when its day is, also what was stored before, and by later processes`() throws
  {
    let old = names("old", 4)
    do {
      let cache = try open { $0.setRoom(files: 4) }
      try store(old, day: "day:1", in: cache)
      try cache.setKept(true, group: "day:1")
    }
    try FileManager.default.removeItem(atPath: path("index.table"))
    let cache = try open { $0.setRoom(files: 4) }
    #expect(cache.statistics().retainedCount == 4)

    try store(names("new", 9), in: cache)
    try cache.addGroup("day:1", to: [key("new8")])
    try store(names("newer", 9), in: cache)

    #expect(held(old + ["new8"], in: cache) == 5)
    #expect(cache.statistics().retainedCount == 5)
    #expect(cache.index.fault() == nil)
  }

  @Test func `that is kept no longer is evicted like other entries`() throws {
    let cache = try open { $0.setRoom(files: 4) }
    try cache.setKept(true, group: "day:1")
    try cache.setKept(true, group: "day:2")
    try store(names("a", 6), day: "day:1", in: cache)
    try store(["a0"], day: "day:2", in: cache)

    try cache.setKept(false, group: "day:1")
    let report = try cache.collectGarbage()

    #expect(report.evictedCount == 1)
    #expect(report.evictedByteCount == 3_000)
    #expect(held(["a0"], in: cache) == 1)
    #expect(cache.statistics().retainedCount == 1)
  }

  @Test func `is removed by name, and by age unless it is pinned`() throws {
    let cache = try open { $0.maximumAge = .seconds(3_600) }
    for day in ["day:1", "day:2", "day:3"] {
      try cache.setKept(true, group: day)
      try store([day], day: day, in: cache)
    }
    try cache.setPinned(true, group: "day:3")

    #expect(try cache.removeGroup("day:1") == 1)
    clock.advance(by: 7_200)
    _ = try cache.collectGarbage()

    #expect(held(["day:1", "day:2"], in: cache) == 0)
    #expect(held(["day:3"], in: cache) == 1)
    #expect(cache.statistics().retainedCount == 1)
    #expect(cache.index.totals.retainedByteCount == 4_096)
  }

  @Test func `documents outlast the maximum age while anything is pinned`() throws {
    let cache = try open { $0.maximumAge = .seconds(3_600) }
    let list = CacheKey.document(url: "https://example.org/list")
    try cache.store(bytes(1, count: 10), CacheRecord(key: list, at: clock.now))
    try store(["a"], day: "day:1", in: cache)
    try cache.setPinned(true, group: "day:1")
    clock.advance(by: 7_200)

    #expect(try cache.collectGarbage().expiredCount == 0)
    #expect(cache.read(list) != nil)

    try cache.setPinned(false, group: "day:1")

    #expect(cache.read(list) == nil)
    #expect(try cache.collectGarbage().expiredCount == 2)
  }

  // MARK: The limit

  @Test func `has the limit that it was made with, whatever is free later`() throws {
    let files = FaultyFileSystem()
    files.set(freeByteCount: 70 << 20, of: 80 << 20)
    #expect(try open(files).statistics().maximumByteCount == 20 << 20)

    files.set(freeByteCount: 8 << 20, of: 80 << 20)
    let cache = try open(files)
    try store(["a"], byteCount: 4 << 20, in: cache)

    #expect(cache.statistics().maximumByteCount == 20 << 20)
    #expect(held(["a"], in: cache) == 1)
    let other = try open(files) { $0.maximumByteCount = 2 << 20 }
    #expect(other.statistics().maximumByteCount == 2 << 20)
    #expect(try open(files).statistics().maximumByteCount == 20 << 20)
  }

  @Test func `keeps a limit that was set when it was made, and has 10 GiB at most by default`()
    throws
  {
    let files = FaultyFileSystem()
    files.set(freeByteCount: 1 << 50, of: 1 << 50)
    let other = folder.directory.path("set")
    #expect(try open(files).statistics().maximumByteCount == 10 << 30)
    _ = try open(files) { ($0.directory, $0.maximumByteCount) = (other, 50 << 30) }
    #expect(try open(files) { $0.directory = other }.statistics().maximumByteCount == 50 << 30)
  }

  // MARK: Free space

  @Test(
    arguments: [
      (configured: nil, of: 1 << 40, least: 1 << 30), (nil, 1 << 30, (1 << 30) / 20),
      (5_000, 1 << 40, 5_000), (0, 1 << 40, 0),
    ] as [(configured: Int?, of: Int, least: Int)])
  func `leaves so much free`(_ example: (configured: Int?, of: Int, least: Int)) throws {
    let files = FaultyFileSystem()
    files.set(freeByteCount: example.least, of: example.of)
    let cache = try open(files) { $0.minimumFreeByteCount = example.configured }

    try store(["a"], in: cache)

    #expect(held(["a"], in: cache) == 1)
    guard example.least > 0 else { return }
    files.set(freeByteCount: example.least - 1, of: example.of)
    let error = #expect(throws: ImageError.self) { try store(["b"], in: cache) }
    #expect(error?.code == .diskFull)
    #expect(error?.message.contains("DiskCache.Configuration.minimumFreeByteCount") == true)
  }
}
