import Foundation
import ImageModel
import Testing

@testable import ImageFeeds
@testable import TestSupport

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite struct `The files of an export` {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: scratch / name))
  }

  private func text(of name: String) -> String? {
    ExportFile.read(scratch / name).map { String(decoding: $0, as: UTF8.self) }
  }

  private func link(_ name: String, to other: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: scratch / name, withDestinationPath: scratch / other)
  }

  // MARK: Writing

  /// Writes a file unless the name is taken.
  @discardableResult
  private func place(
    _ content: ExportFile.Content, as name: String, links: Bool = false
  ) throws -> Bool {
    try ExportFile.stage(content, in: scratch.path, path: scratch / name, links: links)
      .publish(as: name, path: scratch / name, isReplacing: false)
  }

  @Test func `bytes, a file and a cached file are written with their content`() throws {
    try write("from a file", to: "source")

    try place(.bytes(Array("bytes".utf8)), as: "1")
    try place(.file(path: scratch / "source"), as: "2")
    try place(.cached(path: scratch / "source"), as: "3")

    #expect(text(of: "1") == "bytes")
    #expect(text(of: "2") == "from a file")
    #expect(text(of: "3") == "from a file")
  }

  @Test(arguments: [true, false])
  func `only a cached file is linked, and only if links are requested`(links: Bool) throws {
    try write("content", to: "source")
    let source = scratch / "source"

    try place(.cached(path: source), as: "cached", links: links)
    try place(.file(path: source), as: "file", links: links)

    let inode = try #require(ExportFile.facts(source)).st_ino
    #expect((ExportFile.facts(scratch / "cached")?.st_ino == inode) == links)
    #expect(ExportFile.facts(scratch / "file")?.st_ino != inode)
  }

  @Test(arguments: ["file", "link", "dangling", "folder"], [true, false])
  func `a name that is taken is not replaced`(name: String, isCopy: Bool) throws {
    try write("content", to: "file")
    try write("source", to: "source")
    try link("link", to: "file")
    try link("dangling", to: "missing")
    try FileManager.default.createDirectory(
      atPath: scratch / "folder", withIntermediateDirectories: false)

    let isPlaced = try place(isCopy ? .file(path: scratch / "source") : .bytes([1]), as: name)

    #expect(!isPlaced)
    #expect(text(of: "file") == "content")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted()
        == ["dangling", "file", "folder", "link", "source"])
  }

  @Test(arguments: [true, false])
  func `a file or a link that may be replaced is, and nothing else is left`(isCopy: Bool) throws {
    try write("source", to: "source")
    try write("old", to: "file")
    try link("link", to: "file")
    let content = isCopy ? .file(path: scratch / "source") : ExportFile.Content.bytes([1])

    for name in ["file", "link"] {
      let file = try ExportFile.stage(content, in: scratch.path, path: name, links: false)
      #expect(try file.publish(as: name, path: name))
    }

    #expect(text(of: "file") == (isCopy ? "source" : "\u{1}"))
    #expect(text(of: "link") == text(of: "file"))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted()
        == ["file", "link", "source"])
  }

  @Test func `a missing source is an error and leaves no file`() throws {
    let target = scratch / "target"

    let error = #expect(throws: ImageError.self) {
      try place(.cached(path: scratch / "missing"), as: "target", links: true)
    }

    #expect(error?.message == "cannot write \(target): No such file or directory")
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == [])
  }

  // MARK: Reading

  @Test func `only a regular file is read, and a link only if it may be followed`() throws {
    try write("content", to: "file")
    try link("link", to: "file")
    #expect(mkfifo(scratch / "pipe", 0o600) == 0)

    #expect(text(of: "file") == "content")
    #expect(ExportFile.read(scratch / "link") == nil)
    #expect(ExportFile.read(scratch / "link", followsLinks: true) == Array("content".utf8))
    #expect(ExportFile.read(scratch / "pipe", followsLinks: true) == nil)
    #expect(ExportFile.read(scratch.path) == nil)
    #expect(ExportFile.read(scratch / "missing") == nil)
  }

  @Test func `an error of reading names the file`() throws {
    let path = scratch / "missing"

    let error = #expect(throws: ImageError.self) { try ExportFile.read(path) { _ in } }

    #expect(error?.code == .storeFailed)
    #expect(error?.message == "cannot read \(path)")
  }

  @Test func `a file of many pieces is read whole`() throws {
    let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    try place(.bytes(bytes), as: "file")

    #expect(ExportFile.read(scratch / "file") == bytes)
  }

  // MARK: Digests

  @Test func `the digest of content is its SHA-256, with the number of bytes`() throws {
    // From FIPS 180-2, appendix B.1.
    let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    try write("abc", to: "file")
    try link("link", to: "file")

    for content in [
      .bytes(Array("abc".utf8)), .file(path: scratch / "file"),
      .file(path: scratch / "link"), .cached(path: scratch / "file"),
    ] as [ExportFile.Content] {
      let hash = ExportFile.hash(of: content)
      #expect(hash?.hex == digest)
      #expect(hash?.byteCount == 3)
    }
  }

  @Test func `the digest of a cached file is its name, and the file is not read`() {
    let digest = String(repeating: "0a", count: 32)

    let hash = ExportFile.hash(of: .cached(path: scratch / "0a/\(digest)"))

    #expect(hash?.hex == digest)
    #expect(hash != nil && hash?.byteCount == nil)
  }

  @Test func `a file that cannot be read has no digest`() {
    #expect(ExportFile.hash(of: .file(path: scratch / "missing")) == nil)
    #expect(ExportFile.hash(of: .cached(path: scratch / "missing")) == nil)
  }

  // MARK: Folders

  @Test func `a folder below a file cannot be created`() throws {
    try write("", to: "file")
    let path = scratch / "file/folder"

    let error = #expect(throws: ImageError.self) { try ExportFile.makeFolder(path) }

    #expect(error?.code == .storeFailed)
    #expect(error?.message.hasPrefix("cannot create the export folder \(path): ") == true)
  }

  @Test(arguments: ["file", "link", "missing"])
  func `only a folder is opened, and not through a link`(name: String) throws {
    try write("", to: "file")
    try FileManager.default.createDirectory(
      atPath: scratch / "folder", withIntermediateDirectories: false)
    try link("link", to: "folder")
    let path = scratch / name

    let error = #expect(throws: ImageError.self) { _ = try ExportFile.lock(folder: path) }

    #expect(error?.code == .storeFailed)
    #expect(
      error?.message
        == "cannot export to \(path): not a directory; symbolic links are not followed")
  }

  @Test func `a link to a folder is opened where that is allowed, and the folder is locked`() throws
  {
    try FileManager.default.createDirectory(
      atPath: scratch / "folder", withIntermediateDirectories: false)
    try link("link", to: "folder")

    let held = try ExportFile.lock(folder: scratch / "link", followsLinks: true)
    defer { close(held) }

    let other = open(scratch / "folder", O_RDONLY)
    defer { close(other) }
    #expect(flock(other, LOCK_EX | LOCK_NB) == -1)
    #expect(errno == EAGAIN)
  }

  // MARK: Temporary names

  @Test func `a temporary name is hidden and has the process in it`() {
    let name = ExportFile.temporaryName(in: "/days", for: "image")

    #expect(name.wholeMatch(of: #//days/\.image\.\d+\.\d+\.part/#) != nil)
    #expect(name.hasPrefix("/days/.image.\(getpid())."))
  }

  @Test func `leftovers of ended processes are removed, and nothing else`() throws {
    // No process has the largest identifier.
    let ended = Int32.max
    let kept = [
      ".a.zip.\(getpid()).1.part", ".b.zip.\(ended).1.part", ".a.zip.\(ended).1.zip",
      ".a.zip.\(ended).part", ".a.zip.x.1.part", ".a.zip.\(ended).x.part",
      ".a.zip.\(ended).1.2.part", "a.zip.\(ended).1.part",
    ]
    for name in kept + [".a.zip.\(ended).1.part"] { try write("", to: name) }
    try FileManager.default.createDirectory(
      atPath: scratch / ".a.zip.\(ended).2.part/days", withIntermediateDirectories: true)

    ExportFile.removeLeftovers(in: scratch.path, of: "a.zip")

    let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
    #expect(Set(names) == Set(kept))
  }
}
