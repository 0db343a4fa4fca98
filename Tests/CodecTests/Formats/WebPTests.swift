import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

@Suite struct `WebP` {
  static func frames(_ count: Int, _ size: Int = 40) -> [AnimationFrame] {
    (0..<count).map {
      AnimationFrame(
        pixels: SampleImages.gradient(size, size, shift: 40 * $0),
        delay: .milliseconds(30 + 10 * $0))
    }
  }

  static func lossless() -> EncodingOptions {
    with(EncodingOptions()) { $0.isLossless = true }
  }

  /// The chunks of a file: name and body.
  static func chunks(_ bytes: [UInt8]) -> [(name: String, body: [UInt8])] {
    var chunks: [(name: String, body: [UInt8])] = []
    var at = 12
    while at + 8 <= bytes.count {
      let length = bytes[at + 4..<at + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
      let name = String(decoding: bytes[at..<at + 4], as: UTF8.self)
      chunks.append((name, Array(bytes[at + 8..<min(at + 8 + length, bytes.count)])))
      at += 8 + length + length % 2
    }
    return chunks
  }

  static func file(_ chunks: [(name: String, body: [UInt8])]) -> [UInt8] {
    var body = Array("WEBP".utf8)
    for chunk in chunks {
      body += Array(chunk.name.utf8) + little(chunk.body.count, 4) + chunk.body
      if chunk.body.count % 2 == 1 { body.append(0) }
    }
    return Array("RIFF".utf8) + little(body.count, 4) + body
  }

  static func little(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// A still image of a canvas, followed by an EXIF chunk.
  static func extended(
    _ still: [UInt8], size: PixelSize, orientation: UInt8, flags: UInt8 = 8
  ) -> [UInt8] {
    let header = [flags, 0, 0, 0] + little(size.width - 1, 3) + little(size.height - 1, 3)
    let tiff = Array(SampleImages.exif(orientation: orientation).dropFirst(10))
    return file([("VP8X", header)] + chunks(still) + [("EXIF", tiff)])
  }

  static func error(_ one: PixelBuffer, _ other: PixelBuffer) -> Double {
    let total = zip(one.bytes, other.bytes).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
    return Double(total) / Double(one.bytes.count)
  }

  @Test(arguments: [(1, 1), (17, 16), (129, 1), (3, 130)])
  func `a lossless file keeps every pixel`(width: Int, height: Int) throws {
    for image in [
      SampleImages.gradient(width, height), SampleImages.translucent(width, height),
      SampleImages.noise(width, height, seed: 7),
    ] {
      let bytes = try ImageCodecs.encodeWebP(image, options: Self.lossless())

      let info = try ImageCodecs.info(of: bytes.span.bytes)
      #expect(info.format == .webp && info.size == image.size && info.frameCount == 1)
      #expect(info.hasAlpha == !image.isOpaque)
      let kept = try ImageCodecs.decode(bytes.span.bytes)
      #expect(kept == image)
    }
  }

  @Test func `a lower quality is smaller and less exact, and alpha is kept`() throws {
    let image = SampleImages.gradient(320, 200)

    let files = try [20, 60, 95].map {
      try ImageCodecs.encodeWebP(image, options: EncodingOptions(quality: $0))
    }
    var errors: [Double] = []
    for file in files { errors.append(Self.error(try ImageCodecs.decode(file.span.bytes), image)) }
    let clear = SampleImages.translucent(64, 64)
    let file = try ImageCodecs.encodeWebP(clear)
    let kept = try ImageCodecs.decode(file.span.bytes)

    #expect(files[0].count < files[1].count && files[1].count < files[2].count)
    #expect(errors[0] > errors[1] && errors[1] > errors[2])
    let alphas = stride(from: 3, to: kept.bytes.count, by: 4)
    #expect(alphas.allSatisfy { kept.bytes[$0] == clear.bytes[$0] })
  }

  @Test(arguments: 1...8)
  func `EXIF orientation is applied once`(orientation: Int) throws {
    let image = SampleImages.gradient(30, 20)
    let still = try ImageCodecs.encodeWebP(image, options: Self.lossless())

    let bytes = Self.extended(still, size: image.size, orientation: UInt8(orientation))

    let upright = image.upright(Orientation(orientation))
    let info = try ImageCodecs.info(of: bytes.span.bytes)
    #expect(info.orientation == orientation && info.size == upright.size)
    let shown = try ImageCodecs.decode(bytes.span.bytes)
    #expect(shown == upright)
    var recipe = ThumbnailRecipe(size: PixelSize(width: 10, height: 0))
    (recipe.format, recipe.isLossless) = (.webp, true)
    let small = try ImageCodecs.thumbnail(of: bytes.span.bytes, recipe: recipe)
    #expect(small.size == PixelSize(width: 10, height: orientation >= 5 ? 15 : 7))
    let made = try ImageCodecs.info(of: small.bytes.span.bytes)
    #expect(made.orientation == 1)
  }

  /// Half the size is decoded without converting all pixels; the result must not differ.
  @Test(arguments: [(640, 480), (641, 479), (65, 333)])
  func `a thumbnail at half scale is close to one from all pixels`(width: Int, height: Int) throws {
    let bytes = try ImageCodecs.encodeWebP(SampleImages.quarters(width, height))
    let recipe = ThumbnailRecipe(size: PixelSize(width: width / 5, height: 0))
    let info = try ImageCodecs.info(of: bytes.span.bytes)

    #expect(WebPCodec().scales(of: info) == [4])
    let made = try ImageCodecs.pixels(of: bytes.span.bytes, recipe: recipe)
    let whole = try ImageCodecs.decode(bytes.span.bytes)
    let geometry = try FitGeometry(source: whole.size, box: recipe.size, fit: .cover)
    let expected = try whole.resampled(geometry.region, to: geometry.content, filter: .lanczos3)

    #expect(made.size == expected.size)
    #expect(Self.error(made, expected) < 1.5)
  }

  @Test func `limits are enforced before pixels are allocated`() throws {
    // 16,383 x 16,383 pixels in 25 bytes: only a lossless header.
    let bits = UInt32(16_382) | UInt32(16_382) << 14
    let body = [0x2f] + Self.little(Int(bits), 4) + [0, 0, 0]
    let huge = Self.file([("VP8L", body)])

    #expect(imageError { try ImageCodecs.info(of: huge.span.bytes) }?.code == .limitExceeded)
    var limits = ImageLimits()
    (limits.maximumPixels, limits.maximumMemoryByteCount) = (.max, 64 << 20)
    let other = imageError { try ImageCodecs.decode(huge.span.bytes, limits: limits) }
    #expect(other?.code == .limitExceeded)
  }

  @Test func `processor time is limited`() throws {
    let bytes = try ImageCodecs.encodeWebP(Self.frames(20, 64))
    let limits = with(ImageLimits()) { $0.maximumProcessorTime = .zero }

    let still = try ImageCodecs.encodeWebP(SampleImages.gradient(64, 64))
    for bytes in [bytes, still] {
      let error = imageError {
        try ImageCodecs.check(bytes.span.bytes, level: .decode, limits: limits)
      }
      #expect(error?.code == .limitExceeded)
    }
  }

  @Test func `a file cut at any length is refused, or decoded as far as it goes`() throws {
    let bytes = try ImageCodecs.encodeWebP(SampleImages.gradient(120, 90))
    let partial = with(DecodingOptions()) { $0.allowsPartial = true }

    for count in stride(from: 1, to: bytes.count, by: 97) {
      let cut = Array(bytes.prefix(count))
      let error = imageError { try ImageCodecs.check(cut.span.bytes, level: .decode) }
      #expect(error?.code == .truncated, "\(count) bytes")
      imageError { try ImageCodecs.check(cut.span.bytes, level: .structure) }
    }
    let cut = Array(bytes.prefix(bytes.count * 3 / 4))
    let reader = try FrameReader(cut.span.bytes, options: partial)
    let shown = try #require(try reader.next(of: cut.span.bytes)).pixels
    let whole = try ImageCodecs.decode(bytes.span.bytes)
    #expect(reader.fault?.code == .truncated)
    #expect(shown.bytes.prefix(4 * 120 * 8) == whole.bytes.prefix(4 * 120 * 8))
    #expect(shown.bytes.suffix(4 * 120).allSatisfy { $0 == 0 })
  }

  @Test func `an animation keeps frames, timing and loops`() throws {
    let options = with(Self.lossless()) { $0.loopCount = 3 }
    let frames = Self.frames(5)

    let bytes = try ImageCodecs.encodeWebP(frames, options: options)

    let reader = try FrameReader(bytes.span.bytes)
    #expect(reader.info.rawDelays == frames.map(\.delay))
    #expect(reader.info.loopCount == 3)
    #expect(try reader.rest(of: bytes) == frames)
  }

  @Test func `a thumbnail of a GIF is an animated WebP with its timing`() throws {
    let frames = Self.frames(4)
    let gif = try ImageCodecs.encodeGIF(frames, options: EncodingOptions(loopCount: 2))
    var recipe = ThumbnailRecipe(size: PixelSize(width: 20, height: 20))
    recipe.format = .webp

    let made = try ImageCodecs.thumbnail(of: gif.span.bytes, recipe: recipe)

    let info = try ImageCodecs.info(of: made.bytes.span.bytes)
    #expect(made.frameCount == 4 && info.frameCount == 4 && info.loopCount == 2)
    let original = try ImageCodecs.info(of: gif.span.bytes)
    #expect(info.rawDelays == original.rawDelays)
    recipe.frame = 1
    let still = try ImageCodecs.thumbnail(of: gif.span.bytes, recipe: recipe)
    #expect(still.frameCount == 1)
    (recipe.format, recipe.frame) = (.gif, nil)
    let back = try ImageCodecs.thumbnail(of: made.bytes.span.bytes, recipe: recipe)
    #expect(back.format == .gif && back.frameCount == 4)
  }

  @Test func `frames are disposed of and blended on a transparent canvas`() throws {
    func frame(_ image: PixelBuffer, left: Int, top: Int, flags: UInt8) throws -> [UInt8] {
      let still = Self.chunks(try ImageCodecs.encodeWebP(image, options: Self.lossless()))
      let head =
        [left / 2, top / 2, image.width - 1, image.height - 1, 70].flatMap { Self.little($0, 3) }
        + [flags]
      let data = try #require(still.first { $0.name == "VP8L" }).body
      return head + Array("VP8L".utf8) + Self.little(data.count, 4) + data
        + (data.count % 2 == 1 ? [0] : [])
    }
    let red = SampleImages.flat(4, 4, [200, 0, 0, 255])
    let glass = SampleImages.flat(4, 4, [0, 0, 200, 128])
    let bytes = Self.file([
      ("VP8X", [2, 0, 0, 0, 7, 0, 0, 7, 0, 0]), ("ANIM", [9, 9, 9, 255, 0, 0]),
      ("ANMF", try frame(red, left: 2, top: 2, flags: 0)),  // stays
      ("ANMF", try frame(glass, left: 2, top: 2, flags: 1)),  // blended, then cleared
      ("ANMF", try frame(glass, left: 0, top: 0, flags: 2)),  // replaces
    ])

    let shown = try FrameReader(bytes.span.bytes).rest(of: bytes).map(\.pixels)

    #expect(shown.count == 3)
    #expect(shown[0][0, 0] == [0, 0, 0, 0] && shown[0][3, 3] == [200, 0, 0, 255])
    #expect(shown[1][3, 3][3] == 255 && shown[1][3, 3][0] == 100 && shown[1][3, 3][2] == 100)
    #expect(shown[2][5, 5] == [0, 0, 0, 0])
    #expect(shown[2][3, 3] == [0, 0, 200, 128])
  }

  @Test func `a truncated animation is refused, or decoded as far as it goes`() throws {
    let bytes = try ImageCodecs.encodeWebP(Self.frames(6))
    let cut = Array(bytes.prefix(bytes.count / 2))
    let options = with(DecodingOptions()) { $0.allowsPartial = true }

    imageError { try FrameReader(cut.span.bytes) }
    imageError { try ImageCodecs.check(cut.span.bytes, level: .structure) }
    let reader = try FrameReader(cut.span.bytes, options: options)
    var count = 0
    while try reader.next(of: cut.span.bytes) != nil { count += 1 }
    #expect(count >= 1 && count < 6 && reader.fault?.code == .truncated)
  }

  @Test func `loops and delays above the format's maximum are clamped`() throws {
    var frames = Self.frames(3)
    frames[1].delay = .seconds(65_535)
    let options = with(Self.lossless()) { $0.loopCount = 65_536 }

    let bytes = try ImageCodecs.encodeWebP(frames, options: options)

    let info = try ImageCodecs.info(of: bytes.span.bytes)
    #expect(info.loopCount == 65_535)
    #expect(info.rawDelays.map { $0 / .milliseconds(1) } == [30, 16_777_215, 50])
  }

  @Test func `encoding stops at its time limit`() throws {
    let options = with(EncodingOptions()) { $0.maximumProcessorTime = .nanoseconds(1) }
    let still = [AnimationFrame(pixels: SampleImages.noise(300, 300, seed: 1), delay: .zero)]

    for frames in [still, Self.frames(3)] {
      let error = imageError { try ImageCodecs.encode(frames, as: .webp, options: options) }
      #expect(error?.code == .limitExceeded)
    }
  }

  @Test func `the padding of an odd length may be missing`() throws {
    let image = SampleImages.gradient(31, 17)
    var bytes: [UInt8] = []
    for quality in 50...99 where Self.chunks(bytes).first.map({ $0.body.count % 2 }) != 1 {
      bytes = try ImageCodecs.encodeWebP(image, options: EncodingOptions(quality: quality))
    }
    var odd = Self.chunks(bytes)[0].body
    // An odd length where the encoder pads by itself: bytes after the data are ignored.
    if odd.count % 2 == 0 { odd.append(0) }
    let whole = Self.file([("VP8 ", odd)])
    let cut = Array(whole.dropLast())

    let expected = try ImageCodecs.decode(whole.span.bytes)
    let shown = try ImageCodecs.decode(cut.span.bytes)
    #expect(shown == expected)
    #expect(throws: Never.self) { try ImageCodecs.check(cut.span.bytes, level: .decode) }
  }

  @Test(arguments: [13, 500])
  func `rows are decoded while the body arrives`(piece: Int) throws {
    let image = SampleImages.noise(200, 300, seed: 3)
    let bytes = try ImageCodecs.encodeWebP(image)
    let whole = try ImageCodecs.decode(bytes.span.bytes)

    let found = try `Progressive previews`.previews(bytes, piece: piece, step: .milliseconds(1))

    #expect(found.count >= 8)
    for preview in found {
      let rows = preview.bytes.lastIndex { $0 != 0 }.map { $0 / (4 * 200) + 1 } ?? 0
      #expect(rows > 0 && rows < 300)
      #expect(preview.bytes.prefix(800 * rows) == whole.bytes.prefix(800 * rows))
    }
  }

  @Test func `equal frames without a delay last as long as they are shown`() throws {
    let (first, second) = (SampleImages.gradient(16, 16), SampleImages.gradient(16, 16, shift: 9))
    let frames = ([first] + Array(repeating: second, count: 20) + [first]).map {
      AnimationFrame(pixels: $0, delay: .zero)
    }

    let bytes = try ImageCodecs.encodeWebP(frames)

    let delays = try ImageCodecs.info(of: bytes.span.bytes).rawDelays
    #expect(delays.reduce(.zero, +) == .milliseconds(2200))
  }
}
