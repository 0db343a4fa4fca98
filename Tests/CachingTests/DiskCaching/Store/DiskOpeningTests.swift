import Foundation
import ImageModel
import Testing

@testable import DiskCaching
@testable import TestSupport

@Suite struct `Opening a cache directory` {
  private let folder: Scratch
  /// The folder without links in its path, as messages name it.
  private let root: String
  private let lines = Locked<[String]>([])

  init() throws {
    folder = try Scratch()
    root = POSIXFileSystem().canonicalPath(of: folder.path)
  }

  private func open(
    _ access: DiskCache.Access, _ name: String = "cache", _ files: FaultyFileSystem = .init()
  ) throws -> DiskStore {
    var configuration = DiskCache.Configuration(directory: root + "/" + name)
    configuration.access = access
    configuration.log = { [lines] line in lines.withLock { $0.append(line) } }
    return try DiskStore(configuration, files: files)
  }

  private var log: [String] { lines.withLock { $0 } }

  private func record(_ name: String) -> CacheRecord {
    CacheRecord(key: .original(url: "https://a.org/\(name)"), at: Date())
  }

  /// A file system on which the directory is not writable.
  private func readOnly() -> FaultyFileSystem {
    FaultyFileSystem(.init(call: 1, number: EROFS, lasts: true, only: "mayWrite"))
  }

  @Test func `that is absent creates it with those above it, unless it has to exist`() throws {
    _ = try open(.create, "a/b/c")
    let absent = try open(.existing, "x/y")

    #expect(
      try FileManager.default.contentsOfDirectory(atPath: root + "/a/b/c").sorted().filter {
        !$0.hasPrefix("index.")
      } == ["blobs", "documents", "limit", "partial", "tmp", "version"])
    #expect(!FileManager.default.fileExists(atPath: root + "/x"))
    #expect(log == ["no cache in \(root)/x/y"])
    #expect(absent.statistics().entryCount == 0)
    #expect(absent.statistics().maximumByteCount == 10 << 30)
  }

  @Test func `that is a file, or has a file for a folder, names it`() throws {
    try Data("x".utf8).write(to: URL(fileURLWithPath: root + "/file"))
    let file = #expect(throws: ImageError.self) { try open(.create, "file") }
    try FileManager.default.createDirectory(
      atPath: root + "/cache", withIntermediateDirectories: true)
    try Data("x".utf8).write(to: URL(fileURLWithPath: root + "/cache/tmp"))
    let inner = #expect(throws: ImageError.self) { try open(.createOrRead) }

    #expect(file?.code == .cacheUnusable && inner?.code == .cacheUnusable)
    #expect(
      file?.message == "the cache directory \(root)/file cannot be used: Not a directory "
        + "(\(root)/file)")
    #expect(
      inner?.message == "the cache directory \(root)/cache cannot be used: Not a directory "
        + "(\(root)/cache/tmp)")
  }

  @Test(arguments: [DiskCache.Access.create, .createOrRead, .existing])
  func `below a file is refused`(access: DiskCache.Access) throws {
    try Data("x".utf8).write(to: URL(fileURLWithPath: root + "/file"))

    for name in ["file/cache", "file/a/cache"] {
      let error = #expect(throws: ImageError.self) { try open(access, name) }

      #expect(error?.code == .cacheUnusable)
      #expect(
        error?.message == "the cache directory \(root)/\(name) cannot be used: Not a directory "
          + "(\(root)/\(name))")
    }
  }

  @Test func `that is not writable is refused where it is to be written to`() throws {
    _ = try open(.create)

    let error = #expect(throws: ImageError.self) { try open(.create, "cache", readOnly()) }

    #expect(error?.code == .cacheUnusable)
    #expect(
      error?.message == "the cache directory \(root)/cache cannot be used: Permission denied "
        + "(\(root)/cache)")
  }

  @Test func `that is not writable serves what it has, and says so to a server only`() throws {
    try open(.create).store([7], record("a"))

    let server = try open(.createOrRead, "cache", readOnly())
    let said = log
    let reader = try open(.existing, "cache", readOnly())

    #expect(
      said == [
        "the cache directory \(root)/cache is not writable: what it has is served, and "
          + "nothing is stored"
      ])
    #expect(log == said)
    for cache in [server, reader] {
      #expect(cache.read(record("a").key)?.bytes == [7])
      let error = #expect(throws: ImageError.self) { try cache.store([8], record("b")) }
      #expect(error?.code == .cacheUnusable)
      #expect(error?.message == "the cache directory \(root)/cache is not writable")
      #expect(throws: ImageError.self) { try cache.remove([record("a").key]) }
    }
  }

  @Test func `whose space is used up is refused with the reason`() throws {
    let files = FaultyFileSystem(.init(call: 1, number: ENOSPC, lasts: true, only: "makeDirectory"))

    let error = #expect(throws: ImageError.self) { try open(.create, "cache", files) }

    #expect(error?.code == .cacheUnusable)
    #expect(error?.message.contains("cannot be used: No space left on device (") == true)
  }

  @Test func `through a link uses what it leads to`() throws {
    try FileManager.default.createDirectory(
      atPath: root + "/real", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: root + "/cache", withDestinationPath: root + "/real")

    let cache = try open(.create)
    try cache.store([1], record("a"))

    #expect(cache.path(for: record("a").key)?.hasPrefix(root + "/real/blobs/") == true)
  }

  @Test func `with a read that fails logs the reason and is a miss`() throws {
    let files = FaultyFileSystem()
    let cache = try open(.create, "cache", files)
    try cache.store([1], record("a"))
    let path = try #require(cache.path(for: record("a").key))
    files.set(.init(call: 1, number: EIO, lasts: true, only: "open"))

    let entry = cache.read(record("a").key)

    #expect(entry == nil)
    #expect(
      log == ["cannot read https://a.org/a from the cache: Input/output error (\(path))"])
    files.set(.init())
    #expect(cache.read(record("a").key)?.bytes == [1])
    #expect(cache.statistics().total[.diskMisses] == 1)
    #expect(cache.statistics().total[.damaged] ?? 0 == 0)
  }
}
