import Foundation
import ImageModel
import Testing

@testable import CacheSimulation
@testable import TestSupport

@Suite struct `Unpacking of gzip` {
  private static let text = Array("time,key,size\n1,a,10\n2,b,20\n".utf8)
  private static let head = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255] as [UInt8]
  /// Deflate's block without compression (RFC 1951, section 3.2.4).
  private static let block = [1, 28, 0, 227, 255] + text
  private static let end = [233, 148, 180, 100, 28, 0, 0, 0] as [UInt8]
  /// The text, and no byte, as members of a gzip file.
  private static let member = head + block + end
  private static let named = head.prefix(3) + [8] + head.dropFirst(4) + "t.csv\0".utf8 + block + end
  private static let empty = head + [1, 0, 0, 255, 255] + [UInt8](repeating: 0, count: 8)

  /// Unpacks in pieces of so many bytes.
  private func unpack(_ bytes: [UInt8], by count: Int = 1 << 20) throws -> [UInt8] {
    let inflater = try Inflater(name: "t.gz")
    var result: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: count) {
      try bytes[start..<min(start + count, bytes.count)].withUnsafeBytes { piece in
        try inflater.unpack(piece) { result += $0 }
      }
    }
    try inflater.finish()
    return result
  }

  private func error(_ bytes: [UInt8], by count: Int = 1 << 20) -> ImageError? {
    #expect(throws: ImageError.self) { try unpack(bytes, by: count) }
  }

  @Test(arguments: [1, 2, 3, 7, 10, 1_000])
  func `does not depend on the pieces`(count: Int) throws {
    #expect(try unpack(Self.member, by: count) == Self.text)
    #expect(try unpack(Self.named, by: count) == Self.text)
  }

  @Test(arguments: [1, 5, 100])
  func `continues with the next member, and passes over zeros between`(count: Int) throws {
    let members = [Self.member, Self.empty, Self.named, Self.member]

    let packed = Array(members.map { $0 + [0, 0, 0] }.joined())

    #expect(try unpack(packed, by: count) == Self.text + Self.text + Self.text)
  }

  @Test(arguments: [65_535, 65_536, 65_537, 131_073])
  func `passes on more than one piece of output`(count: Int) async throws {
    var random = SplitMix64(seed: 9)
    let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    let packed = try await Scratch().gzipped(bytes)

    #expect(try unpack(packed) == bytes)
    #expect(try unpack(packed, by: 4_096) == bytes)
  }

  @Test func `knows zlib's header as well`() throws {
    let packed = [0x78, 1] + Self.block + [132, 197, 7, 195]
    for count in [1, 1 << 20] { #expect(try unpack(packed, by: count) == Self.text) }
  }

  @Test func `of a file that is cut off anywhere is an error`() {
    let packed = Self.named
    for count in 1..<packed.count {
      #expect(error(Array(packed.prefix(count)))?.code == .truncated, "\(count)")
    }
    #expect(error([])?.code == .truncated)
  }

  @Test func `finds every flipped bit of the bytes, their checksum and their count`() {
    let packed = Self.member
    for index in 15..<packed.count {
      for bit in 0..<8 {
        var changed = packed
        changed[index] ^= 1 << UInt8(bit)
        #expect(error(changed)?.code == .corrupt, "byte \(index), bit \(bit)")
      }
    }
  }

  @Test func `of other bytes behind a member is an error`() {
    #expect(error(Self.member + [0, 0, 1, 2, 3, 4])?.code == .corrupt)
    #expect(error(Self.member + Self.member.prefix(9))?.code == .truncated)
  }

  @Test func `ends with the error of its receiver`() throws {
    let inflater = try Inflater(name: "t.gz")
    var count = 0

    let error = #expect(throws: ImageError.self) {
      try (Self.member + Self.member).withUnsafeBytes { bytes in
        try inflater.unpack(bytes) { _ throws(ImageError) in
          count += 1
          throw ImageError(.limitExceeded, "enough")
        }
      }
    }

    #expect(error?.message == "enough" && count == 1)
  }
}

extension Scratch {
  /// What `gzip` makes of bytes.
  func gzipped(_ bytes: [UInt8]) async throws -> [UInt8] {
    try Data(bytes).write(to: URL(fileURLWithPath: self / "plain"))
    let outcome = try await Tool(path: "/usr/bin/env").run(["gzip", "-kf", self / "plain"])
    #expect(outcome.status == 0)
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: self / "plain.gz")))
  }
}
