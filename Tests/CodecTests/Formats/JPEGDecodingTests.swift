import ImageModel
import Testing

@testable import ImageCodecs
@testable import TestSupport

@Suite struct `JPEG decoding` {
  static let upright = SampleImages.quarters(48, 32)

  static func jpeg(
    _ pixels: PixelBuffer = upright, _ change: (inout EncodingOptions) -> Void = { _ in }
  ) throws -> [UInt8] {
    var options = EncodingOptions(quality: 95)
    options.chroma = .full
    options.isProgressive = false
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

  @Test(arguments: ImageCheck.allCases)
  func `a leading comment and trailing bytes are accepted`(level: ImageCheck) throws {
    let comment: [UInt8] = [0xff, 0xfe, 0, 6] + Array("note".utf8)
    let bytes = SampleImages.jpeg(try Self.jpeg(), inserting: [comment]) + [0, 1, 2, 0xff]

    #expect(throws: Never.self) { try ImageCodecs.check(bytes.span.bytes, level: level) }
  }

  @Test func `the good rows of a cut JPEG are returned on request, the rest is clear`() throws {
    let picture = SampleImages.gradient(200, 160)
    let whole = try Self.jpeg(picture)
    let cut = Array(whole.prefix(whole.count * 60 / 100))
    let options = with(DecodingOptions()) { $0.allowsPartial = true }

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

  @Test func `a header of 60,000 pixels a side is refused before anything is allocated`() throws {
    var bytes = try Self.jpeg()
    let frame = try `JPEG with faults`.start(of: 0xc0, in: bytes)
    bytes.replaceSubrange(frame + 5..<frame + 9, with: [0xea, 0x60, 0xea, 0x60])

    for level in ImageCheck.allCases {
      let error = imageError { try ImageCodecs.check(bytes.span.bytes, level: level) }
      #expect(error?.code == .limitExceeded)
    }
    imageError { try ImageCodecs.decode(bytes.span.bytes) }
  }

  @Test func `more scans than allowed are refused`() throws {
    let bytes = try Self.jpeg { $0.isProgressive = true }
    let limits = with(ImageLimits()) { $0.maximumProgressiveScans = 2 }

    for level in [ImageCheck.decode, .structure] {
      let error = imageError {
        try ImageCodecs.check(bytes.span.bytes, level: level, limits: limits)
      }
      #expect(error?.code == .limitExceeded)
    }
    imageError { try ImageCodecs.decode(bytes.span.bytes, limits: limits) }
  }

  @Test(arguments: [(0xc3, "lossless"), (0xc5, "hierarchical")])
  func `an unsupported JPEG process is refused by name`(marker: Int, word: String) throws {
    var bytes = try Self.jpeg()
    let frame = try `JPEG with faults`.start(of: 0xc0, in: bytes)
    bytes[frame + 1] = UInt8(marker)

    let error = imageError { try ImageCodecs.info(of: bytes.span.bytes) }

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

@Suite struct `The columns of a JPEG` {
  /// The rows of a file; of `columns` alone if there are some.
  static func rows(_ bytes: [UInt8], eighths: Int, columns: Range<Int>? = nil) throws -> (
    size: PixelSize, bytes: [UInt8]
  ) {
    var request = RowRequest()
    request.eighths = eighths
    return try bytes.withUnsafeBytes { raw in
      let reader = try JPEGCodec().rows(of: raw, request: request, limits: ImageLimits())
      if let columns { try reader.narrow(to: columns) }
      var rows = [UInt8](repeating: 0, count: 4 * reader.size.pixelCount)
      var (first, done) = (0, 0)
      while first < reader.size.height {
        try rows.withUnsafeMutableBytes { room in
          let left = UnsafeMutableRawBufferPointer(
            rebasing: room[(4 * first * reader.size.width)...])
          try reader.read(min(16, reader.size.height - first), into: left, done: &done)
        }
        first += done
      }
      return (reader.size, rows)
    }
  }

  static func expectSame(_ bytes: [UInt8], _ name: String) throws {
    for eighths in [1, 2, 4, 8] {
      let whole = try rows(bytes, eighths: eighths)
      let width = whole.size.width
      for (start, count) in [(0, 1), (width / 3, 9), (width / 2, width / 4), (width - 1, 1)] {
        let columns = max(0, start)..<min(width, max(0, start) + max(1, count))
        let part = try rows(bytes, eighths: eighths, columns: columns)
        let isSame = (0..<whole.size.height).allSatisfy { y in
          let range = 4 * (y * width + columns.lowerBound)..<4 * (y * width + columns.upperBound)
          return part.bytes[range] == whole.bytes[range]
        }
        #expect(isSame, "\(name), \(columns) of \(width), \(eighths) eighths")
      }
    }
  }

  @Test(arguments: [EncodingOptions.Chroma.quarter, .full], [false, true])
  func `are those of the whole image`(chroma: EncodingOptions.Chroma, isProgressive: Bool) throws {
    for width in [1, 17, 63, 203] {
      var options = EncodingOptions(quality: 90)
      (options.chroma, options.isProgressive) = (chroma, isProgressive)
      let image = SampleImages.noise(width, 61, seed: 3)
      try Self.expectSame(try ImageCodecs.encodeJPEG(image, options: options), "\(width)")
    }
  }

  @Test(.needsFixtures) func `are those of the whole image in every file of the suite`() throws {
    for (name, _, bytes) in try Conformance.validFiles("jpeg")
    where (try? Self.rows(bytes, eighths: 8)) != nil {
      try Self.expectSame(bytes, name)
    }
  }
}
