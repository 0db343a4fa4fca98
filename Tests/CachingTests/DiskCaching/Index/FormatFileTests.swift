import Foundation
import ImageModel
import Testing

@testable import DiskCaching
@testable import TestSupport

@Suite struct `The format of a cache directory` {
  private let folder: Scratch
  private let files = POSIXFileSystem()
  private var cache: String { folder / "cache" }

  init() throws {
    folder = try Scratch()
    try FileManager.default.createDirectory(atPath: cache, withIntermediateDirectories: true)
  }

  private func write(_ text: String, to name: String = "version") throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(cache)/\(name)"))
  }

  private func open(_ access: DiskCache.Access = .create) throws -> DiskStore {
    var configuration = DiskCache.Configuration(directory: cache)
    configuration.access = access
    return try DiskStore(configuration)
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
    #expect(try !FormatFile.isCurrent(in: cache, files))
    _ = try open()

    #expect(try String(contentsOfFile: "\(cache)/version", encoding: .utf8) == "7\n")
    #expect(try FormatFile.isCurrent(in: cache, files))
  }

  @Test(arguments: ["6\n", "8\n", "8", "99999\nand more"], [DiskCache.Access.create, .existing])
  func `of another number is refused by name, and nothing in it is touched`(
    text: String, access: DiskCache.Access
  ) throws {
    try write(text)
    try write("an index", to: "index.table")
    let before = try contents()

    let error = #expect(throws: ImageError.self) { _ = try open(access) }

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
      let error = #expect(throws: ImageError.self) { _ = try open(access) }
      #expect(error?.message.contains("an older format") == true)
    }
    #expect(try contents() == before)
  }

  @Test(arguments: ["", "\n", "seven", "7x", String(repeating: "7", count: 100)])
  func `that cannot be read is written again`(text: String) throws {
    do {
      let store = try open()
      try store.store([1], CacheRecord(key: .original(url: "https://a.org/"), at: Date()))
    }
    try write(text)

    #expect(try open().read(.original(url: "https://a.org/"))?.bytes == [1])
    #expect(try FormatFile.isCurrent(in: cache, files))
  }
}
