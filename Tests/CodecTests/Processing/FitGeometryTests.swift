import Testing

@testable import ImageCodecs
@testable import ImageModel

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

  static func geometry(
    _ source: (Int, Int), _ box: (Int, Int), _ fit: FitMode = .cover, enlarges: Bool = false,
    focus: FocalPoint = .center, limits: ImageLimits = ImageLimits()
  ) throws(ImageError) -> FitGeometry {
    try FitGeometry(
      source: PixelSize(width: source.0, height: source.1),
      box: PixelSize(width: box.0, height: box.1), fit: fit, enlarges: enlarges, focus: focus,
      limits: limits)
  }

  @Test(arguments: [(0.0, 0.0), (0.5, 200.0), (1.0, 400.0), (0.9, 400.0), (.nan, 200.0)])
  func `cover centers the focal point as far as the edges allow`(x: Double, left: Double) throws {
    let geometry = try Self.geometry(
      (1200, 800), (100, 100), .cover, focus: FocalPoint(x: x, y: 0.5))
    #expect(geometry.region == PixelRect(left: left, top: 0, width: 800, height: 800))
  }

  static let invalid: [(source: (Int, Int), box: (Int, Int), message: String)] = [
    ((10, 10), (0, 0), "a size of 0x0 has no pixels; at most one side may be 0"),
    ((10, 10), (-1, 0), "a size of -1x0 has no pixels; at most one side may be 0"),
    ((10, 10), (65_536, 10), "a size of 65536x10 is more than 65535 pixels a side"),
    ((10, 10), (0, 65_536), "a size of 0x65536 is more than 65535 pixels a side"),
    ((10, 10), (5, -1), ""), ((10, 10), (.max, 5), ""), ((0, 5), (10, 10), ""),
    ((5, 0), (10, 10), ""), ((0, 0), (10, 10), ""),
  ]

  @Test(arguments: invalid.indices)
  func `an invalid box or an image without pixels is an error`(index: Int) {
    let (source, box, message) = Self.invalid[index]
    for fit in FitMode.allCases {
      let error = #expect(throws: ImageError.self) { try Self.geometry(source, box, fit) }
      #expect(error?.code == .invalidArgument)
      #expect(message.isEmpty || error?.message == message)
    }
  }

  static let side = "65535 pixels a side"
  static let excessive: [(source: (Int, Int), box: (Int, Int), fit: FitMode, message: String)] = [
    ((1, 1000), (100, 0), .cover, "a result of 100x100000 is more than \(side)"),
    ((100, 1), (20_000, 20_000), .contain, "a result of 20000x20000 is more than"),
    ((1, .max), (65_535, 0), .cover, side), ((.max, 1), (0, 65_535), .cover, side),
  ]

  @Test(arguments: excessive.indices)
  func `a result beyond the limits is an error with its size`(index: Int) throws {
    let (source, box, fit, message) = Self.excessive[index]
    let error = #expect(throws: ImageError.self) {
      try Self.geometry(source, box, fit, enlarges: true)
    }

    #expect(error?.code == .limitExceeded)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  @Test func `more pixels than allowed are an error, also without a limit of the sides`() throws {
    var limits = ImageLimits()
    (limits.maximumPixels, limits.maximumSide) = (10_000, .max)
    func failure(_ box: (Int, Int)) -> ImageError? {
      #expect(throws: ImageError.self) {
        try Self.geometry((10, 10), box, .fill, enlarges: true, limits: limits)
      }
    }

    let most = try Self.geometry((10, 10), (100, 100), .fill, enlarges: true, limits: limits)
    #expect(most.canvas.pixelCount == 10_000)
    #expect(failure((.max, .max))?.code == .limitExceeded)
    let error = failure((101, 100))
    #expect(error?.code == .limitExceeded)
    #expect(error?.message == "a result of 101x100 is more than the 10000 pixels allowed")
  }

  @Test(arguments: [
    ((100, 50), (40, 40), FitMode.contain, (0, 10)), ((50, 100), (40, 40), .contain, (10, 0)),
    ((100, 33), (40, 40), .contain, (0, 13)), ((100, 50), (40, 40), .cover, (0, 0)),
    ((100, 50), (40, 40), .inside, (0, 0)), ((10, 10), (41, 40), .contain, (15, 15)),
  ])
  func `padding is equal on both sides`(
    source: (Int, Int), box: (Int, Int), fit: FitMode, offset: (Int, Int)
  ) throws {
    #expect(try Self.geometry(source, box, fit).offset == offset)
  }

  @Test(arguments: [(3000, 1), (1, 3000), (2999, 2), (65_535, 65_535), (1, 1), (7, 65_535)])
  func `the crop is inside the image, the result inside the box`(width: Int, height: Int) throws {
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

  @Test func `no crop is searched for where the whole is far larger`() throws {
    func uncropped(_ width: Int) throws -> FitGeometry? {
      try Self.geometry((width, 100), (50, 50)).uncropped(
        of: PixelSize(width: width, height: 100), limits: ImageLimits())
    }

    let whole = try #require(try uncropped(400))
    #expect(whole.content == PixelSize(width: 200, height: 50))
    #expect(whole.region == PixelRect(left: 0, top: 0, width: 400, height: 100))
    #expect(try uncropped(4000) == nil)
    #expect(try uncropped(100) == nil)
  }
}
