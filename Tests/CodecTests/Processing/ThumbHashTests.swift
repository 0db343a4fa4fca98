import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

@Suite struct `Placeholders of images` {
  // Made by another implementation of the same algorithm from the same pixels.
  static let known: [(PixelBuffer, [UInt8])] = [
    (
      SampleImages.gradient(60, 40),
      [
        160, 7, 10, 53, 154, 96, 118, 119, 64, 136, 120, 134, 105, 104, 104, 119, 160, 240, 11, 247,
        120,
      ]
    ),
    (
      SampleImages.translucent(30, 45),
      [
        160, 247, 137, 27, 12, 7, 114, 96, 104, 137, 119, 144, 200, 13, 248, 119, 98, 179, 146, 95,
        53, 38, 92,
      ]
    ),
    (
      SampleImages.gradient(32, 32),
      [
        222, 247, 13, 23, 26, 129, 135, 135, 112, 120, 136, 136, 136, 120, 135, 136, 135, 135, 8,
        248, 136, 128, 143, 7,
      ]
    ),
  ]

  @Test(arguments: known.indices)
  func `a ThumbHash equals that of other implementations`(index: Int) throws {
    let (picture, expected) = Self.known[index]

    let hash = try ThumbHash(of: picture)

    #expect(hash.bytes.count == expected.count)
    // A coefficient half way between two steps may fall to either side.
    for (made, other) in zip(hash.bytes, expected).dropFirst(5) {
      let low = Int(made & 15) - Int(other & 15)
      let high = Int(made >> 4) - Int(other >> 4)
      #expect(abs(low) <= 1 && abs(high) <= 1)
    }
    #expect(Array(hash.bytes.prefix(5)) == Array(expected.prefix(5)))
  }

  @Test func `the dominant color is that of the largest area`() throws {
    var picture = SampleImages.flat(50, 50, [20, 40, 200, 255])
    PixelKernels.draw(
      SampleImages.flat(50, 20, [250, 250, 10, 255]), on: &picture, left: 0, top: 0, blends: false)

    let color = try DominantColor.of(picture)

    #expect(color == PixelColor(red: 20, green: 40, blue: 200))
    #expect(try DominantColor.of(SampleImages.flat(4, 4, [9, 9, 9, 0])) == .black)
  }

  @Test(arguments: [ImageFormat.jpeg, .png, .gif])
  func `a full pixel check also computes the placeholder`(format: ImageFormat) throws {
    var picture = SampleImages.flat(300, 400, [220, 20, 20, 255])
    PixelKernels.draw(
      SampleImages.flat(300, 190, [20, 20, 220, 255]), on: &picture, left: 0, top: 210,
      blends: false)
    let bytes =
      switch format {
      case .png: try ImageCodecs.encodePNG(picture)
      case .gif: try ImageCodecs.encodeGIF([AnimationFrame(pixels: picture, delay: .zero)])
      default: try ImageCodecs.encodeJPEG(picture)
      }

    let placeholder = try #require(
      try ImageCodecs.check(bytes.span.bytes, level: .decode).placeholder)

    #expect(isTallAndRedAboveBlue(placeholder.thumbHash.pixels()))
    #expect(near([220, 20, 20], placeholder.dominantColor))
    #expect(try ImageCodecs.check(bytes.span.bytes, level: .structure).placeholder == nil)
  }

  @Test func `the placeholder follows the EXIF orientation`() throws {
    var picture = SampleImages.flat(400, 300, [220, 20, 20, 255])
    PixelKernels.draw(
      SampleImages.flat(190, 300, [20, 20, 220, 255]), on: &picture, left: 210, top: 0,
      blends: false)
    let bytes = SampleImages.jpeg(
      try ImageCodecs.encodeJPEG(picture), inserting: [SampleImages.exif(orientation: 6)])

    let checked = try ImageCodecs.check(bytes.span.bytes, level: .decode)

    #expect(isTallAndRedAboveBlue(try #require(checked.placeholder).thumbHash.pixels()))
  }

  private func isTallAndRedAboveBlue(_ shown: PixelBuffer) -> Bool {
    let (top, bottom) = (shown[shown.width / 2, 2], shown[shown.width / 2, shown.height - 3])
    return shown.height > shown.width && top[0] > top[2] && bottom[2] > bottom[0]
  }

  private func near(_ expected: [Int], _ color: PixelColor) -> Bool {
    // A JPEG of quality 80 moves a flat colour by a few steps.
    zip(expected, [color.red, color.green, color.blue]).allSatisfy { abs($0 - Int($1)) <= 4 }
  }
}
