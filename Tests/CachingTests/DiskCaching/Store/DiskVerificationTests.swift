import Foundation
import ImageModel
import Testing

@testable import DiskCaching
@testable import TestSupport

@Suite struct `Verifying a cache`: OnDisk {
  let folder = CacheFolder()
  private let faulty = FaultyFileSystem()
  private let cache: DiskCache

  init() throws {
    cache = try DiskCache(folder.configuration(), files: faulty)
  }

  /// Stores ten bytes; returns the path of their file.
  @discardableResult
  private func store(_ name: String, _ seed: Int) async throws -> String {
    try await cache.store(bytes(seed, count: 10), record(name))
    return try #require(await cache.path(for: key(name)))
  }

  private func replaceByDirectory(_ path: String) throws {
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  private func reasons(_ report: VerificationReport) -> [String] { report.damages.map(\.reason) }

  @Test func `names the fault of each file`() async throws {
    try await store("whole", 0)
    try overwrite(try await store("flipped", 1), bytes(9, count: 10))
    try overwrite(try await store("short", 2), [2, 2, 2])
    try FileManager.default.removeItem(atPath: try await store("missing", 3))
    let link = try await store("link", 4)
    try FileManager.default.removeItem(atPath: link)
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: path("elsewhere"))

    let report = try await cache.verify()

    #expect(report.entryCount == 5)
    #expect(report.byteCount == 10)
    #expect(
      reasons(report) == [
        "its bytes are not those that were stored", "its file has 3 bytes instead of 10",
        "its file is missing", "its file cannot be read: the path contains a symbolic link",
      ])
    #expect(report.isDamaged && !report.isRepaired && report.indexFault == nil)
    #expect(try await cache.verify(repair: true).isRepaired)
    #expect(try await cache.verify().damages.map(\.reason) == [])
    #expect(await cache.statistics().entryCount == 1)
  }

  @Test func `names a file that the system cannot read, and keeps the entry`() async throws {
    try await store("a", 1)
    faulty.set(.init(call: 1, number: EIO, lasts: true, only: "open"))

    let report = try await cache.verify()

    #expect(reasons(report) == ["its file cannot be read: Input/output error"])
    faulty.set(.init())
    #expect(try await cache.verify().damages.map(\.reason) == [])
  }

  @Test func `reads a file that several entries have once, and names each of them`() async throws {
    try await store("a", 1)
    let path = try await store("b", 1)
    #expect(try await cache.verify().entryCount == 2)
    try FileManager.default.removeItem(atPath: path)

    let report = try await cache.verify(repair: true)

    #expect(report.damages.map(\.key) == [key("a"), key("b")])
    #expect(report.isRepaired)
    #expect(await cache.statistics().total[.damaged] == 2)
    #expect(await cache.list().isEmpty)
  }

  @Test func `counts documents and leaves remembered failures out`() async throws {
    let document = CacheKey.document(url: "https://a.org/d")
    try await cache.store([1, 2, 3], CacheRecord(key: document, at: clock.now))
    try cache.core.storeNegative(record("gone"))

    for isRepair in [false, true] {
      let report = try await cache.verify(repair: isRepair)
      #expect(report.entryCount == 1 && report.byteCount == 3)
      #expect(!report.isDamaged && !report.isRepaired)
    }
    #expect(log == [])
  }

  @Test func `finds a damaged record of the index, and a repair loses that entry alone`()
    async throws
  {
    try await store("a", 1)
    try await store("b", 2)
    await cache.close()
    let file = URL(fileURLWithPath: path("index.records.1"))
    var bytes = [UInt8](try Data(contentsOf: file))
    let url = try #require(bytes.firstRange(of: Array("https://a.org/b".utf8)))
    bytes[url.lowerBound] ^= 1
    try Data(bytes).write(to: file)
    let damaged = try openCache()

    let report = try await damaged.verify()
    let repaired = try await damaged.verify(repair: true)

    #expect(report.indexFault == "a record is damaged" && !report.isRepaired)
    #expect(repaired.indexFault == "a record is damaged" && repaired.isRepaired)
    #expect(!(try await damaged.verify().isDamaged))
    #expect(await damaged.list().map(\.key) == [key("a")])
  }

  @Test(arguments: [DiskCache.ReadVerification.always, .never])
  func `includes the file whose path is asked for, unless reads are not verified`(
    verification: DiskCache.ReadVerification
  ) async throws {
    let damaged = try await store("a", 1)
    try await store("b", 2)
    try overwrite(damaged, bytes(9, count: 10))
    let cache = try openCache { $0.readVerification = verification }

    let path = await cache.path(for: key("a"))

    #expect(path == (verification == .never ? damaged : nil))
    #expect(await cache.path(for: key("b")) != nil)
    #expect(await cache.statistics().total[.damaged] ?? 0 == (verification == .never ? 0 : 1))
    #expect(await cache.list().count == (verification == .never ? 2 : 1))
  }

  @Test(arguments: [false, true])
  func `finds a directory in place of a file, which a repair and a store replace`(
    isRepaired: Bool
  ) async throws {
    let path = try await store("a", 1)
    try replaceByDirectory(path)

    let report = try await cache.verify(repair: isRepaired)
    let isThere = FileManager.default.fileExists(atPath: path)
    if !isRepaired { #expect(await cache.read(key("a")) == nil) }
    try await store("a", 1)

    #expect(reasons(report) == ["its file cannot be read: not a regular file"])
    #expect(isThere == !isRepaired)
    #expect(await cache.read(key("a"))?.bytes == bytes(1, count: 10))
    #expect(await cache.statistics().byteCount == 10)
  }

  @Test(arguments: [false, true])
  func `drops an entry with a directory in place of its file, and deletes nothing in it`(
    hasNames: Bool
  ) async throws {
    let path = try await store("a", 1)
    try replaceByDirectory(path)
    try Data("mine".utf8).write(to: URL(fileURLWithPath: path + "/letter"))
    let cache = try openCache(hasNames ? faulty.withoutUnnamed() : faulty)

    let report = try await cache.verify(repair: true)
    let error = await #expect(throws: ImageError.self) {
      try await cache.store(bytes(1, count: 10), record("a"))
    }

    #expect(report.damages.map(\.key) == [key("a")])
    #expect(error?.message.contains("(\(path))") == true, "\(error?.message ?? "")")
    #expect(try String(contentsOfFile: path + "/letter", encoding: .utf8) == "mine")
    #expect(await cache.list().isEmpty)
    try await cache.store([2], record("b"))
    #expect(await cache.read(key("b"))?.bytes == [2])
  }

  @Test func `reports a read of damaged bytes as a line with the entry and the reason`()
    async throws
  {
    try overwrite(try await store("flipped", 1), bytes(9, count: 10))
    #expect(await cache.read(key("flipped")) == nil)
    try FileManager.default.removeItem(atPath: try await store("missing", 2))
    #expect(await cache.path(for: key("missing")) == nil)

    #expect(
      log == [
        "dropped https://a.org/flipped from the cache: its bytes are not those that were stored",
        "dropped https://a.org/missing from the cache: its file is missing or has another length",
      ])
    #expect(await cache.list().isEmpty)
    #expect(await cache.statistics().total[.damaged] == 2)
    #expect(await cache.statistics().byteCount == 0)
    try await store("flipped", 1)
    #expect(await cache.read(key("flipped"))?.bytes == bytes(1, count: 10))
  }

  @Test func `of an absent directory finds nothing and creates nothing`() async throws {
    let directory = folder.directory.path("absent")
    let absent = try openCache {
      $0.directory = directory
      $0.access = .existing
    }

    let report = try await absent.verify(repair: true)

    #expect(!report.isDamaged && !report.isRepaired)
    #expect(report.entryCount == 0 && report.byteCount == 0)
    #expect(try await absent.collectGarbage() == GarbageReport())
    #expect(await absent.explain(key("a")).verdict == .absent)
    await #expect(throws: ImageError.self) { try await absent.setStates(["a": "1"]) }
    #expect(await absent.state("a") == nil)
    #expect(!FileManager.default.fileExists(atPath: directory))
  }
}
