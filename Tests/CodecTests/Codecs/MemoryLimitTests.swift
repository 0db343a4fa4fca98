import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

@Suite struct `Memory limits of an image` {
  static func limits(_ memory: Int) -> ImageLimits {
    with(ImageLimits()) { $0.maximumMemoryByteCount = memory }
  }

  static let unbounded = with(limits(.max)) { ($0.maximumSide, $0.maximumPixels) = (.max, .max) }

  @Test func `are four bytes a pixel for a still and eight for a canvas, exactly`() throws {
    let size = PixelSize(width: 100, height: 10)

    try Self.limits(4000).checkMemory(of: size)
    try Self.limits(8000).checkCanvas(of: size)
    #expect(imageError { try Self.limits(3999).checkMemory(of: size) }?.code == .limitExceeded)
    #expect(imageError { try Self.limits(7999).checkCanvas(of: size) }?.code == .limitExceeded)
  }

  @Test func `that are exceeded by little are told in two numbers that differ`() throws {
    let limits = Self.limits(4 << 20)
    let still = imageError { try limits.checkMemory(of: PixelSize(width: 1025, height: 1024)) }
    let canvas = imageError { try limits.checkCanvas(of: PixelSize(width: 1025, height: 512)) }

    for error in [still, canvas] {
      let message = try #require(error?.message)
      #expect(message.contains("4,198,400 B"), "\(message)")
      #expect(message.contains("4,194,304 B"), "\(message)")
    }
  }

  @Test(
    arguments: [
      PixelSize(width: 1 << 31, height: 1 << 31), PixelSize(width: .max, height: 1),
      PixelSize(width: .max, height: .max),
    ])
  func `refuse more bytes than can be counted, whatever they are`(size: PixelSize) {
    #expect(imageError { try Self.limits(.max).checkMemory(of: size) }?.code == .limitExceeded)
    #expect(imageError { try Self.limits(.max).checkCanvas(of: size) }?.code == .limitExceeded)
  }

  @Test func `without a bound still refuse a header of more pixels than memory can hold`() {
    let side = 1 << 31 - 1
    let file = SamplePNG(width: side, height: side, color: 0).file(stream: [0x78, 1, 3, 0])

    let error = imageError { try ImageCodecs.decode(file.span.bytes, limits: Self.unbounded) }

    #expect(error?.code == .limitExceeded)
  }

  @Test func `count the pixels of all frames without overflow`() {
    var info = ImageInfo(
      format: .gif, size: PixelSize(width: .max, height: 2), colorModel: .palette)
    info.rawDelays = [.zero, .zero]
    #expect(info.decodedPixelCount == .max)

    info.size = PixelSize(width: 300, height: 20)
    info.rawDelays = [.zero, .zero, .zero]
    #expect(info.decodedPixelCount == 18_000)
  }

  @Test func `near the largest number still let a crop be searched for`() throws {
    let source = PixelSize(width: 1 << 31, height: 1 << 30)
    let geometry = try FitGeometry(
      source: source, box: PixelSize(width: 1 << 30, height: 1 << 30), fit: .cover,
      limits: Self.unbounded)

    // Eight bytes a pixel are more than can be counted.
    #expect(geometry.uncropped(of: source, limits: Self.unbounded) == nil)
  }

  @Test(arguments: [FitMode.contain, .fill])
  func `counts the pixels of a thumbnail that is larger than its image`(fit: FitMode) throws {
    let png = try ImageCodecs.encodePNG(SampleImages.gradient(20, 10))
    let limits = Self.limits(1 << 20)
    var recipe = ThumbnailRecipe(size: PixelSize(width: 500, height: 500), fit: fit)
    recipe.enlarges = true

    _ = try ImageCodecs.thumbnail(of: png.span.bytes, recipe: recipe, limits: limits)
    recipe.size.width = 600
    let error = imageError {
      try ImageCodecs.thumbnail(of: png.span.bytes, recipe: recipe, limits: limits)
    }
    #expect(error?.code == .limitExceeded)
  }

  @Test func `the processor time of scaling frames counts`() throws {
    let gif = HollowGIF.bytes(canvas: 1000, frame: 1, count: 400)
    let limits = with(ImageLimits()) { $0.maximumProcessorTime = .milliseconds(20) }
    let recipe = `Thumbnails`.recipe(100, 100) { $0.format = .gif }

    let error = imageError {
      try ImageCodecs.thumbnail(of: gif.span.bytes, recipe: recipe, limits: limits)
    }

    #expect(error?.message == "GIF: making the frames takes more than 20 ms of processor time")
  }
}
