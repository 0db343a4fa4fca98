import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import ImagePipeline
@testable import TestSupport

@Suite struct `A placeholder` {
  private static let color = PixelColor(red: 1, green: 2, blue: 3, alpha: 4)
  private static let pixel = SampleImages.flat(1, 1, [1, 2, 3, 4])
  private static let main = SampleImages.flat(1, 1, [0x10, 0x20, 0x30, 255])

  @Test func `of a request is what it names, whatever is in the cache`() throws {
    let image = SampleImages.gradient(64, 32)
    let hash = try ThumbHash(of: image)
    let cases: [(ImagePlaceholder, PixelBuffer?)] = [
      (.none, nil), (.image(image), image), (.color(Self.color), Self.pixel),
      (.thumbHash(hash), hash.pixels()),
    ]
    for (placeholder, pixels) in cases {
      #expect(placeholder.pixels() == pixels)
      #expect(placeholder.pixels(thumbHash: [], dominantColor: 0x102030) == pixels)
      #expect(!placeholder.asksCache)
    }
  }

  @Test func `that is remembered is the ThumbHash, else the main color, else the other one`() throws
  {
    let hash = try ThumbHash(of: SampleImages.gradient(64, 32))
    let placeholder = ImagePlaceholder.remembered(otherwise: .color(Self.color))

    #expect(placeholder.asksCache)
    #expect(placeholder.pixels(thumbHash: hash.bytes, dominantColor: 0x102030) == hash.pixels())
    #expect(placeholder.pixels(dominantColor: 0x102030) == Self.main)
    // A damaged one.
    #expect(placeholder.pixels(thumbHash: [1, 2, 3], dominantColor: 0x102030) == Self.main)
    #expect(placeholder.pixels() == Self.pixel)
    #expect(ImagePlaceholder.remembered(otherwise: placeholder).pixels() == Self.pixel)
  }
}
