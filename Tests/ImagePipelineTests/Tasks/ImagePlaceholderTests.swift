import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import ImagePipeline
@testable import TestSupport

@Suite struct `A placeholder` {
  private static let color = PixelColor(red: 1, green: 2, blue: 3, alpha: 4)

  private static func pixel(_ bytes: [UInt8]) -> PixelBuffer {
    PixelBuffer(size: PixelSize(width: 1, height: 1), bytes: bytes)
  }

  @Test func `of nothing has no pixels`() {
    #expect(ImagePlaceholder.none.pixels() == nil)
  }

  @Test func `of an image is that image`() {
    let image = SampleImages.gradient(3, 2)

    #expect(ImagePlaceholder.image(image).pixels() == image)
  }

  @Test func `of a colour is one pixel of it`() {
    #expect(ImagePlaceholder.color(Self.color).pixels() == Self.pixel([1, 2, 3, 4]))
  }

  @Test func `of a ThumbHash is the image that it describes`() throws {
    let hash = try ThumbHash(of: SampleImages.gradient(64, 32))

    let pixels = ImagePlaceholder.thumbHash(hash).pixels()

    #expect(pixels == hash.pixels())
    #expect(pixels?.size.width == 32)
  }

  @Test(
    arguments: [
      ImagePlaceholder.none, .color(.black), .image(SampleImages.gradient(3, 2)),
    ])
  func `of a request takes nothing from the cache`(placeholder: ImagePlaceholder) throws {
    let hash = try ThumbHash(of: SampleImages.gradient(64, 32))

    let pixels = placeholder.pixels(thumbHash: hash.bytes, dominantColor: 0x102030)

    #expect(pixels == placeholder.pixels())
    #expect(!placeholder.asksCache)
  }

  @Test func `that is remembered shows the ThumbHash rather than the main colour`() throws {
    let hash = try ThumbHash(of: SampleImages.gradient(64, 32))
    let placeholder = ImagePlaceholder.remembered(otherwise: .color(Self.color))

    let pixels = placeholder.pixels(thumbHash: hash.bytes, dominantColor: 0x102030)

    #expect(pixels == hash.pixels())
    #expect(placeholder.asksCache)
  }

  @Test(
    arguments: [
      (0x102030, [0x10, 0x20, 0x30, 255]), (0, [0, 0, 0, 255]), (0xffffff, [255, 255, 255, 255]),
    ] as [(UInt32, [UInt8])])
  func `that is remembered shows the main colour without a ThumbHash`(
    rgb: UInt32, bytes: [UInt8]
  ) {
    let placeholder = ImagePlaceholder.remembered(otherwise: .color(Self.color))

    #expect(placeholder.pixels(dominantColor: rgb) == Self.pixel(bytes))
  }

  @Test func `that is remembered shows the main colour if the ThumbHash is damaged`() {
    let placeholder = ImagePlaceholder.remembered(otherwise: .none)

    let pixels = placeholder.pixels(thumbHash: [1, 2, 3], dominantColor: 0x102030)

    #expect(pixels == Self.pixel([0x10, 0x20, 0x30, 255]))
  }

  @Test func `that is remembered shows the other one if the cache knows nothing`() {
    let other = ImagePlaceholder.color(Self.color)

    #expect(ImagePlaceholder.remembered(otherwise: other).pixels() == other.pixels())
    #expect(ImagePlaceholder.remembered(otherwise: .none).pixels() == nil)
    #expect(
      ImagePlaceholder.remembered(otherwise: .remembered(otherwise: other)).pixels()
        == other.pixels())
  }
}
