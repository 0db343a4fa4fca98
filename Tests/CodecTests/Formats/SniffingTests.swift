import ImageCodecs
import ImageModel
import Testing

@Suite struct `Sniffing` {
  static func brand(_ major: String, _ compatible: String...) -> [UInt8] {
    let size = UInt8(16 + 4 * compatible.count)
    return [0, 0, 0, size] + Array("ftyp\(major)\0\0\0\0\(compatible.joined())".utf8)
  }

  static let table: [(ImageFormat, [UInt8])] = [
    (.jpeg, [0xff, 0xd8, 0xff, 0xe0, 0, 16]),
    (.png, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    (.gif, Array("GIF87a".utf8)), (.gif, Array("GIF89a".utf8)),
    (.webp, Array("RIFF\0\0\0\0WEBPVP8 ".utf8)),
    (.avif, brand("avif", "mif1")), (.avif, brand("avis")), (.avif, brand("mif1", "miaf", "avif")),
    (.heic, brand("heic", "mif1")), (.heic, brand("mif1", "heic")), (.heic, brand("hevc")),
    (.heic, brand("mif1", "miaf")),
    (.jxl, [0xff, 0x0a, 0x12]),
    (.jxl, [0, 0, 0, 12, 0x4a, 0x58, 0x4c, 0x20, 0x0d, 0x0a, 0x87, 0x0a]),
    (.bmp, [0x42, 0x4d, 9, 9, 0, 0, 0, 0, 0, 0]),
    (.tiff, [0x49, 0x49, 0x2a, 0, 8]), (.tiff, [0x4d, 0x4d, 0, 0x2a, 0]),
    (.ico, [0, 0, 1, 0, 1, 0]),
    (.svg, Array("<svg xmlns='http://www.w3.org/2000/svg'>".utf8)),
    (.svg, Array("\u{feff}<?xml version='1.0'?>\n<!-- a -->\n<svg>".utf8)),
  ]

  @Test(arguments: table)
  func `a signature names its format`(format: ImageFormat, head: [UInt8]) {
    #expect(ImageFormat(sniffing: head.span.bytes) == format)
  }

  @Test(arguments: [
    "<!DOCTYPE html><html>", "{\"a\":1}", "RIFF\0\0\0\0WAVEfmt ", "BMW is a maker of cars",
    "%PDF-1.7",
    "\0\0\0\u{18}ftypisom\0\0\0\0isommp42",
  ])
  func `data that is not an image is refused as that, by its first bytes`(text: String) throws {
    let bytes = Array(text.utf8)

    #expect(ImageFormat(sniffing: bytes.span.bytes) == nil)
    let error = #expect(throws: ImageError.self) { try ImageCodecs.info(of: bytes.span.bytes) }
    #expect(error?.code == .notAnImage)
  }

  @Test(arguments: table.filter { $0.0 != .svg }, [0, 1, 5, 11, 12])
  func `a header cut at n bytes is truncated, not corrupt`(
    entry: (ImageFormat, [UInt8]), count: Int
  ) throws {
    let cut = Array(entry.1.prefix(count))

    let error = #expect(throws: ImageError.self) { try ImageCodecs.info(of: cut.span.bytes) }

    let isTold = ImageFormat(sniffing: cut.span.bytes) != nil
    #expect(
      error?.code
        == (isTold && !ImageCodecs.decodableFormats.contains(entry.0)
          ? .unsupportedFormat : .truncated))
  }

  @Test func `a known format without a decoder is refused by name`() throws {
    for (bytes, name) in [(Self.brand("heic", "mif1"), "HEIC"), ([0xff, 0x0a, 0x12], "JPEG XL")] {
      let error = #expect(throws: ImageError.self) { try ImageCodecs.info(of: bytes.span.bytes) }

      #expect(error?.code == .unsupportedFormat)
      #expect(error?.message.contains(name) == true)
    }
  }
}
