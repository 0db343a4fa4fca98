import Foundation
import Testing

@testable import DiskCaching
@testable import TestSupport

@Suite struct `The system's file system` {
  private let folder: Scratch
  private let files = POSIXFileSystem()
  /// The folder without links in its path.
  private let root: String

  init() throws {
    folder = try Scratch()
    root = POSIXFileSystem().canonicalPath(of: folder.path)
  }

  private func put(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: root + "/" + name))
  }

  private func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: root + "/" + name, withDestinationPath: root + "/" + target)
  }

  private func failure(_ body: () throws -> Void) -> FileSystemFailure? {
    #expect(throws: FileSystemFailure.self, performing: body)
  }

  @Test func `follows no link, at the end of a path or within it`() throws {
    try FileManager.default.createDirectory(
      atPath: root + "/real", withIntermediateDirectories: true)
    try put("real/file", "secret")
    try link("file", to: "real/file")
    try link("folder", to: "real")

    for path in ["\(root)/file", "\(root)/folder/file"] {
      #expect(failure { _ = try files.openRegular(path, forWriting: false) }?.isIrregular == true)
      #expect(failure { _ = try files.read(path, byteCount: 6) }?.isIrregular == true)
    }
    #expect(failure { _ = try files.names(in: root + "/folder") } != nil)
    #expect(failure { _ = try files.create("\(root)/folder/new", mode: 0o644) } != nil)
    // A link is removed, not what it leads to.
    try files.remove(root + "/file")
    #expect(try files.read(root + "/real/file", byteCount: 6) == Array("secret".utf8))
  }

  @Test func `opens regular files only, and waits for no writer of a FIFO`() throws {
    #expect(mkfifo(root + "/fifo", 0o644) == 0)

    #expect(
      failure { _ = try files.openRegular(root + "/fifo", forWriting: false) }?.isIrregular == true)
    #expect(failure { _ = try files.openRegular(root, forWriting: false) }?.isIrregular == true)
    #expect(failure { _ = try files.openRegular(root, forWriting: true) }?.isIrregular == true)
    #expect(failure { _ = try files.read(root + "/fifo", byteCount: 1) }?.isIrregular == true)
    #expect(files.openCached(root + "/fifo", byteCount: 0) == nil)
  }

  @Test func `reads a file of exactly so many bytes`() throws {
    try put("file", "12345")

    #expect(try files.read(root + "/file", byteCount: 5) == Array("12345".utf8))
    #expect(try files.read(root + "/file", byteCount: 4) == nil)
    #expect(try files.read(root + "/file", byteCount: 6) == nil)
    #expect(failure { _ = try files.read(root + "/absent", byteCount: 1) }?.isAbsent == true)
    // From an open folder it is the same.
    let rooted = files.rooted(at: root)
    #expect(try rooted.read(root + "/file", byteCount: 5) == Array("12345".utf8))
    #expect(failure { _ = try rooted.read(root + "/absent", byteCount: 1) }?.isAbsent == true)
  }

  @Test func `writes and reads at an offset, up to the end of the file`() throws {
    let file = try files.create(root + "/file", mode: 0o600)
    defer { files.close(file) }
    try Array("world".utf8).withUnsafeBytes { try files.write($0, to: file, at: 3) }
    func read(_ count: Int, at offset: Int) throws -> [UInt8] {
      var room = [UInt8](repeating: 0xFF, count: count)
      let done = try room.withUnsafeMutableBytes {
        try files.read(into: $0, from: file, at: offset)
      }
      return Array(room[..<done])
    }

    #expect(try read(8, at: 0) == [0, 0, 0] + Array("world".utf8))
    #expect(try read(100, at: 6) == Array("ld".utf8))
    #expect(try read(5, at: 50) == [])
    #expect(try files.readWhole(file, byteCount: 8)?.count == 8)
    #expect(try files.readWhole(file, byteCount: 9) == nil)
    let facts = try files.facts(of: file)
    #expect(facts.byteCount == 8 && facts.mode == 0o600)
    try files.truncate(file)
    #expect(try files.facts(of: file).byteCount == 0)
  }

  @Test
  func
    `creates a file only where there is nothing, renames over one, and removes what may be absent`()
    throws
  {
    try put("file", "x")
    try link("dangling", to: "absent")
    #expect(failure { _ = try files.create(root + "/file", mode: 0o644) }?.exists == true)
    #expect(failure { _ = try files.create(root + "/dangling", mode: 0o644) } != nil)
    #expect(failure { _ = try files.create(root + "/a/b", mode: 0o644) }?.isAbsent == true)
    for _ in 0..<2 { try files.makeDirectory(root + "/folder") }
    #expect(failure { try files.makeDirectory(root + "/a/b") }?.isAbsent == true)

    try put("folder/new", "22")
    try files.rename(root + "/file", to: root + "/folder/new")
    #expect(try files.facts(at: root + "/folder/new")?.byteCount == 1)
    #expect(failure { try files.rename(root + "/file", to: root + "/x") }?.isAbsent == true)
    files.removeDirectoryIfEmpty(root + "/folder")
    #expect(try files.exists(at: root + "/folder"))
    for _ in 0..<2 { try files.remove(root + "/folder/new") }
    files.removeDirectoryIfEmpty(root + "/folder")

    #expect(try files.names(in: root) == ["dangling"])
    #expect(try files.facts(at: root + "/folder") == nil)
    #expect(try files.facts(at: root + "/folder/below") == nil)
  }

  @Test func `gives a file without a name its name, unless something has it`() throws {
    guard let file = try files.createUnnamed(in: root, mode: 0o644) else { return }
    defer { files.close(file) }
    try put("taken", "x")
    #expect(try files.names(in: root) == ["taken"])
    #expect(try files.facts(of: file).linkCount == 0)

    #expect(failure { try files.link(file, to: root + "/taken") }?.exists == true)
    try files.link(file, to: root + "/new")

    #expect(try files.names(in: root).sorted() == ["new", "taken"])
    #expect(try files.facts(of: file).linkCount == 1)
    let identity = try files.facts(of: file).identity
    #expect(try files.facts(at: root + "/new")?.identity == identity)
  }

  @Test(arguments: ["", "/", "/absent", "/absent/below"])
  func `keeps what does not exist in a path without links`(suffix: String) throws {
    try FileManager.default.createDirectory(
      atPath: root + "/real", withIntermediateDirectories: true)
    try link("link", to: "real")
    let expected = root + "/real" + (suffix == "/" ? "" : suffix)

    #expect(files.canonicalPath(of: root + "/link" + suffix) == expected)
  }

  @Test func `a folder that others own and may write to is open to strangers`() throws {
    func facts(mode: UInt16, owner: UInt32) -> FileFacts {
      FileFacts(
        byteCount: 0, modified: 0, isRegular: false, isDirectory: true, identity: 1, mode: mode,
        owner: owner)
    }

    #expect(facts(mode: 0o777, owner: geteuid() &+ 1).isOpenToStrangers)
    #expect(!facts(mode: 0o775, owner: geteuid() &+ 1).isOpenToStrangers)
    #expect(!facts(mode: 0o777, owner: geteuid()).isOpenToStrangers)
    let space = try files.space(at: root)
    #expect(space.freeByteCount > 0 && space.byteCount >= space.freeByteCount)
    #expect(files.mayWrite(in: root) && !files.mayWrite(in: root + "/absent"))
  }
}
