import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

@Suite struct `The size of a ThumbHash` {
  /// The bytes that a header of these values announces, filled with zeros up to `count`.
  static func bytes(alpha: Bool, wide: Bool, shorter: UInt8, count: Int) -> [UInt8] {
    let head: [UInt8] = [0, 0, alpha ? 0x80 : 0, shorter, wide ? 0x80 : 0]
    return head + Array(repeating: 0, count: count - head.count)
  }

  @Test(
    arguments: [
      // Planes of 3 × 3 and 7 × 3, of 7 × 7, and with alpha of 5 × 5 up to 7 × 5.
      (false, false, 3, 17), (false, true, 0, 17), (false, true, 7, 24), (true, false, 3, 23),
      (true, true, 5, 25), (true, false, 7, 29),
    ] as [(Bool, Bool, UInt8, Int)])
  func `is what its header announces, and bytes may follow`(
    alpha: Bool, wide: Bool, shorter: UInt8, count: Int
  ) throws {
    let whole = Self.bytes(alpha: alpha, wide: wide, shorter: shorter, count: count)

    #expect(ThumbHash(bytes: whole) != nil)
    #expect(ThumbHash(bytes: Array(whole.dropLast())) == nil)
    #expect(try #require(ThumbHash(bytes: whole + [1, 2, 3])).bytes.count == count + 3)
  }

  @Test func `is 17 to 25 bytes where it was made of an image`() throws {
    var random = SplitMix64(seed: 7)
    for _ in 0..<60 {
      let sides = (Int(random.next() % 90) + 1, Int(random.next() % 90) + 1)
      let isOpaque = random.next() % 2 == 0
      let image =
        isOpaque
        ? SampleImages.gradient(sides.0, sides.1) : SampleImages.translucent(sides.0, sides.1)

      let count = try ThumbHash(of: image).bytes.count

      #expect((17...25).contains(count), "\(sides), opaque: \(isOpaque)")
    }
  }
}
