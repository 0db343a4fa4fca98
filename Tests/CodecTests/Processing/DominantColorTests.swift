import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

@Suite struct `The dominant color` {
  /// Columns of one color each.
  static func columns(_ colors: [[UInt8]]) -> PixelBuffer {
    let row = Array(colors.joined())
    return PixelBuffer(
      size: PixelSize(width: colors.count, height: 8),
      bytes: Array(repeatElement(row, count: 8).joined()))
  }

  @Test func `is the mean of similar colors, not one of them`() throws {
    // All in one bin of sixteen shades a sample.
    let image = Self.columns([[32, 64, 96, 255], [40, 70, 100, 255], [36, 67, 98, 255]])

    #expect(try DominantColor.of(image) == PixelColor(red: 36, green: 67, blue: 98))
  }

  @Test func `weighs pixels by their alpha`() throws {
    let image = Self.columns([
      [200, 0, 0, 60], [200, 0, 0, 60], [200, 0, 0, 60], [0, 0, 200, 255],
    ])

    #expect(try DominantColor.of(image) == PixelColor(red: 0, green: 0, blue: 200))
  }

  @Test func `of two equal areas is always the darker red`() throws {
    let one = Self.columns([[200, 0, 0, 255], [20, 0, 0, 255]])
    let other = Self.columns([[20, 0, 0, 255], [200, 0, 0, 255]])

    #expect(try DominantColor.of(one) == PixelColor(red: 20, green: 0, blue: 0))
    #expect(try DominantColor.of(other) == PixelColor(red: 20, green: 0, blue: 0))
  }

  @Test func `is opaque, also of a translucent image`() throws {
    let image = SampleImages.flat(9, 9, [10, 200, 30, 1])

    #expect(try DominantColor.of(image) == PixelColor(red: 10, green: 200, blue: 30))
  }

  @Test(arguments: [(0, 0), (0, 9), (9, 0)])
  func `of an image without pixels is an error`(width: Int, height: Int) {
    let empty = PixelBuffer(clear: PixelSize(width: width, height: height))

    let color = imageError { try DominantColor.of(empty) }
    let hash = imageError { try ThumbHash(of: empty) }
    let summary = imageError { try ImageSummary(of: empty) }

    #expect([color?.code, hash?.code, summary?.code].allSatisfy { $0 == .invalidArgument })
  }
}
