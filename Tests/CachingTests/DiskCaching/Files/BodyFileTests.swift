import Foundation
import ImageModel
import Testing

@testable import DiskCaching
@testable import TestSupport

@Suite struct `The file of a body` {
  private let folder: Scratch
  private let path: String

  init() throws {
    folder = try Scratch()
    path = folder / "body"
  }

  private func body(_ bytes: [UInt8]) throws -> BodyFile {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return try #require(BodyFile(path: path))
  }

  @Test func `is read from any offset, and ends where the file does`() throws {
    let body = try body(Array(0..<100))

    #expect(try body.read(at: 0, count: 3) == [0, 1, 2])
    #expect(try body.read(at: 97, count: 50) == [97, 98, 99])
    #expect(try body.read(at: 100, count: 1) == [])
    #expect(try body.read(at: 5_000, count: 1) == [])
    #expect(try body.read(at: 0, count: 0) == [])
  }

  @Test(arguments: [0, 1, 65_536, 65_537, 150_000])
  func `has the checksum of its first bytes`(count: Int) throws {
    let bytes = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let body = try body(bytes)

    let expected = bytes[..<count].withUnsafeBytes { CRC32C.checksum(of: $0) }

    #expect(body.checksum(byteCount: count) == expected)
    #expect(body.checksum(byteCount: 150_001) == nil)
  }

  @Test func `is a regular file, and no link leads to it`() throws {
    _ = try body([1])
    try FileManager.default.createSymbolicLink(
      atPath: folder / "link", withDestinationPath: path)

    #expect(BodyFile(path: folder / "absent") == nil)
    #expect(BodyFile(path: folder.path) == nil)
    #expect(BodyFile(path: folder / "link") == nil)
  }

  @Test func `that cannot be read is an error with the reason`() throws {
    // A descriptor that is open for writing only.
    let file = open(path, O_WRONLY | O_CREAT, 0o600)
    try #require(file >= 0)
    let body = BodyFile(file)

    let error = #expect(throws: ImageError.self) { try body.read(at: 0, count: 1) }

    #expect(error?.code == .fileUnreadable)
    #expect(error?.message == "cannot read a body: Bad file descriptor")
    #expect(body.checksum(byteCount: 1) == nil)
  }
}
