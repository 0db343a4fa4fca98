import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

@Suite struct `A failed encoding` {
  static let encoders: [(String, @Sendable (PixelBuffer) throws -> Void)] = [
    ("JPEG", { image in _ = try ImageCodecs.encodeJPEG(image) }),
    ("PNG", { image in _ = try ImageCodecs.encodePNG(image) }),
    ("PNG file", { image in try ImageCodecs.writePNG(image, to: -1) }),
    ("WebP", { image in _ = try ImageCodecs.encodeWebP(image) }),
    ("palette", { image in _ = try IndexedImage(reducing: image) }),
  ]

  @Test(arguments: encoders.indices, [(0, 0), (0, 5), (5, 0)])
  func `of an image without pixels says so`(index: Int, sides: (Int, Int)) throws {
    let (name, encode) = Self.encoders[index]
    let image = PixelBuffer(clear: PixelSize(width: sides.0, height: sides.1))

    let error = try #require(imageError { try encode(image) }, "\(name)")

    #expect(error.code == .invalidArgument)
    #expect(error.message.hasSuffix("the image has no pixels"), "\(name): \(error.message)")
  }

  @Test(arguments: [ImageFormat.tiff, .bmp, .svg, ImageFormat(rawValue: "unheard")])
  func `in a format that cannot be written names those that can`(format: ImageFormat) throws {
    let frame = AnimationFrame(pixels: SampleImages.gradient(3, 3), delay: .zero)
    let error = try #require(imageError { _ = try ImageCodecs.encode([frame], as: format) })

    #expect(error.code == .unsupportedFormat)
    #expect(error.message.contains("\(format.displayName) cannot be written"))
    #expect(
      ["JPEG", "PNG", "GIF", "WebP"].allSatisfy { error.message.contains($0) }, "\(error.message)")
    #expect(["HEIC", "read"].allSatisfy { !error.message.contains($0) }, "\(error.message)")
  }

  @Test func `of no frames says so in every animated format`() {
    let gif = imageError { try ImageCodecs.encodeGIF([]) }
    let webp = imageError { try ImageCodecs.encodeWebP([]) }

    for error in [gif, webp] {
      #expect(error?.code == .invalidArgument)
      #expect(error?.message.contains("no frame") == true, "\(error?.message ?? "no error")")
    }
  }

  @Test func `few colors make a PNG with a palette`() throws {
    #expect(try ImageCodecs.encodePNG(SampleImages.flat(8, 8, [9, 8, 7, 255]))[25] == 3)
    #expect(try ImageCodecs.encodePNG(SampleImages.gradient(40, 40))[25] == 2)
  }

  @Test func `a background that is not opaque counts as white in a JPEG`() throws {
    let clear = [AnimationFrame(pixels: SampleImages.flat(16, 16, [0, 0, 0, 0]), delay: .zero)]

    let made = try ImageCodecs.encode(
      clear, as: .jpeg, background: PixelColor(red: 255, green: 0, blue: 0, alpha: 1))

    #expect(try ImageCodecs.decode(made.bytes.span.bytes)[8, 8] == [255, 255, 255, 255])
  }
}

/// The options are variables: a value set after the initializer is clamped as well.
@Suite struct `Encoding options out of range` {
  static let image = SampleImages.gradient(9, 7)

  static let clamped: [(value: Int, nearest: Int, encode: @Sendable (Int) throws -> [UInt8])] = {
    let png: @Sendable (Int) throws -> [UInt8] = {
      var options = EncodingOptions()
      options.level = $0
      return try ImageCodecs.encodePNG(image, options: options)
    }
    let jpeg: @Sendable (Int) throws -> [UInt8] = { quality in
      try ImageCodecs.encodeJPEG(
        image, options: with(EncodingOptions()) { $0.quality = quality })
    }
    let webp: @Sendable (Int) throws -> [UInt8] = { quality in
      try ImageCodecs.encodeWebP(
        image, options: with(EncodingOptions()) { $0.quality = quality })
    }
    let effort: @Sendable (Int) throws -> [UInt8] = { effort in
      try ImageCodecs.encodeWebP(image, options: with(EncodingOptions()) { $0.effort = effort })
    }
    return [
      (-5, 0, png), (99, 9, png), (.max, 9, png), (.min, 0, png), (0, 1, jpeg), (101, 100, jpeg),
      (.max, 100, jpeg), (.min, 1, jpeg), (0, 1, webp), (101, 100, webp), (.max, 100, webp),
      (.min, 1, webp), (-1, 0, effort), (7, 6, effort), (.max, 6, effort), (.min, 0, effort),
    ]
  }()

  @Test(arguments: clamped.indices)
  func `give the nearest level, quality or effort`(index: Int) throws {
    let (value, nearest, encode) = Self.clamped[index]
    #expect(try encode(value) == encode(nearest))
  }

  @Test(arguments: [ImageFormat.gif, .webp], [Duration.seconds(Int64.max), .seconds(Int64.min)])
  func `give the nearest delay of a frame`(format: ImageFormat, delay: Duration) throws {
    let frames = [
      AnimationFrame(pixels: Self.image, delay: delay),
      AnimationFrame(pixels: SampleImages.gradient(9, 7, shift: 40), delay: .milliseconds(50)),
    ]

    let file = try ImageCodecs.encode(frames, as: format)
    let first = try #require(try ImageCodecs.info(of: file.bytes.span.bytes).rawDelays.first)

    let longest: Duration = format == .gif ? .milliseconds(655_350) : .milliseconds((1 << 24) - 1)
    // Without a delay a frame is shown for 100 ms, which a WebP names.
    let shortest: Duration = format == .gif ? .zero : .milliseconds(100)
    #expect(first == (delay > .zero ? longest : shortest))
  }
}
