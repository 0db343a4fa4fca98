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

  private var files = RecentEntries<VerifiedFile>(count: VerifiedFile.maximumCount)

  private func isKnown(_ version: BodyFile.Version, _ checksum: UInt32) -> Bool {
    files[VerifiedFile(version: version, checksum: checksum)] != nil
  }

  @Test mutating func `are known by version and checksum`() {
    #expect(!isKnown(version(7), 1))

    files.insert(VerifiedFile(version: version(7), checksum: 1))

    #expect(isKnown(version(7), 1))
    #expect(!isKnown(version(7), 2))
    #expect(!isKnown(version(7, changed: 2), 1))
    #expect(!isKnown(version(8), 1))
  }

  @Test mutating func `are limited in number`() {
    for inode in 0..<5000 {
      files.insert(VerifiedFile(version: version(UInt64(inode)), checksum: 1))
    }

    #expect((0..<5000).filter { isKnown(version(UInt64($0)), 1) }.count == 1024)
    #expect(isKnown(version(4999), 1))
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
