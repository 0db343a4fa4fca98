import Foundation
import ImageModel
import Testing

@testable import DiskCaching
@testable import TestSupport

@Suite struct `The format of a cache directory`: OnDisk {
  let folder = CacheFolder()
  private var cache: String { folder.directory.path("cache") }

  init() throws {
    try FileManager.default.createDirectory(atPath: cache, withIntermediateDirectories: true)
  }

  private func write(_ text: String, to name: String = "version") throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(cache)/\(name)"))
  }

  private var isCurrent: Bool {
    get throws { try FormatFile.isCurrent(in: cache, POSIXFileSystem()) }
  }

  /// The names of all files below the directory, with their bytes.
  private func contents() throws -> [String: Data?] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: cache)
    return Dictionary(
      uniqueKeysWithValues: names.map {
        ($0, FileManager.default.contents(atPath: "\(cache)/\($0)"))
      })
  }

  @Test func `is a number in the file version`() throws {
    #expect(try !isCurrent)
    _ = try open()

    #expect(try String(contentsOfFile: "\(cache)/version", encoding: .utf8) == "7\n")
    #expect(try isCurrent)
  }

  @Test(arguments: ["6\n", "8\n", "8", "99999\nand more"], [DiskCache.Access.create, .existing])
  func `of another number is refused by name, and nothing in it is touched`(
    text: String, access: DiskCache.Access
  ) throws {
    try write(text)
    try write("an index", to: "index.table")
    let before = try contents()

    let error = #expect(throws: ImageError.self) { _ = try open { $0.access = access } }

    #expect(error?.code == .cacheUnusable)
    #expect(
      error?.message == """
        the cache in \(cache) has format \(text.prefix { $0.isNumber }), and this version of imgcache \
        reads format 7 alone: remove the directory, or use another \
        DiskCache.Configuration.directory
        """)
    #expect(try contents() == before)
  }

  @Test func `from before the file is refused, and nothing in it is touched`() throws {
    try write("SQLite format 3\0", to: "index.sqlite")
    let before = try contents()

    for access in [DiskCache.Access.create, .createOrRead, .existing] {
      let error = #expect(throws: ImageError.self) { _ = try open { $0.access = access } }
      #expect(error?.message.contains("an older format") == true)
    }
    #expect(try contents() == before)
  }

  @Test(arguments: ["", "\n", "seven", "7x", String(repeating: "7", count: 100)])
  func `that cannot be read is written again`(text: String) throws {
    do {
      try open().store([1], record("a"))
    }
    try write(text)

    #expect(try open().read(key("a"))?.bytes == [1])
    #expect(try isCurrent)
  }
}
