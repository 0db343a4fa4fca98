import Testing

@testable import ImageCodecs
@testable import ImageModel

@Suite struct `The limits of a fit` {
  static func geometry(
    _ source: (Int, Int), _ box: (Int, Int), _ fit: FitMode = .cover, enlarges: Bool = false,
    focus: FocalPoint = .center, limits: ImageLimits = ImageLimits()
  ) throws(ImageError) -> FitGeometry {
    try FitGeometry(
      source: PixelSize(width: source.0, height: source.1),
      box: PixelSize(width: box.0, height: box.1), fit: fit, enlarges: enlarges, focus: focus,
      limits: limits)
  }

  @Test(arguments: [
    ((0, 0), "a size of 0x0 has no pixels; at most one side may be 0"),
    ((-1, 0), "a size of -1x0 has no pixels; at most one side may be 0"),
    ((65_536, 10), "a size of 65536x10 is more than 65535 pixels a side"),
    ((0, 65_536), "a size of 0x65536 is more than 65535 pixels a side"),
  ])
  func `give the box that is refused`(box: (Int, Int), message: String) {
    let error = #expect(throws: ImageError.self) { try Self.geometry((10, 10), box) }

    #expect(error?.code == .invalidArgument)
    #expect(error?.message == message)
  }

  @Test(arguments: [(0, 5), (5, 0), (0, 0)])
  func `refuse an image without pixels`(width: Int, height: Int) {
    for fit in FitMode.allCases {
      let error = #expect(throws: ImageError.self) {
        try Self.geometry((width, height), (10, 10), fit)
      }
      #expect(error?.code == .invalidArgument)
    }
  }

  @Test func `refuse more pixels than allowed`() throws {
    var limits = ImageLimits()
    limits.maximumPixels = 10_000

    let error = #expect(throws: ImageError.self) {
      try Self.geometry((10, 10), (101, 100), enlarges: true, limits: limits)
    }

    #expect(error?.code == .limitExceeded)
    #expect(error?.message == "a result of 101x100 is more than the 10000 pixels allowed")
    #expect(
      try Self.geometry((10, 10), (100, 100), enlarges: true, limits: limits).canvas.pixelCount
        == 10_000)
  }

  @Test func `refuse a free side that becomes too long`() {
    let error = #expect(throws: ImageError.self) {
      try Self.geometry((1, 1000), (100, 0), enlarges: true)
    }

    #expect(error?.code == .limitExceeded)
  }

  @Test(arguments: [
    ((100, 50), (40, 40), FitMode.contain, (0, 10)), ((50, 100), (40, 40), .contain, (10, 0)),
    ((100, 33), (40, 40), .contain, (0, 13)), ((100, 50), (40, 40), .cover, (0, 0)),
    ((100, 50), (40, 40), .inside, (0, 0)), ((10, 10), (41, 40), .contain, (15, 15)),
  ])
  func `pad equally on both sides`(
    source: (Int, Int), box: (Int, Int), fit: FitMode, offset: (Int, Int)
  ) throws {
    let geometry = try Self.geometry(source, box, fit)

    #expect(geometry.offset == offset)
  }

  @Test(arguments: [(3000, 1), (1, 3000), (2999, 2), (65_535, 65_535), (1, 1), (7, 65_535)])
  func `keep the crop inside the image and the result inside the box`(width: Int, height: Int)
    throws
  {
    for focus in [FocalPoint(x: 0, y: 0), .center, FocalPoint(x: 1, y: 1)] {
      for fit in FitMode.allCases {
        for box in [(1, 1), (10, 300), (300, 10), (65_535, 3), (64, 0), (0, 64)] {
          let made = try Self.geometry((width, height), box, fit, focus: focus)

          let region = made.region
          #expect(region.width > 0 && region.height > 0)
          #expect(region.left >= 0 && region.left + region.width <= Double(width))
          #expect(region.top >= 0 && region.top + region.height <= Double(height))
          #expect(made.content.width >= 1 && made.content.height >= 1)
          #expect(box.0 == 0 || made.canvas.width <= box.0)
          #expect(box.1 == 0 || made.canvas.height <= box.1)
          #expect(made.offset.left >= 0 && made.offset.top >= 0)
        }
      }
    }
  }

  @Test func `leave the search for a crop out where the whole is far larger`() throws {
    let near = try Self.geometry((400, 100), (50, 50))
    let far = try Self.geometry((4000, 100), (50, 50))
    let none = try Self.geometry((100, 100), (50, 50))

    let whole = try #require(
      near.uncropped(of: PixelSize(width: 400, height: 100), limits: ImageLimits()))
    #expect(whole.content == PixelSize(width: 200, height: 50))
    #expect(whole.region == PixelRect(left: 0, top: 0, width: 400, height: 100))
    #expect(far.uncropped(of: PixelSize(width: 4000, height: 100), limits: ImageLimits()) == nil)
    #expect(none.uncropped(of: PixelSize(width: 100, height: 100), limits: ImageLimits()) == nil)
  }
}
