import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

@Suite struct `Thumbnails with an attention crop` {
  /// Gray, with a red square at the right.
  static func scene(_ width: Int, _ height: Int, left: Int) -> PixelBuffer {
    var image = SampleImages.flat(width, height, [128, 128, 128, 255])
    image.draw(SampleImages.flat(height / 2, height / 2, [230, 20, 20, 255]), left: left, top: 2)
    return image
  }

  static func recipe(_ side: Int) -> ThumbnailRecipe {
    with(ThumbnailRecipe(size: PixelSize(width: side, height: side))) {
      $0.focusesOnAttention = true
    }
  }

  static func redCount(_ image: PixelBuffer) -> Int {
    stride(from: 0, to: image.bytes.count, by: 4)
      .count { image.bytes[$0] > 180 && image.bytes[$0 + 1] < 90 }
  }

  @Test(arguments: zip([ImageFormat.jpeg, .png, .gif, .webp], [20, 240, 20, 240]))
  func `the subject is in the crop, in every format`(format: ImageFormat, left: Int) throws {
    let scene = Self.scene(300, 60, left: left)
    let bytes = try ImageCodecs.encode(
      [AnimationFrame(pixels: scene, delay: .zero)], as: format
    ).bytes
    let centered = with(Self.recipe(60)) { $0.focusesOnAttention = false }

    let found = try ImageCodecs.pixels(of: bytes.span.bytes, recipe: Self.recipe(60))
    let middle = try ImageCodecs.pixels(of: bytes.span.bytes, recipe: centered)

    #expect(found.size == PixelSize(width: 60, height: 60) && middle.size == found.size)
    #expect(Self.redCount(middle) == 0)
    #expect(Self.redCount(found) > 600)
  }

  @Test(arguments: 1...8)
  func `the subject is searched in the upright image`(orientation: Int) throws {
    let stored = Self.scene(300, 60, left: 230)
    let jpeg = SampleImages.jpeg(
      try ImageCodecs.encodeJPEG(stored),
      inserting: [SampleImages.exif(orientation: UInt8(orientation))])

    let found = try ImageCodecs.pixels(of: jpeg.span.bytes, recipe: Self.recipe(60))

    #expect(Self.redCount(found) > 600)
  }

  @Test func `the crop of an animation does not move`() throws {
    let frames = [20, 120, 230].map {
      AnimationFrame(pixels: Self.scene(300, 60, left: $0), delay: .milliseconds(100))
    }
    let gif = try ImageCodecs.encodeGIF(frames)
    let recipe = with(Self.recipe(60)) { $0.format = .gif }

    let made = try ImageCodecs.thumbnail(of: gif.span.bytes, recipe: recipe)
    let counts = try FrameReader(made.bytes.span.bytes).rest(of: made.bytes)
      .map { Self.redCount($0.pixels) }

    #expect(counts.count == 3 && counts[0] > 600)
    #expect(counts[1] == 0 && counts[2] == 0)
  }

  @Test func `an image above the limits is cropped around the focal point`() throws {
    let png = try ImageCodecs.encodePNG(Self.scene(160, 12, left: 100))
    let recipe = with(Self.recipe(400)) { $0.enlarges = true }
    let limits = with(ImageLimits()) { $0.maximumMemoryByteCount = 8 << 20 }

    let made = try ImageCodecs.pixels(of: png.span.bytes, recipe: recipe, limits: limits)

    #expect(made.size == PixelSize(width: 400, height: 400))
  }
}
