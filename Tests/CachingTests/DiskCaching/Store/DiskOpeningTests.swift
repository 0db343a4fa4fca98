import Foundation
import ImageModel
import Testing

@testable import DiskCaching
@testable import TestSupport

@Suite struct `Opening a cache directory`: OnDisk {
  let folder = CacheFolder()
  /// The folder without links in its path, as messages name it.
  private let root: String

  init() { root = POSIXFileSystem().canonicalPath(of: folder.directory.path) }

  private func open(
    _ access: DiskCache.Access, _ name: String = "cache", _ files: FaultyFileSystem = .init()
  ) throws -> DiskStore {
    try open(files) { ($0.directory, $0.access) = (root + "/" + name, access) }
  }

  /// The message of the error, without its beginning.
  private func refusal(
    _ access: DiskCache.Access, _ name: String = "cache", _ files: FaultyFileSystem = .init()
  ) -> String? {
    let error = #expect(throws: ImageError.self) { try open(access, name, files) }
    #expect(error?.code == .cacheUnusable)
    let head = "the cache directory \(root)/\(name) cannot be used: "
    #expect(error?.message.hasPrefix(head) == true, "\(error?.message ?? "")")
    return error.map { String($0.message.dropFirst(head.count)) }
  }

  @Test(arguments: ["", "~", "~/cache", "~root/cache", "~root"])
  func `refuses a name that only a shell could mean`(name: String) throws {
    let error = imageError { try DiskCache(DiskCache.Configuration(directory: name)) }

    #expect(error?.code == .cacheUnusable)
    #expect(error?.message.hasPrefix("DiskCache.Configuration.directory is ") == true)
    #expect(error?.message.contains("\"./\(name)\"") == !name.isEmpty)
    _ = try open(.create, "~")
    #expect(FileManager.default.fileExists(atPath: root + "/~"))
  }

  private func write(_ name: String) throws {
    let url = URL(fileURLWithPath: root + "/" + name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data("x".utf8).write(to: url)
  }

  private func failing(_ call: String, _ number: Int32) -> FaultyFileSystem {
    FaultyFileSystem(.init(call: 1, number: number, lasts: true, only: call))
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

  @Test func `that cannot be used is refused with the reason and the path`() throws {
    try write("file")
    try write("cache/tmp")

    for access in [DiskCache.Access.create, .createOrRead, .existing] {
      for name in ["file/cache", "file/a/cache"] {
        #expect(refusal(access, name) == "Not a directory (\(root)/\(name))")
      }
    }
    #expect(refusal(.create, "file") == "Not a directory (\(root)/file)")
    #expect(refusal(.createOrRead) == "Not a directory (\(root)/cache/tmp)")
    #expect(
      refusal(.create, "new", failing("makeDirectory", ENOSPC))?
        .hasPrefix("No space left on device (") == true)
    _ = try open(.create, "mine")
    #expect(
      refusal(.create, "mine", failing("mayWrite", EROFS)) == "Permission denied (\(root)/mine)")
  }

  @Test func `with a read that fails logs the reason and is a miss`() throws {
    let files = FaultyFileSystem()
    let cache = try open(.create, "cache", files)
    try cache.store([1], record("a"))
    let path = try #require(cache.path(for: key("a")))
    files.set(.init(call: 1, number: EIO, lasts: true, only: "open"))

    let entry = cache.read(key("a"))

    #expect(entry == nil)
    #expect(
      log == ["cannot read https://a.org/a from the cache: Input/output error (\(path))"])
    files.set(.init())
    #expect(cache.read(key("a"))?.bytes == [1])
    #expect(cache.statistics().total[.diskMisses] == 1)
    #expect(cache.statistics().total[.damaged] ?? 0 == 0)
  }
}
