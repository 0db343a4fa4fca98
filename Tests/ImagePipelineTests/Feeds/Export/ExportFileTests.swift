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
  private static let present = ["dangling", "file", "folder", "link", "way"]

  init() throws {
    scratch = try Scratch()
    try scratch.write("content", to: "file")
    try scratch.write("source", to: "folder/source")
    try scratch.link("link", to: "file")
    try scratch.link("dangling", to: "missing")
    try scratch.link("way", to: "folder")
  }

  /// Writes a file; only where the name is free, unless it may be replaced.
  @discardableResult
  private func place(
    _ content: ExportFile.Content, as name: String, links: Bool = false, isReplacing: Bool = false
  ) throws -> Bool {
    try ExportFile.stage(content, in: scratch.path, path: scratch / name, links: links)
      .publish(as: name, path: scratch / name, isReplacing: isReplacing)
  }

  private func content(isCopy: Bool) -> ExportFile.Content {
    isCopy ? .file(path: scratch / "folder/source") : .bytes([1])
  }

  // MARK: Writing

  @Test(arguments: [true, false])
  func `content is written whole, and only a cached file is linked, if that is requested`(
    links: Bool
  ) throws {
    let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    try place(.bytes(bytes), as: "bytes", links: links)
    try place(.file(path: scratch / "file"), as: "copy", links: links)
    try place(.cached(path: scratch / "file"), as: "cached", links: links)

    #expect(ExportFile.read(scratch / "bytes") == bytes)
    #expect(try ["copy", "cached"].map(scratch.text(of:)) == ["content", "content"])
    let number = try #require(ExportFile.facts(scratch / "file")).st_ino
    #expect((ExportFile.facts(scratch / "cached")?.st_ino == number) == links)
    #expect(ExportFile.facts(scratch / "copy")?.st_ino != number)
  }

  @Test(arguments: present, [true, false])
  func `a name that is taken is not replaced`(name: String, isCopy: Bool) throws {
    #expect(!(try place(content(isCopy: isCopy), as: name)))
    #expect(try scratch.text(of: "file") == "content")
    #expect(scratch.names() == Self.present)
  }

  @Test(arguments: ["file", "link"], [true, false])
  func `a file or a link that may be replaced is, and nothing else is left`(
    name: String, isCopy: Bool
  ) throws {
    #expect(try place(content(isCopy: isCopy), as: name, isReplacing: true))
    #expect(try scratch.text(of: name) == (isCopy ? "source" : "\u{1}"))
    #expect(scratch.names() == Self.present)
  }

  // MARK: Reading

  @Test func `only a regular file is read, and a link only if it may be followed`() throws {
    #expect(mkfifo(scratch / "pipe", 0o600) == 0)

    #expect(ExportFile.read(scratch / "file") == Array("content".utf8))
    #expect(ExportFile.read(scratch / "link", followsLinks: true) == Array("content".utf8))
    for name in ["link", "folder", "missing"] { #expect(ExportFile.read(scratch / name) == nil) }
    #expect(ExportFile.read(scratch / "pipe", followsLinks: true) == nil)
    let error = #expect(throws: ImageError.self) {
      try ExportFile.read(scratch / "missing") { _ in }
    }
    #expect(error?.code == .storeFailed)
    #expect(error?.message == "cannot read \(scratch / "missing")")
  }

  @Test func `the digest is the SHA-256, of a cached file its name, and of a missing file none`()
    throws
  {
    // From FIPS 180-2, appendix B.1.
    let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    try scratch.write("abc", to: "file")
    for content in [
      .bytes(Array("abc".utf8)), .file(path: scratch / "file"), .file(path: scratch / "link"),
      .cached(path: scratch / "file"),
    ] as [ExportFile.Content] {
      let hash = ExportFile.hash(of: content)
      #expect(hash?.hex == digest && hash?.byteCount == 3)
    }
    let name = String(repeating: "0a", count: 32)
    let cached = ExportFile.hash(of: .cached(path: scratch / "0a/\(name)"))
    #expect(cached?.hex == name)
    #expect(cached != nil && cached?.byteCount == nil)
    #expect(ExportFile.hash(of: .file(path: scratch / "missing")) == nil)
    #expect(ExportFile.hash(of: .cached(path: scratch / "missing")) == nil)
  }

  // MARK: Folders

  @Test func `only a folder is locked, and through a link only if it may be followed`() throws {
    for name in ["file", "way", "missing"] {
      let path = scratch / name
      let error = #expect(throws: ImageError.self) { _ = try ExportFile.lock(folder: path) }
      #expect(error?.code == .storeFailed)
      #expect(
        error?.message
          == "cannot export to \(path): not a directory; symbolic links are not followed")
    }
    let held = try ExportFile.lock(folder: scratch / "way", followsLinks: true)
    defer { close(held) }

    let other = open(scratch / "folder", O_RDONLY)
    defer { close(other) }
    #expect(flock(other, LOCK_EX | LOCK_NB) == -1)
    #expect(errno == EAGAIN)
  }

  // MARK: Temporary names

  @Test func `leftovers of ended processes are removed, and nothing else`() throws {
    // No process has the largest identifier.
    let ended = Int32.max
    let kept = [
      ".a.zip.\(getpid()).1.part", ".b.zip.\(ended).1.part", ".a.zip.\(ended).1.zip",
      ".a.zip.\(ended).part", ".a.zip.x.1.part", ".a.zip.\(ended).x.part",
      ".a.zip.\(ended).1.2.part", "a.zip.\(ended).1.part",
    ]
    for name in kept + [".a.zip.\(ended).1.part", ".a.zip.\(ended).2.part/days/a"] {
      try scratch.write("", to: name)
    }

    ExportFile.removeLeftovers(in: scratch.path, of: "a.zip")

    #expect(Set(scratch.names()) == Set(kept + Self.present))
    #expect(
      ExportFile.temporaryName(in: "/days", for: "image")
        .wholeMatch(of: #//days/\.image\.(\d+)\.\d+\.part/#)?.1 == "\(getpid())")
  }
}
