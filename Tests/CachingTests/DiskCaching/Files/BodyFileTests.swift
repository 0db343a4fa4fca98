import Foundation
import Testing

@testable import DiskCaching
@testable import ImageModel
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

@Suite struct `Checksums` {
  func sha(_ text: String) -> String {
    Array(text.utf8).withUnsafeBytes { SHA256.hash(of: $0).hex }
  }

  @Test func `SHA-256 matches the standard's digests`() {
    #expect(sha("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(sha("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    let hasher = SHA256()
    for piece in ["a", "", "bc"] { Array(piece.utf8).withUnsafeBytes { hasher.update($0) } }
    #expect(hasher.finish().hex == sha("abc"))
    #expect(hasher.finish().hex == sha(""))
  }

  @Test func `a digest is parsed from its text`() throws {
    let digest = try #require(BlobHash(hex: sha("abc")))

    #expect(digest.hex == sha("abc"))
    #expect(digest.bytes.withUnsafeBytes { BlobHash(bytes: $0) } == digest)
    #expect(BlobHash(hex: sha("abc").uppercased()) == digest)
    #expect(BlobHash(hex: "12") == nil)
    #expect(BlobHash(hex: String(repeating: "g", count: 64)) == nil)
  }

  @Test(
    arguments: [
      0, 1, 7, 8, 9, 511, 512, 513, 768, 1023, 1535, 1536, 3071, 3072, 3073, 6144, 20_000, 100_001,
    ])
  func `a checksum of pieces equals the bitwise checksum of the whole`(count: Int) {
    var random = SplitMix64(seed: UInt64(count))
    let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    var slow: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      slow ^= UInt32(byte)
      for _ in 0..<8 { slow = slow & 1 == 1 ? slow >> 1 ^ 0x82F6_3B78 : slow >> 1 }
    }

    var checksum = CRC32C()
    bytes.withUnsafeBytes { all in
      let cut = count / 3
      checksum.update(UnsafeRawBufferPointer(rebasing: all[..<cut]))
      checksum.update(UnsafeRawBufferPointer(rebasing: all[cut...]))
    }

    #expect(checksum.value == ~slow)
  }

  @Test func `the index hash of a key never changes`() {
    #expect(
      CacheKey.original(url: "https://example.com/a.jpg").indexHash == 17_847_262_670_275_999_854)
    #expect(
      CacheKey.variant(source: "ab", recipe: "c").indexHash
        != CacheKey.variant(source: "a", recipe: "bc").indexHash)
    #expect(CacheKey.original(url: "a").indexHash != CacheKey.document(url: "a").indexHash)
  }
}
