import Foundation
import Testing

@testable import DiskCaching
@testable import ImageModel
@testable import TestSupport

/// What another local user may put into a cache directory: links, FIFOs and files.
@Suite struct `A cache directory under attack` {
  let directory = TemporaryDirectory()
  let key = CacheKey.original(url: "https://example.com/a.jpg")
  let bytes = [UInt8](repeating: 7, count: 1000)

  func open(
    _ name: String = "cache", access: DiskCache.Access = .create
  ) throws(ImageError) -> DiskCache {
    var configuration = DiskCache.Configuration(directory: directory.path(name))
    configuration.maximumByteCount = 16 << 20
    configuration.access = access
    return try DiskCache(configuration)
  }

  func record(_ key: CacheKey? = nil) -> CacheRecord {
    CacheRecord(key: key ?? self.key, at: Date())
  }

  /// A cache with one entry, closed; returns the entry's file.
  func fill() async throws -> String {
    let cache = try open()
    try await cache.store(bytes, record())
    let path = try #require(await cache.path(for: key))
    await cache.close()
    return path
  }

  /// Replaces a folder by a link; its contents are moved to the target.
  func replaceByLink(_ folder: String, to target: String) throws {
    try FileManager.default.moveItem(atPath: folder, toPath: target)
    try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: target)
  }

  /// Replaces a file by a FIFO, or by a link to a file with content.
  func replace(_ path: String, byFIFO isFIFO: Bool, content: [UInt8] = []) throws {
    try Data(content).write(to: URL(fileURLWithPath: directory.path("outside")))
    try? FileManager.default.removeItem(atPath: path)
    if isFIFO {
      try #require(mkfifo(path, 0o644) == 0)
    } else {
      try FileManager.default.createSymbolicLink(
        atPath: path, withDestinationPath: directory.path("outside"))
    }
  }

  func parent(_ path: String) -> String {
    String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
  }

  @Test func `nothing behind a link in place of a blob folder is deleted, read or written`()
    async throws
  {
    let path = try await fill()
    let outside = directory.path("outside")
    try replaceByLink(parent(path), to: outside)
    let bystander = outside + "/" + String(repeating: "ab", count: 32)
    try Data(bytes).write(to: URL(fileURLWithPath: bystander))
    let before = directory.files(under: "outside")
    let cache = try open()

    #expect(try await cache.collectGarbage().orphanCount == 0)
    #expect(await cache.read(key) == nil)
    #expect(await cache.path(for: key) == nil)
    await #expect(throws: ImageError.self) { try await cache.store(bytes, record()) }
    _ = try cache.core.remove(matching: .all)
    _ = try await cache.verify(repair: true)
    _ = try await cache.collectGarbage()

    #expect(directory.files(under: "outside") == before)
    #expect(before.count == 2)
  }

  @Test(arguments: ["blobs", "documents", "tmp", "partial"])
  func `a link in place of a top folder is refused`(folder: String) async throws {
    _ = try await fill()
    try replaceByLink(directory.path("cache/" + folder), to: directory.path("outside"))

    let error = #expect(throws: ImageError.self) { try open() }

    #expect(error?.code == .cacheUnusable)
    #expect(error?.message.contains(folder) == true)
  }

  @Test func `a link in place of a folder of temporary files is not written through`() async throws
  {
    _ = try await fill()
    try FileManager.default.createDirectory(
      atPath: directory.path("outside"), withIntermediateDirectories: true)
    for number in 0..<64 {
      let folder =
        directory.path("cache/tmp/") + (number < 16 ? "0" : "") + String(number, radix: 16)
      try? FileManager.default.removeItem(atPath: folder)
      try FileManager.default.createSymbolicLink(
        atPath: folder, withDestinationPath: directory.path("outside"))
    }

    let cache = try open()
    let error = #expect(throws: ImageError.self) { try cache.core.stage() }

    #expect(error?.code == .cacheUnusable)
    #expect(directory.files(under: "outside") == [])
  }

  @Test(arguments: [true, false])
  func `a FIFO or a link in place of a blob is damage, and blocks nothing`(isFIFO: Bool)
    async throws
  {
    let path = try await fill()
    try replace(path, byFIFO: isFIFO, content: bytes)
    let cache = try open()

    #expect(try await cache.verify().damages.count == 1)
    guard case .damaged = await cache.explain(key).verdict else {
      Issue.record("the damage was not seen")
      return
    }
    #expect(BodyFile(path: path) == nil)
    #expect(await cache.read(key) == nil)

    #expect(await cache.statistics().total[.damaged] == 1)
    try await cache.store(bytes, record())
    #expect(await cache.read(key)?.bytes == bytes)
    #expect(FileManager.default.fileExists(atPath: directory.path("outside")))
  }

  @Test(
    arguments: ["version", "index.table", "index.records.1"], [true, false])
  func `a FIFO or a link in place of a file of the index is refused`(
    name: String, isFIFO: Bool
  ) async throws {
    _ = try await fill()
    try replace(directory.path("cache/" + name), byFIFO: isFIFO)

    for access in [DiskCache.Access.create, .existing] {
      let error = #expect(throws: ImageError.self) { try open(access: access) }

      #expect(error?.code == .cacheUnusable)
      #expect(error?.message.contains(name) == true, "\(error?.message ?? "")")
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: directory.path("outside"))).isEmpty)
  }

  @Test func `a FIFO in place of the lock of the index is refused`() throws {
    try FileManager.default.createDirectory(
      atPath: directory.path("cache"), withIntermediateDirectories: true)
    try replace(directory.path("cache/index.lock"), byFIFO: true)

    let error = #expect(throws: ImageError.self) { try open() }

    #expect(error?.code == .cacheUnusable)
  }

  @Test func `a FIFO in place of a partial body blocks nothing`() async throws {
    let cache = try open()
    let url = "https://example.com/a.jpg"
    _ = try cache.core.partialBodies.store.openPartial(for: url)
    let path =
      directory.path("cache/")
      + (directory.files(under: "cache").first { $0.hasPrefix("partial/") } ?? "")
    for name in [path, path + ".head"] { try replace(name, byFIFO: true) }

    #expect(throws: ImageError.self) { try cache.core.partialBodies.store.openPartial(for: url) }
    _ = try await cache.collectGarbage()

    #expect(FileManager.default.fileExists(atPath: path))
  }

  @Test func `collecting garbage leaves files that do not belong to the cache`() async throws {
    _ = try await fill()
    let hash = String(repeating: "ab", count: 32)
    let foreign = [
      "blobs/README", "blobs/ab/notes.txt", "blobs/ab/" + hash.uppercased(),
      "blobs/ab/" + hash + "0",
      "blobs/abc/" + hash, "documents/ab/letter", "tmp/notes.txt", "tmp/00/notes.txt",
      "tmp/folder/1a-1", "partial/notes.txt", "partial/" + hash + ".txt", "notes.txt",
    ]
    for name in foreign {
      let path = directory.path("cache/" + name)
      try FileManager.default.createDirectory(
        atPath: parent(path), withIntermediateDirectories: true)
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      let old: [FileAttributeKey: Any] = [.modificationDate: Date(timeIntervalSince1970: 0)]
      try FileManager.default.setAttributes(old, ofItemAtPath: path)
    }

    let report = try await open().collectGarbage()

    #expect(report.orphanCount == 0)
    #expect(report.leftoverCount == 0)
    for name in foreign {
      #expect(FileManager.default.fileExists(atPath: directory.path("cache/" + name)), "\(name)")
    }
  }

  @Test func `the directory itself may be a link, and a path with .. works`() async throws {
    _ = try await fill()
    try FileManager.default.createSymbolicLink(
      atPath: directory.path("link"), withDestinationPath: directory.path("cache"))
    let cache = try open("link")

    #expect(await cache.read(key)?.bytes == bytes)
    #expect(await cache.path(for: key)?.hasPrefix(directory.path("cache/blobs/")) == true)
    try await cache.store(bytes + [1], record(.original(url: "b")))
    #expect(try await open().read(.original(url: "b"))?.bytes == bytes + [1])
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a directory to another user"))
  func `a directory of another user that every user may write to is refused`() async throws {
    _ = try await fill()
    let path = directory.path("cache")
    try #require(chown(path, 65_534, 65_534) == 0 && chmod(path, 0o777) == 0)

    for access in [DiskCache.Access.create, .createOrRead, .existing] {
      let error = #expect(throws: ImageError.self) { try open(access: access) }

      #expect(error?.code == .cacheUnusable)
      #expect(error?.message.contains("another user") == true)
    }
    if Tool.isBuilt {
      let outcome = try await Tool.imgcache.run(["prefetch", "--sample", "--cache-dir", path])
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains("belongs to another user"))
    }
    try #require(chmod(path, 0o1777) == 0)
    #expect(throws: ImageError.self) { try open() }
    try #require(chmod(path, 0o775) == 0)
    #expect(try await open().read(key)?.bytes == bytes)
    try #require(chown(path, 0, 0) == 0 && chmod(path, 0o777) == 0)
    #expect(try await open().read(key)?.bytes == bytes)
  }
}
