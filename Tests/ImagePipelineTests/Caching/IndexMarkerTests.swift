import Foundation
import ImageModel
import Testing

@testable import DiskCaching

@Suite struct `The version of a cache directory` {
  private let folder: Scratch
  private let files = POSIXFileSystem()

  init() throws { folder = try Scratch() }

  private func write(_ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: folder / "index.sqlite"))
  }

  private func marker(version: UInt32) -> [UInt8] {
    var bytes = IndexMarker.database
    for index in 0..<4 { bytes[60 + index] = UInt8(version >> UInt32(24 - 8 * index) & 0xFF) }
    return bytes
  }

  @Test func `is in a valid empty database, for older programs`() throws {
    try write(IndexMarker.database)

    let database = try SQLiteDatabase(path: folder / "index.sqlite", access: .writing)

    #expect(try database.integer("PRAGMA user_version") == 5)
    #expect(try database.integer("SELECT count(*) FROM sqlite_schema") == 0)
    #expect(try database.integer("PRAGMA page_size") == 512)
    let check = try database.prepare("PRAGMA integrity_check")
    #expect(try check.step())
    #expect(check.text(0) == "ok")
    // It can be written to: a table takes a page.
    try database.execute("CREATE TABLE t(x)")
    #expect(try database.integer("SELECT count(*) FROM sqlite_schema") == 1)
  }

  @Test func `is the current one, an older one or none`() throws {
    #expect(try IndexMarker.version(in: folder.path, files) == nil)
    #expect(try !IndexMarker.isCurrent(in: folder.path, files))
    #expect(try IndexMarker.formerVersion(in: folder.path, files) == nil)

    try write(marker(version: 4))
    #expect(try !IndexMarker.isCurrent(in: folder.path, files))
    #expect(try IndexMarker.formerVersion(in: folder.path, files) == 4)

    try write(marker(version: 5))
    #expect(try IndexMarker.isCurrent(in: folder.path, files))
    #expect(try IndexMarker.formerVersion(in: folder.path, files) == nil)
  }

  @Test(
    arguments: [[], Array("SQLite format 3\0".utf8), [UInt8](repeating: 0, count: 512)] as [[UInt8]]
  )
  func `is none where the file is no database`(bytes: [UInt8]) throws {
    try write(bytes)

    #expect(try IndexMarker.version(in: folder.path, files) == nil)
  }

  @Test(arguments: [6, 0xFFFF_FFFF] as [UInt32])
  func `that is newer is refused with both versions and a way out`(version: UInt32) throws {
    try write(marker(version: version))

    let error = #expect(throws: ImageError.self) {
      try IndexMarker.check(in: folder.path, files)
    }

    #expect(error?.code == .cacheUnusable)
    #expect(
      error?.message == """
        the cache in \(folder / "index.sqlite") has format \(version), made by a newer version; \
        this one knows up to 5: update imgcache or use another DiskCache.Configuration.directory
        """)
  }

  @Test func `is not read from a folder or through a link`() throws {
    try FileManager.default.createDirectory(
      atPath: folder / "index.sqlite", withIntermediateDirectories: true)
    let irregular = #expect(throws: FileSystemFailure.self) {
      try IndexMarker.version(in: folder.path, files)
    }
    try FileManager.default.removeItem(atPath: folder / "index.sqlite")
    try Data(marker(version: 5)).write(to: URL(fileURLWithPath: folder / "elsewhere"))
    try FileManager.default.createSymbolicLink(
      atPath: folder / "index.sqlite", withDestinationPath: folder / "elsewhere")
    let linked = #expect(throws: FileSystemFailure.self) {
      try IndexMarker.version(in: folder.path, files)
    }

    #expect(irregular?.isIrregular == true && linked?.isIrregular == true)
  }
}
