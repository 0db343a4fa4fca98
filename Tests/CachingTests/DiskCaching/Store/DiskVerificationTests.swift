import Foundation
import ImageModel
import Testing

@testable import DiskCaching
@testable import TestSupport

@Suite struct `Verifying a cache` {
  private let folder: Scratch
  private let lines = Locked<[String]>([])
  private let files = FaultyFileSystem()
  private let cache: DiskCache

  init() throws {
    folder = try Scratch()
    var configuration = DiskCache.Configuration(directory: folder / "cache")
    configuration.log = { [lines] line in lines.withLock { $0.append(line) } }
    cache = try DiskCache(configuration, files: files)
  }

  private var log: [String] { lines.withLock { $0 } }

  private func key(_ name: String) -> CacheKey { .original(url: "https://a.org/\(name)") }

  /// Stores ten bytes; returns the path of their file.
  @discardableResult
  private func store(_ name: String, _ seed: UInt8) async throws -> String {
    try await cache.store(
      [UInt8](repeating: seed, count: 10), CacheRecord(key: key(name), at: Date()))
    return try #require(await cache.path(for: key(name)))
  }

  private func overwrite(_ path: String, _ bytes: [UInt8]) throws {
    try FileManager.default.removeItem(atPath: path)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  private func reasons(_ report: VerificationReport) -> [String] { report.damages.map(\.reason) }

  @Test func `names the fault of each file`() async throws {
    try await store("whole", 0)
    try overwrite(try await store("flipped", 1), [UInt8](repeating: 9, count: 10))
    try overwrite(try await store("short", 2), [2, 2, 2])
    try FileManager.default.removeItem(atPath: try await store("missing", 3))
    let link = try await store("link", 4)
    try FileManager.default.removeItem(atPath: link)
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: folder / "elsewhere")

    let report = try await cache.verify()

    #expect(report.entryCount == 5)
    #expect(report.byteCount == 10)
    #expect(
      reasons(report) == [
        "its bytes are not those that were stored", "its file has 3 bytes instead of 10",
        "its file is missing", "its file cannot be read: the path contains a symbolic link",
      ])
    #expect(report.isDamaged && !report.isRepaired && report.indexFault == nil)
  }

  @Test func `names a file that the system cannot read, and keeps the entry`() async throws {
    try await store("a", 1)
    files.set(.init(call: 1, number: EIO, lasts: true, only: "open"))

    let report = try await cache.verify()

    #expect(reasons(report) == ["its file cannot be read: Input/output error"])
    files.set(.init())
    #expect(try await cache.verify().damages == [])
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
    try await cache.store(
      [1, 2, 3], CacheRecord(key: .document(url: "https://a.org/d"), at: Date()))
    try cache.core.storeNegative(CacheRecord(key: key("gone"), at: Date()))

    let report = try await cache.verify()

    #expect(report.entryCount == 1 && report.byteCount == 3 && !report.isDamaged)
  }

  @Test func `is repeated by a repair that finds nothing, without a change`() async throws {
    try await store("a", 1)

    let report = try await cache.verify(repair: true)

    #expect(!report.isRepaired && !report.isDamaged)
    #expect(log == [])
  }

  @Test func `finds a damaged record of the index, and a repair loses that entry alone`()
    async throws
  {
    try await store("a", 1)
    try await store("b", 2)
    await cache.close()
    let path = folder / "cache/index.records.1"
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let url = try #require(bytes.firstRange(of: Array("https://a.org/b".utf8)))
    bytes[url.lowerBound] ^= 1
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let damaged = try DiskCache(DiskCache.Configuration(directory: folder / "cache"))

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
    try overwrite(damaged, [UInt8](repeating: 9, count: 10))
    var configuration = DiskCache.Configuration(directory: folder / "cache")
    configuration.readVerification = verification
    let cache = try DiskCache(configuration)

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
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)

    let report = try await cache.verify(repair: isRepaired)
    let isThere = FileManager.default.fileExists(atPath: path)
    if !isRepaired { #expect(await cache.read(key("a")) == nil) }
    try await store("a", 1)

    #expect(reasons(report) == ["its file cannot be read: not a regular file"])
    #expect(isThere == !isRepaired)
    #expect(await cache.read(key("a"))?.bytes == [UInt8](repeating: 1, count: 10))
    #expect(await cache.statistics().byteCount == 10)
  }

  /// As an older version left it: without an entry.
  @Test(arguments: [false, true])
  func `is not needed for a store in place of an empty directory`(hasNames: Bool) async throws {
    let files = hasNames ? files.withoutUnnamed() : files
    let cache = try DiskCache(.init(directory: folder / "other"), files: files)
    let content = [UInt8](repeating: 1, count: 10)
    let hash = content.withUnsafeBytes { SHA256.hash(of: $0) }
    let path = cache.core.blobs.path(of: hash, in: .images)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)

    try await cache.store(content, CacheRecord(key: key("a"), at: Date()))

    #expect(await cache.read(key("a"))?.bytes == content)
    #expect(await cache.statistics().byteCount == 10)
    try await cache.remove([key("a")])
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test(arguments: [false, true])
  func `drops an entry with a directory in place of its file, and deletes nothing in it`(
    hasNames: Bool
  ) async throws {
    let path = try await store("a", 1)
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try Data("mine".utf8).write(to: URL(fileURLWithPath: path + "/letter"))
    let cache = try DiskCache(
      .init(directory: folder / "cache"), files: hasNames ? files.withoutUnnamed() : files)

    let report = try await cache.verify(repair: true)
    let error = await #expect(throws: ImageError.self) {
      try await cache.store(
        [UInt8](repeating: 1, count: 10), CacheRecord(key: key("a"), at: Date()))
    }

    #expect(report.damages.map(\.key) == [key("a")])
    #expect(error?.message.contains("(\(path))") == true, "\(error?.message ?? "")")
    #expect(try String(contentsOfFile: path + "/letter", encoding: .utf8) == "mine")
    #expect(await cache.list().isEmpty)
    try await cache.store([2], CacheRecord(key: key("b"), at: Date()))
    #expect(await cache.read(key("b"))?.bytes == [2])
  }

  @Test func `reports a read of damaged bytes as a line with the entry and the reason`()
    async throws
  {
    try overwrite(try await store("flipped", 1), [UInt8](repeating: 9, count: 10))
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
  }

  @Test func `of an absent directory finds nothing and creates nothing`() async throws {
    var configuration = DiskCache.Configuration(directory: folder / "absent")
    configuration.access = .existing
    let absent = try DiskCache(configuration)

    let report = try await absent.verify(repair: true)

    #expect(report == VerificationReport())
    #expect(try await absent.collectGarbage() == GarbageReport())
    #expect(await absent.explain(key("a")).verdict == .absent)
    #expect(!FileManager.default.fileExists(atPath: folder / "absent"))
  }
}
