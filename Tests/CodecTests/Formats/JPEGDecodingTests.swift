import ImageCodecs
import ImageModel
import Testing
@testable import TestSupport

@Suite struct `JPEG decoding` {
  static let upright = SampleImages.quarters(48, 32)

  static func jpeg(
    _ pixels: PixelBuffer = upright, _ change: (inout JPEGEncodingOptions) -> Void = { _ in }
  ) throws -> [UInt8] {
    var options = JPEGEncodingOptions(quality: 95)
    options.chroma = .full
    change(&options)
    return try ImageCodecs.encodeJPEG(pixels, options: options)
  }

  // Flat quarters at quality 95: rounding of the transform and the colors, and ringing at the
  // edge.
  static let tolerance = 12

  @Test(arguments: [false, true])
  func `decoded pixels equal the encoded ones`(isProgressive: Bool) throws {
    let bytes = try Self.jpeg { $0.isProgressive = isProgressive }

    let decoded = try ImageCodecs.decode(bytes.span.bytes)

    #expect(decoded.difference(from: Self.upright) <= Self.tolerance)
    #expect(try ImageCodecs.info(of: bytes.span.bytes).isProgressive == isProgressive)
  }

  /// The stored position of the pixel that is shown at (x, y).
  static func stored(_ x: Int, _ y: Int, _ orientation: Int, _ size: PixelSize) -> (Int, Int) {
    let right = size.width - 1
    let bottom = size.height - 1
    return switch orientation {
    case 2: (right - x, y)
    case 3: (right - x, bottom - y)
    case 4: (x, bottom - y)
    case 5: (y, x)
    case 6: (y, bottom - x)
    case 7: (right - y, bottom - x)
    case 8: (right - y, x)
    default: (x, y)
    }
  }

  @Test(arguments: 1...8, [false, true])
  func `an EXIF orientation is applied exactly once`(orientation: Int, bigEndian: Bool) throws {
    let plain = try Self.jpeg(SampleImages.gradient(40, 24))
    let turned = SampleImages.jpeg(
      plain, inserting: [SampleImages.exif(orientation: UInt8(orientation), bigEndian: bigEndian)])

    let reference = try ImageCodecs.decode(plain.span.bytes)
    let decoded = try ImageCodecs.decode(turned.span.bytes)
    let info = try ImageCodecs.info(of: turned.span.bytes)

    #expect(info.orientation == orientation)
    #expect(info.size == decoded.size)
    #expect(decoded.width == (orientation >= 5 ? 24 : 40))
    for (x, y) in [(0, 0), (5, 3), (decoded.width - 1, 1), (2, decoded.height - 1)] {
      let (storedX, storedY) = Self.stored(x, y, orientation, reference.size)
      #expect(decoded[x, y] == reference[storedX, storedY])
    }
  }

  @Test(arguments: ImageCheck.allCases)
  func `a leading comment and trailing bytes are accepted`(level: ImageCheck) throws {
    let comment: [UInt8] = [0xff, 0xfe, 0, 6] + Array("note".utf8)
    let bytes = SampleImages.jpeg(try Self.jpeg(), inserting: [comment]) + [0, 1, 2, 0xff]

    #expect(throws: Never.self) { try ImageCodecs.check(bytes.span.bytes, level: level) }
  }

