import ImageModel
import Testing

@testable import CacheSimulation

@Suite struct `Unpacking of gzip` {
  /// The table of RFC 1952, section 8.
  private static let table = (0..<256 as Range<UInt32>).map { byte in
    (0..<8).reduce(byte) { sum, _ in sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    let table = table
    var sum = ~UInt32(0)
    for byte in bytes { sum = table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] ^ sum >> 8 }
    return ~sum
  }

  private static func word(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  /// Deflate's blocks without compression (RFC 1951, section 3.2.4).
  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var blocks: [UInt8] = []
    var rest = bytes[...]
    repeat {
      let part = rest.prefix(65_535)
      rest = rest.dropFirst(65_535)
      let count = UInt16(part.count)
      blocks.append(rest.isEmpty ? 1 : 0)
      for number in [count, ~count] { blocks += [UInt8(number & 255), UInt8(number >> 8)] }
      blocks += part
    } while !rest.isEmpty
    return blocks
  }

  /// A member of a gzip file, with a name if there is one.
  private static func member(_ bytes: [UInt8], name: String? = nil) -> [UInt8] {
    [0x1F, 0x8B, 8, name == nil ? 0 : 8, 0, 0, 0, 0, 0, 255]
      + (name.map { Array($0.utf8) + [0] } ?? []) + stored(bytes) + word(checksum(bytes))
      + word(UInt32(truncatingIfNeeded: bytes.count))
  }

  /// A zlib stream (RFC 1950).
  private static func zlib(_ bytes: [UInt8]) -> [UInt8] {
    let (low, high) = bytes.reduce((UInt32(1), UInt32(0))) { sums, byte in
      let low = (sums.0 + UInt32(byte)) % 65_521
      return (low, (sums.1 + low) % 65_521)
    }
    return [0x78, 0x01] + stored(bytes) + word(high << 16 | low).reversed()
  }

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

  private static let text = Array("time,key,size\n1,a,10\n2,b,20\n".utf8)

  @Test(arguments: [1, 2, 3, 7, 10, 1_000])
  func `does not depend on the pieces`(count: Int) throws {
    #expect(try unpack(Self.member(Self.text), by: count) == Self.text)
    #expect(try unpack(Self.member(Self.text, name: "t.csv"), by: count) == Self.text)
  }

  @Test(arguments: [1, 5, 100])
  func `continues with the next member, and passes over zeros between`(count: Int) throws {
    let members: [[UInt8]] = [Self.text, [], [7], Self.text]

    let packed = Array(members.map { Self.member($0) + [0, 0, 0] as [UInt8] }.joined())

    #expect(try unpack(packed, by: count) == Array(members.joined()))
  }

  @Test(arguments: [65_535, 65_536, 65_537, 131_073])
  func `passes on more than one piece of output`(count: Int) throws {
    var random = SplitMix64(seed: 9)
    let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }

    #expect(try unpack(Self.member(bytes)) == bytes)
    #expect(try unpack(Self.member(bytes), by: 4_096) == bytes)
  }

  @Test func `knows zlib's header as well`() throws {
    for count in [1, 1 << 20] { #expect(try unpack(Self.zlib(Self.text), by: count) == Self.text) }
  }

  @Test func `of a file that is cut off anywhere is an error`() {
    let packed = Self.member(Self.text, name: "t")
    for count in 1..<packed.count {
      #expect(error(Array(packed.prefix(count)))?.code == .truncated, "\(count)")
    }
    #expect(error([])?.code == .truncated)
  }

  @Test func `finds every flipped bit of the bytes, their checksum and their count`() {
    let packed = Self.member(Self.text)
    for index in 15..<packed.count {
      for bit in 0..<8 {
        var changed = packed
        changed[index] ^= 1 << UInt8(bit)
        #expect(error(changed)?.code == .corrupt, "byte \(index), bit \(bit)")
      }
    }
  }

  @Test func `of other bytes behind a member is an error`() {
    #expect(error(Self.member(Self.text) + [0, 0, 1, 2, 3, 4])?.code == .corrupt)
    #expect(error(Self.member(Self.text) + Self.member(Self.text).prefix(9))?.code == .truncated)
  }

  @Test func `ends with the error of its receiver`() throws {
    let inflater = try Inflater(name: "t.gz")
    var count = 0

    let error = #expect(throws: ImageError.self) {
      try Self.member([UInt8](repeating: 1, count: 200_000)).withUnsafeBytes { bytes in
        try inflater.unpack(bytes) { _ throws(ImageError) in
          count += 1
          throw ImageError(.limitExceeded, "enough")
        }
      }
    }

    #expect(error?.message == "enough" && count == 1)
  }
}
