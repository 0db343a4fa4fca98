import Foundation
import Testing

@testable import DiskCaching
@testable import ImageModel
@testable import TestSupport

@Suite struct `Verified files` {
  private let folder: Scratch

  init() throws { folder = try Scratch() }

  private func version(_ inode: UInt64, changed: Int = 1) -> BodyFile.Version {
    BodyFile.Version(inode: inode, byteCount: 10, changed: changed)
  }

  @Test func `are known by version and checksum`() {
    var files = VerifiedFiles()
    #expect(!files.contains(version(7), 1))

    files.insert(version(7), 1)

    #expect(files.contains(version(7), 1))
    #expect(!files.contains(version(7), 2))
    #expect(!files.contains(version(7, changed: 2), 1))
    #expect(!files.contains(version(8), 1))
  }

  @Test func `are limited in number`() {
    var files = VerifiedFiles()

    for inode in 0..<5000 { files.insert(version(UInt64(inode)), 1) }

    #expect((0..<5000).filter { files.contains(version(UInt64($0)), 1) }.count == 1024)
    #expect(files.contains(version(4999), 1))
  }

  @Test func `have another version after a change of their bytes in place`() throws {
    let path = folder / "body"
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
    let body = try #require(BodyFile(path: path))
    let before = try #require(body.version)
    #expect(body.version == before)

    // The clock of a file system ticks every few milliseconds.
    let writer = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    for _ in 0..<1_000_000 where body.version == before {
      try writer.seek(toOffset: 0)
      try writer.write(contentsOf: Data([9]))
    }

    #expect(body.version != before)
    #expect(body.version?.inode == before.inode)
    #expect(body.version?.byteCount == 3)
  }
}
