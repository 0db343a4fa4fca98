import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

@Suite struct `A focal point` {
  @Test(arguments: [
    ("0,0", 0.0, 0.0), ("1,1", 1, 1), ("0.5,0.25", 0.5, 0.25), ("1.0,0.0", 1, 0), (".5,1.", 0.5, 1),
  ])
  func `is read from two numbers`(text: String, x: Double, y: Double) throws {
    let point = try #require(FocalPoint(text: text))

    #expect(point.x == x && point.y == y)
  }

  @Test(arguments: [
    "", ",", "0.5", "0.5,", ",0.5", "0.5,0.5,0.5", "0.5;0.5", "0.5, 0.5", " 0.5,0.5", "-0.1,0.5",
    "0.5,1.1", "nan,0.5", "0.5,nan", "inf,0", "a,b", "50%,50%",
  ])
  func `is not read from anything else`(text: String) {
    #expect(FocalPoint(text: text) == nil)
  }

  @Test(arguments: [(-1.0, 0.0), (0, 0), (0.3, 0.3), (1, 1), (7, 1), (.infinity, 1), (.nan, 0.5)])
  func `is clamped to the image, and is the middle where it is not a number`(
    value: Double, clamped: Double
  ) {
    #expect(FocalPoint(x: value, y: 0.5).x == clamped)
    #expect(FocalPoint(x: 0.5, y: value).y == clamped)
  }

  @Test(arguments: [
    (0.0, 0), (0.05, 0), (0.1, 0), (0.15, 2), (0.5, 16), (0.85, 30), (0.9, 32), (1, 32),
  ])
  func `is in the middle of a crop as far as the edges allow`(focus: Double, start: Int) throws {
    let image = SampleImages.gradient(40, 40)

    let across = try Crop(
      PixelSize(width: 8, height: 40), focus: FocalPoint(x: focus, y: 0.5)
    ).process(image)
    let down = try Crop(
      PixelSize(width: 40, height: 8), focus: FocalPoint(x: 0.5, y: focus)
    ).process(image)

    #expect(across[0, 7] == image[start, 7])
    #expect(across[7, 7] == image[start + 7, 7])
    #expect(down[7, 0] == image[7, start])
    #expect(down[7, 7] == image[7, start + 7])
  }
}
