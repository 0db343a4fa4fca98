import ImageCodecs
import ImageModel
import Testing
@testable import TestSupport

@Suite struct `PNG decoding` {
  @Test(arguments: [0, 3, 9])
  func `decoded pixels equal the encoded ones`(level: Int) throws {
    for pixels in [
      SampleImages.gradient(33, 17), SampleImages.quarters(50, 20),
      SampleImages.translucent(37, 21),
    ] {
      let bytes = try ImageCodecs.encodePNG(pixels, options: EncodingOptions(level: level))

      #expect(try ImageCodecs.decode(bytes.span.bytes) == pixels)
      #expect(throws: Never.self) { try ImageCodecs.check(bytes.span.bytes, level: .structure) }
      #expect(throws: Never.self) { try ImageCodecs.check(bytes.span.bytes, level: .decode) }
    }
  }

  @Test(arguments: [ImageCheck.decode, .structure])
  func `a flipped bit in the pixels is detected`(level: ImageCheck) throws {
    var bytes = try ImageCodecs.encodePNG(SampleImages.translucent(37, 21))
    bytes[bytes.count / 2] ^= 0x10

    #expect(imageError { try ImageCodecs.check(bytes.span.bytes, level: level) }?.code == .corrupt)
  }

  @Test func `trailing bytes are accepted`() throws {
    let bytes = try ImageCodecs.encodePNG(SampleImages.translucent(37, 21)) + [1, 2, 3]

    for level in ImageCheck.allCases {
      #expect(throws: Never.self) { try ImageCodecs.check(bytes.span.bytes, level: level) }
    }
  }

  @Test func `Xcode's PNG variant (CgBI) is refused by name`() throws {
    var bytes = try ImageCodecs.encodePNG(SampleImages.translucent(37, 21))
    bytes.insert(
      contentsOf: [0, 0, 0, 4] + Array("CgBI".utf8) + [0x50, 0, 0x20, 2, 0x2b, 0xd5, 0xb3, 0x7f],
      at: 8)

    let error = imageError { try ImageCodecs.decode(bytes.span.bytes) }

    #expect(error?.code == .unsupportedFormat)
    #expect(error?.message.contains("CgBI") == true)
  }

  static let whole: [(name: String, file: @Sendable () throws -> [UInt8])] = [
    ("PNG", { try ImageCodecs.encodePNG(SampleImages.translucent(37, 21)) }),
    ("JPEG", { try `JPEG decoding`.jpeg(SampleImages.gradient(200, 160)) }),
    (
      "progressive JPEG",
      { try `JPEG decoding`.jpeg(SampleImages.gradient(200, 160)) { $0.isProgressive = true } }
    ),
    (
      "GIF",
      {
        var gif = SampleImages.GIF(9, 9)
        for index in [UInt8(1), 2] { gif.add(9, 9, index: index) }
        return gif.finished()
      }
    ),
  ]

  @Test(arguments: whole.indices, [ImageCheck.decode, .structure])
  func `a file cut anywhere is truncated`(index: Int, level: ImageCheck) throws {
    let (name, file) = Self.whole[index]
    let whole = try file()
    let isJPEG = name.hasSuffix("JPEG")
    let cuts =
      isJPEG
      ? [3, 40, 75, 99].map { whole.count * $0 / 100 }
      : [12, 40, 60, whole.count / 2, whole.count - 5, whole.count - 2]
    for count in cuts {
      let cut = Array(whole.prefix(count))
      let error = imageError { try ImageCodecs.check(cut.span.bytes, level: level) }
      #expect(error?.code == .truncated, "\(name) cut at \(count) of \(whole.count)")
    }
    guard isJPEG else { return }
    let cut = Array(whole.dropLast(2))
    imageError { try ImageCodecs.check(cut.span.bytes, level: level) }
    imageError { try ImageCodecs.decode(cut.span.bytes) }
  }
}
