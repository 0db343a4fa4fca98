import ImageCodecs
import ImageModel
import Testing

@Suite struct `The reason why a fit is refused` {
  @Test func `is the side where a side is too long`() {
    let error = #expect(throws: ImageError.self) {
      try FitGeometry(
        source: PixelSize(width: 1, height: 1000), box: PixelSize(width: 100, height: 0),
        fit: .cover, enlarges: true)
    }

    #expect(error?.code == .limitExceeded)
    #expect(error?.message == "a result of 100x100000 is more than 65535 pixels a side")
  }

  @Test func `names the canvas where the padding is too large`() {
    let error = #expect(throws: ImageError.self) {
      try FitGeometry(
        source: PixelSize(width: 100, height: 1), box: PixelSize(width: 20_000, height: 20_000),
        fit: .contain)
    }

    #expect(error?.code == .limitExceeded)
    #expect(error?.message.hasPrefix("a result of 20000x20000 is more than") == true)
  }

  @Test(
    arguments: [
      (PixelSize(width: 1, height: .max), PixelSize(width: 65_535, height: 0)),
      (PixelSize(width: .max, height: 1), PixelSize(width: 0, height: 65_535)),
    ] as [(PixelSize, PixelSize)])
  func `is a limit also where a side is longer than any number`(source: PixelSize, box: PixelSize) {
    let error = #expect(throws: ImageError.self) {
      try FitGeometry(source: source, box: box, fit: .cover, enlarges: true)
    }

    #expect(error?.code == .limitExceeded)
    #expect(error?.message.contains("65535 pixels a side") == true)
  }

  @Test func `is a limit also where the box is as long as an integer`() throws {
    var limits = ImageLimits()
    limits.maximumSide = .max

    let error = #expect(throws: ImageError.self) {
      try FitGeometry(
        source: PixelSize(width: 10, height: 10), box: PixelSize(width: .max, height: .max),
        fit: .fill, enlarges: true, limits: limits)
    }

    #expect(error?.code == .limitExceeded)
  }
}
