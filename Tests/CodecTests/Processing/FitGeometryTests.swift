import ImageCodecs
import ImageModel
import Testing

@Suite struct `Fit geometry` {
  struct Case: Sendable {
    var source, box: PixelSize
    var fit: FitMode
    var enlarges = false
    var content, canvas: PixelSize

    init(
      _ source: (Int, Int), _ box: (Int, Int), _ fit: FitMode, enlarges: Bool = false,
      _ content: (Int, Int), on canvas: (Int, Int)? = nil
    ) {
      self.source = PixelSize(width: source.0, height: source.1)
      self.box = PixelSize(width: box.0, height: box.1)
      self.fit = fit
      self.enlarges = enlarges
      self.content = PixelSize(width: content.0, height: content.1)
      let whole = canvas ?? content
      self.canvas = PixelSize(width: whole.0, height: whole.1)
    }
  }

  static let cases = [
    Case((1200, 800), (200, 200), .cover, (200, 200)),
    Case((1200, 800), (200, 200), .contain, (200, 133), on: (200, 200)),
    Case((1200, 800), (200, 200), .inside, (200, 133)),
    Case((1200, 800), (200, 200), .fill, (200, 200)),
    Case((1200, 800), (640, 0), .cover, (640, 427)),
    Case((1200, 800), (0, 100), .contain, (150, 100)),
    Case((1200, 800), (300, 0), .fill, (300, 200)),
    // Smaller than the box: the box shrinks, keeping its shape.
    Case((100, 50), (200, 200), .cover, (50, 50)),
    Case((100, 50), (200, 200), .fill, (50, 50)),
    Case((100, 50), (200, 200), .inside, (100, 50)),
    Case((100, 50), (200, 200), .contain, (100, 50), on: (200, 200)),
    Case((100, 50), (400, 0), .cover, (100, 50)),
    Case((100, 50), (200, 200), .cover, enlarges: true, (200, 200)),
    Case((100, 50), (200, 200), .fill, enlarges: true, (200, 200)),
    Case((100, 50), (200, 200), .contain, enlarges: true, (200, 100), on: (200, 200)),
    Case((100, 50), (200, 200), .inside, enlarges: true, (100, 50)),
    Case((100, 50), (400, 0), .cover, enlarges: true, (400, 200)),
    Case((65_535, 1), (100, 100), .inside, (100, 1)),
  ]

  @Test(arguments: cases)
  func `sizes follow the fit mode, and upscaling needs its option`(one: Case) throws {
    let geometry = try FitGeometry(
      source: one.source, box: one.box, fit: one.fit, enlarges: one.enlarges)

    #expect(geometry.content == one.content)
    #expect(geometry.canvas == one.canvas)
  }

  @Test(arguments: [(0.0, 0.0), (0.5, 200.0), (1.0, 400.0), (0.9, 400.0), (.nan, 200.0)])
  func `cover centers the focal point as far as the edges allow`(x: Double, left: Double) throws {
    let geometry = try FitGeometry(
      source: PixelSize(width: 1200, height: 800), box: PixelSize(width: 100, height: 100),
      fit: .cover, focus: FocalPoint(x: x, y: 0.5))

    #expect(geometry.region == PixelRect(left: left, top: 0, width: 800, height: 800))
  }

  @Test(arguments: [(0, 0), (-1, 5), (5, -1), (70_000, 5), (.max, 5)])
  func `an invalid box is an error`(width: Int, height: Int) {
    for fit in FitMode.allCases {
      let error = #expect(throws: ImageError.self) {
        try FitGeometry(
          source: PixelSize(width: 10, height: 10), box: PixelSize(width: width, height: height),
          fit: fit)
      }
      #expect(error?.code == .invalidArgument)
    }
  }

  @Test func `a result beyond the limits is an error`() {
    let error = #expect(throws: ImageError.self) {
      try FitGeometry(
        source: PixelSize(width: 10, height: 10), box: PixelSize(width: 60_000, height: 60_000),
        fit: .cover, enlarges: true)
    }
    #expect(error?.code == .limitExceeded)
  }
}
