import Foundation
import ImageModel
import Testing

@testable import DiskCaching

@Suite struct `The migration of a former index` {
  private let directory = TemporaryDirectory()
  private let date = Date(timeIntervalSince1970: 1_592_300_000)
  private var path: String { directory.path("cache") }

  private func key(_ number: Int) -> CacheKey { .original(url: "https://a.org/\(number)") }

  private func bytes(_ number: Int) -> [UInt8] { Array("body \(number)".utf8) }

  /// Writes a database of so many entries, and runs a statement on it.
  private func write(
    _ count: Int = 4, version: Int = 4, states: [String: String] = [:], then statement: String = "",
    _ change: (inout CacheRecord) -> Void = { _ in }
  ) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let entries = (0..<count).map { number in
      var record = CacheRecord(key: key(number), at: date)
      record.groups = ["group \(number % 2)"]
      change(&record)
      return (record, bytes(number))
    }
    try FormerDatabase(path: path + "/index.sqlite", version: version)
      .write(entries, in: path, states: states)
    if !statement.isEmpty {
      try SQLiteDatabase(path: path + "/index.sqlite", access: .writing).execute(statement)
    }
  }

  private func open(
    _ change: (inout DiskCache.Configuration) -> Void = { _ in }
  ) throws -> DiskStore {
    var configuration = DiskCache.Configuration(directory: path)
    configuration.maximumByteCount = 64 << 20
    let date = date
    configuration.clock = { date }
    change(&configuration)
    return try DiskStore(configuration)
  }

  @Test(arguments: [
    "kind = 3", "kind = -1", "name = ''", "sha = x'00ff'", "byte_count = -1", "checksum = -1",
    "checksum = 4294967296",
  ])
  func `skips a malformed row, whose file is then collected`(change: String) throws {
    try write(then: "UPDATE entry SET \(change) WHERE name LIKE '%/2'")

    let store = try open()

    #expect(store.statistics().entryCount == 3)
    for number in [0, 1, 3] { #expect(store.read(key(number))?.bytes == bytes(number)) }
    #expect(store.record(for: key(2)) == nil)
    let report = try store.collectGarbage()
    #expect(report.orphanCount == 1 && report.orphanByteCount == bytes(2).count)
    #expect(try !store.verify(repair: false).isDamaged)
  }

  @Test(arguments: [
    ("status = -4", 0), ("status = 70000", 65_535), ("status = 203", 203),
  ])
  func `takes numbers that a record has no bits for as the nearest`(
    change: String, status: Int
  ) throws {
    try write(then: "UPDATE entry SET \(change), frames = -7, width = -1, height = 5")

    let record = try #require(try open().record(for: key(1)))

    #expect(record.status == status)
    #expect(record.frameCount == 0)
    #expect(record.size == nil)
  }

  @Test func `keeps properties, accesses and times`() throws {
    try write {
      $0.status = 203
      $0.format = .png
      $0.size = PixelSize(width: 30, height: 20)
      $0.frameCount = 4
      $0.requestTime = date - 3
      $0.responseTime = date - 2
      $0.isAlwaysStale = true
      $0.dominantColor = 0x01_02_03
      $0.thumbHash = [1, 2, 3]
      $0.lastAccess = date - 1
      $0.accessCount = 6
    }

    let record = try #require(try open().record(for: key(1)))

    #expect(record.status == 203 && record.format == .png && record.frameCount == 4)
    #expect(record.size == PixelSize(width: 30, height: 20))
    #expect(record.requestTime == date - 3 && record.responseTime == date - 2)
    #expect(record.isAlwaysStale && record.dominantColor == 0x01_02_03)
    #expect(record.thumbHash == [1, 2, 3])
    #expect(record.lastAccess == date - 1 && record.accessCount == 6)
    #expect(record.groups == ["group 1"])
  }

  @Test(arguments: [(0, 0), (1, 256), (15, 3_840), (16, 3_840), (4_000_000_000, 3_840)])
  func `counts at most fifteen accesses for eviction`(accesses: Int, count: UInt16) throws {
    try write { $0.accessCount = accesses }

    let store = try open()

    let matches = try #require(store.index.matches(under: key(1).indexHash)?.matches)
    #expect(matches.first?.entry.note.count == count)
    #expect(matches.first?.entry.access.count == min(accesses, TableEntry.Access.maximumCount))
  }

  @Test func `keeps the maximum age of a group, and what it expires`() throws {
    try write(then: "UPDATE crowd SET maximum_age = 60000000 WHERE name = 'group 1'")

    let store = try open { [date] in $0.clock = { date + 61 } }

    #expect(store.groups() == ["group 0", "group 1"])
    #expect(try store.collectGarbage().expiredCount == 2)
    #expect(store.record(for: key(0)) != nil && store.record(for: key(1)) == nil)
  }

  @Test func `takes a negative maximum age as none`() throws {
    try write(then: "UPDATE crowd SET maximum_age = -5")

    #expect(try open().collectGarbage().expiredCount == 0)
  }

  @Test func `leaves out membership in a group that is not there`() throws {
    try write(then: "DELETE FROM crowd WHERE name = 'group 1'")

    let store = try open()

    #expect(store.groups() == ["group 0"])
    #expect(store.groups(of: key(1)) == [] && store.groups(of: key(2)) == ["group 0"])
  }

  @Test func `keeps states, except those of policies`() throws {
    try write(states: ["feed": "zhihu", "policy": "lru", "policy.gdsf": "1"])

    #expect(try open().states(withPrefix: "") == ["feed": "zhihu"])
  }

  @Test func `keeps counters that it knows, and none below zero`() throws {
    try write(
      then: """
        INSERT INTO counter VALUES('evictions', -4, 1);
        INSERT INTO counter VALUES('parsecs', 9, 1);
        INSERT INTO counter VALUES('disk_hits', 7, 1)
        """)

    let total = try open().statistics().total

    #expect(total[.stores] == 41 && total[.diskHits] == 7)
    #expect(total[.evictions] ?? 0 == 0)
  }

  @Test func `of an index without tables is empty`() throws {
    try write(then: "DROP TABLE entry; DROP TABLE crowd; DROP TABLE state; DROP TABLE counter")

    let store = try open()

    #expect(store.statistics().entryCount == 0 && store.groups() == [])
    #expect(try store.collectGarbage().orphanCount == 4)
  }

  @Test func `of a file that is not a database is empty`() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try Data("not a database, but long enough to be one".utf8)
      .write(to: URL(fileURLWithPath: path + "/index.sqlite"))

    let store = try open()
    try store.store([1], CacheRecord(key: key(1), at: date))

    #expect(store.read(key(1))?.bytes == [1])
    #expect(try IndexMarker.isCurrent(in: path, POSIXFileSystem()))
  }

  @Test func `skips damaged pages, and goes on behind them`() throws {
    try write(300)
    let database = URL(fileURLWithPath: path + "/index.sqlite")
    // All pages are in the file itself then.
    try SQLiteDatabase(path: database.path, access: .writing)
      .execute("PRAGMA wal_checkpoint(TRUNCATE)")
    var file = [UInt8](try Data(contentsOf: database))
    let pages = 20..<24
    for index in pages.lowerBound * 2_048..<pages.upperBound * 2_048 { file[index] = 0x5A }
    try Data(file).write(to: database)

    let store = try open()

    let found = (0..<300).filter { store.read(key($0))?.bytes == bytes($0) }
    #expect(found.count > 150 && found.count < 300)
    #expect(found.count == store.statistics().entryCount)
    #expect(try !store.verify(repair: false).isDamaged)
    #expect(try store.collectGarbage().orphanCount == 300 - found.count)
  }

  @Test func `that was interrupted is made again`() throws {
    try write()
    let database = URL(fileURLWithPath: path + "/index.sqlite")
    let former = try Data(contentsOf: database)
    let log = URL(fileURLWithPath: path + "/index.sqlite-wal")
    let rest = try? Data(contentsOf: log)
    do { #expect(try open().statistics().entryCount == 4) }
    // As if the process had died before the marker took the place of the database.
    try former.write(to: database)
    try rest?.write(to: log)

    let store = try open()

    #expect(store.statistics().entryCount == 4)
    #expect(store.statistics().byteCount == (0..<4).reduce(0) { $0 + bytes($1).count })
    for number in 0..<4 { #expect(store.read(key(number))?.bytes == bytes(number)) }
    #expect(try !store.verify(repair: false).isDamaged)
    #expect(try store.collectGarbage().orphanCount == 0)
  }
}
