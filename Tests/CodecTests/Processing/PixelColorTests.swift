import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

@Suite struct `A pixel color` {
  @Test(arguments: [
    ("ff8000", PixelColor(red: 255, green: 128, blue: 0)),
    ("#ff8000", PixelColor(red: 255, green: 128, blue: 0)),
    ("FF8000", PixelColor(red: 255, green: 128, blue: 0)),
    ("01020304", PixelColor(red: 1, green: 2, blue: 3, alpha: 4)),
    ("#Ffffff00", PixelColor(red: 255, green: 255, blue: 255, alpha: 0)),
  ])
  func `is read from six or eight hexadecimal digits`(text: String, color: PixelColor) {
    #expect(PixelColor(hex: text) == color)
  }

  @Test(arguments: [
    "", "#", "fff", "#fff", "ff80000", "ff800", "ff80000000", "##ff8000", "+ff800", "-f8000",
    "0xff80", "ff 800", " ff8000", "gg8000", "red", "ff800\u{ff10}", "\u{0661}23456",
  ])
  func `is not read from anything else`(text: String) {
    #expect(PixelColor(hex: text) == nil)
  }

  @Test func `of an image is that of the column and the row`() {
    let image = SampleImages.translucent(5, 3)

    for (x, y) in [(0, 0), (4, 0), (0, 2), (4, 2), (3, 1)] {
      #expect(image.pixel(x: x, y: y).bytes == image[x, y])
    }
  }
}