  @Test(arguments: [ImageCheck.decode, .structure], [false, true])
  func `a JPEG cut anywhere is truncated`(level: ImageCheck, isProgressive: Bool) throws {
    let whole = try Self.jpeg(SampleImages.gradient(200, 160)) { $0.isProgressive = isProgressive }

    for share in [3, 40, 75, 99] {
      let cut = Array(whole.prefix(whole.count * share / 100))
      let error = #expect(throws: ImageError.self) {
        try ImageCodecs.check(cut.span.bytes, level: level)
      }
      #expect(error?.code == .truncated)
    }
    let withoutEnd = Array(whole.dropLast(2))
    #expect(throws: ImageError.self) { try ImageCodecs.check(withoutEnd.span.bytes, level: level) }
    #expect(throws: ImageError.self) { try ImageCodecs.decode(withoutEnd.span.bytes) }
  }

  @Test func `the good rows of a truncated JPEG are returned on request, the rest is transparent`()
    throws
  {
    let picture = SampleImages.gradient(200, 160)
    let whole = try Self.jpeg(picture)
    let cut = Array(whole.prefix(whole.count * 60 / 100))
    var options = DecodingOptions()
    options.allowsPartial = true

    let reader = try FrameReader(cut.span.bytes, options: options)
    let frame = try #require(try reader.next(of: cut.span.bytes))

    #expect(reader.fault?.code == .truncated)
    #expect(frame.pixels[20, 40][3] == 255)
    #expect(frame.pixels[20, 159] == [0, 0, 0, 0])
  }

  @Test func `most corrupted pixels are detected, by the check and by decoding`() throws {
    let whole = try Self.jpeg(SampleImages.gradient(320, 240)) { $0.chroma = .quarter }
    var noticed = 0
    let starts = stride(from: 800, to: whole.count - 100, by: 499)
    for start in starts {
      var garbled = whole
      for at in start..<start + 64 { garbled[at] ^= 0x5a }

      let isWhole = (try? ImageCodecs.check(garbled.span.bytes, level: .decode)) != nil
      // Leftover codes at the end do not change the image, but give a warning.
      let reader = try? FrameReader(garbled.span.bytes)
      let frame = try? reader?.next(of: garbled.span.bytes)
      #expect(isWhole == (frame != nil && reader?.warnings.isEmpty == true))
      if !isWhole { noticed += 1 }
    }
    // Codes that resynchronize before the end of the data cannot be distinguished from an image.
    #expect(noticed * 2 > Array(starts).count)
  }

  @Test func `a header of 60,000 pixels a side is refused before anything is allocated`()
    throws
  {
    var bytes = try Self.jpeg()
    let frame = try #require(
      bytes.indices.dropLast(8).first { bytes[$0] == 0xff && bytes[$0 + 1] == 0xc0 })
    bytes.replaceSubrange(frame + 5..<frame + 9, with: [0xea, 0x60, 0xea, 0x60])

    for level in ImageCheck.allCases {
      let error = #expect(throws: ImageError.self) {
        try ImageCodecs.check(bytes.span.bytes, level: level)
      }
      #expect(error?.code == .limitExceeded)
    }
    #expect(throws: ImageError.self) { try ImageCodecs.decode(bytes.span.bytes) }
  }

  @Test func `more scans than allowed are refused`() throws {
    let bytes = try Self.jpeg { $0.isProgressive = true }
    var limits = ImageLimits()
    limits.maximumProgressiveScans = 2

    for level in [ImageCheck.decode, .structure] {
      let error = #expect(throws: ImageError.self) {
        try ImageCodecs.check(bytes.span.bytes, level: level, limits: limits)
      }
      #expect(error?.code == .limitExceeded)
    }
    #expect(throws: ImageError.self) { try ImageCodecs.decode(bytes.span.bytes, limits: limits) }
  }

  @Test(arguments: [(0xc3, "lossless"), (0xc5, "hierarchical")])
  func `an unsupported JPEG process is refused by name`(marker: Int, word: String) throws {
    var bytes = try Self.jpeg()
    let frame = try #require(
      bytes.indices.dropLast(8).first { bytes[$0] == 0xff && bytes[$0 + 1] == 0xc0 })
    bytes[frame + 1] = UInt8(marker)

    let error = #expect(throws: ImageError.self) { try ImageCodecs.info(of: bytes.span.bytes) }

    #expect(error?.code == .unsupportedFormat)
    #expect(error?.message.contains(word) == true)
  }

  @Test(arguments: [
    (isJFIF: true, transform: UInt8(0), model: ImageInfo.ColorModel.ycbcr), (true, 1, .ycbcr),
    (false, 0, .rgb), (false, 1, .ycbcr),
  ])
  func `colours are named as they are decoded: JFIF counts before Adobe's marker`(
    isJFIF: Bool, transform: UInt8, model: ImageInfo.ColorModel
  ) throws {
    let plain = try Self.jpeg()
    let adobe: [UInt8] =
      [0xFF, 0xEE, 0, 14] + Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, transform]
    try #require(Array(plain[2..<4]) == [0xFF, 0xE0] && plain[4] == 0)
    let body = isJFIF ? plain[2...] : plain[(4 + Int(plain[5]))...]
    let bytes = Array(plain[..<2] + adobe + body)

    let decoded = try ImageCodecs.decode(bytes.span.bytes)

    #expect(try ImageCodecs.info(of: bytes.span.bytes).colorModel == model)
    #expect((decoded.difference(from: Self.upright) <= Self.tolerance) == (model == .ycbcr))
  }
}
