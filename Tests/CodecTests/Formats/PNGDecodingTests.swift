import ImageCodecs
import ImageModel
import Testing
@testable import TestSupport

@Suite struct `PNG decoding` {
  static func translucent() -> PixelBuffer {
    var pixels = SampleImages.gradient(37, 21)
    pixels.withMutableBytes { raw in
      for at in stride(from: 3, to: raw.count, by: 4) { raw[at] = UInt8(at % 256) }
    }
    return pixels
  }

  @Test(arguments: [0, 3, 9])
  func `decoded pixels equal the encoded ones`(level: Int) throws {
    for pixels in [
      SampleImages.gradient(33, 17), SampleImages.quarters(50, 20), Self.translucent(),
    ] {
      let bytes = try ImageCodecs.encodePNG(pixels, options: PNGEncodingOptions(level: level))

      #expect(try ImageCodecs.decode(bytes.span.bytes) == pixels)
      #expect(throws: Never.self) { try ImageCodecs.check(bytes.span.bytes, level: .structure) }
      #expect(throws: Never.self) { try ImageCodecs.check(bytes.span.bytes, level: .decode) }
    }
  }

  @Test(arguments: [ImageCheck.decode, .structure])
  func `a PNG cut anywhere is truncated`(level: ImageCheck) throws {
    let whole = try ImageCodecs.encodePNG(Self.translucent())

    for count in [9, 20, 40, whole.count / 2, whole.count - 13, whole.count - 1] {
      let cut = Array(whole.prefix(count))
      let error = #expect(throws: ImageError.self) {
        try ImageCodecs.check(cut.span.bytes, level: level)
      }
      #expect(error?.code == .truncated, "cut at \(count) of \(whole.count)")
    }
  }

  @Test(arguments: [ImageCheck.decode, .structure])
  func `a flipped bit in the pixels is detected`(level: ImageCheck) throws {
    var bytes = try ImageCodecs.encodePNG(Self.translucent())
    bytes[bytes.count / 2] ^= 0x10

    let error = #expect(throws: ImageError.self) {
      try ImageCodecs.check(bytes.span.bytes, level: level)
    }
    #expect(error?.code == .corrupt)
  }

  @Test func `trailing bytes are accepted`() throws {
    let bytes = try ImageCodecs.encodePNG(Self.translucent()) + [1, 2, 3]

    for level in ImageCheck.allCases {
      #expect(throws: Never.self) { try ImageCodecs.check(bytes.span.bytes, level: level) }
    }
  }

  @Test func `Xcode's PNG variant (CgBI) is refused by name`() throws {
    var bytes = try ImageCodecs.encodePNG(Self.translucent())
    bytes.insert(
      contentsOf: [0, 0, 0, 4] + Array("CgBI".utf8) + [0x50, 0, 0x20, 2, 0x2b, 0xd5, 0xb3, 0x7f],
      at: 8)

    let error = #expect(throws: ImageError.self) { try ImageCodecs.decode(bytes.span.bytes) }

    #expect(error?.code == .unsupportedFormat)
    #expect(error?.message.contains("CgBI") == true)
  }

  @Test func `a size beyond the limits is refused from the header`() throws {
    var limits = ImageLimits()
    limits.maximumPixels = 700
    let bytes = try ImageCodecs.encodePNG(Self.translucent())

    let error = #expect(throws: ImageError.self) {
      try ImageCodecs.info(of: bytes.span.bytes, limits: limits)
    }

    #expect(error?.code == .limitExceeded)
  }
}
