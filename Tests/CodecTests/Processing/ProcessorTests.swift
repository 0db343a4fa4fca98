import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

@Suite struct `Processors` {
  static let picture = SampleImages.gradient(60, 40)
  static let box = PixelSize(width: 20, height: 20)

  /// A step that fails.
  struct Faulty: ImageProcessing {
    let identity = "faulty"
    func process(_ picture: PixelBuffer) throws(ImageError) -> PixelBuffer {
      throw ImageError(.corrupt, "faulty")
    }
  }

  /// A step that records its calls.
  struct Marking: ImageProcessing {
    let reached: Locked<Bool>
    let identity = "marking"
    func process(_ picture: PixelBuffer) throws(ImageError) -> PixelBuffer {
      reached.withLock { $0 = true }
      return picture
    }
  }

  @Test func `a blur of zero, corners of zero and a clear tint return the input`() throws {
    #expect(try Blur(radius: 0).process(Self.picture) == Self.picture)
    #expect(try RoundCorners(.pixels(0)).process(Self.picture) == Self.picture)
    #expect(try Tint(.clear).process(Self.picture) == Self.picture)
    #expect(try Orient(1).process(Self.picture) == Self.picture)
    #expect(try Crop(PixelSize(width: 999, height: 999)).process(Self.picture) == Self.picture)
  }

  @Test func `an opaque image stays opaque, except with rounded corners`() throws {
    let steps: [any ImageProcessing] = [
      Resize(Self.box), Resize(Self.box, filter: .area), Orient(5), Crop(Self.box),
      Blur(radius: 3), Tint(PixelColor(red: 255, green: 0, blue: 0, alpha: 90)),
    ]
    for step in steps { #expect(try step.process(Self.picture).isOpaque, "\(step.identity)") }
    #expect(try !RoundCorners(.circle).process(Self.picture).isOpaque)
  }

  @Test func `a resize to one side keeps the shape, and valid steps pass the check`() throws {
    let steps: [any ImageProcessing] = [
      .resize(width: 30), .resize(height: 20), .resize(width: 90), .circle, .roundCorners(0),
      .blur(radius: 1000), .tint(.clear), .orient(99), .crop(width: 1, height: 1), Faulty(),
    ]

    try ProcessingChain(steps).check()
    let sizes = try steps.prefix(3).map { try $0.process(Self.picture).size.description }
    #expect(sizes == ["30x20", "30x20", "60x40"])
  }

  @Test func `the first failing step ends the chain`() {
    let reached = Locked(false)
    let chain = ProcessingChain([Orient(2), Faulty(), Marking(reached: reached)])

    #expect(imageError { try chain.process(Self.picture) }?.message == "faulty")
    #expect(!reached.withLock { $0 })
  }

  @Test func `a circle is square, transparent in the corners and unchanged in the middle`() throws {
    let round = try RoundCorners(.circle).process(Self.picture)

    #expect(round.size == PixelSize(width: 40, height: 40))
    #expect(round[0, 0][3] == 0)
    #expect(round[20, 20] == Self.picture[30, 20])
    #expect((1..<255).contains(round[5, 6][3]) || (1..<255).contains(round[6, 5][3]))
  }

  @Test func `a blur smooths an edge`() throws {
    var edge = SampleImages.flat(40, 40, [0, 0, 0, 255])
    PixelKernels.draw(
      SampleImages.flat(20, 40, [255, 255, 255, 255]), on: &edge, left: 20, top: 0, blends: false)
    let blurred = try Blur(radius: 4).process(edge)

    // A step of 255 blurred by 4: by the normal distribution 127 at the edge, 215 four pixels on.
    #expect(abs(Int(blurred[19, 20][0]) - 115) <= 6)
    #expect(abs(Int(blurred[24, 20][0]) - 222) <= 8)
    #expect(blurred[0, 20][0] == 0 && blurred[39, 20][0] == 255)
  }
}

@Suite struct `Tints, blurs and corners` {
  static let picture = SampleImages.flat(20, 20, [100, 200, 50, 255])

  // The image and the color mixed in the proportion of the color's alpha.
  @Test(arguments: [
    (PixelColor(red: 200, green: 0, blue: 50, alpha: 255), [200, 0, 50]),
    (PixelColor(red: 200, green: 0, blue: 50, alpha: 128), [150, 100, 50]),
    (PixelColor(red: 200, green: 0, blue: 50, alpha: 51), [120, 160, 50]),
    (PixelColor(red: 200, green: 0, blue: 50, alpha: 0), [100, 200, 50]),
  ])
  func `a tint mixes its color in by its alpha`(color: PixelColor, expected: [Int]) throws {
    let pixel = try Tint(color).process(Self.picture)[7, 7]

    // One step of rounding.
    #expect(zip(pixel, expected).allSatisfy { abs(Int($0) - $1) <= 1 }, "\(pixel)")
    #expect(pixel[3] == 255)
  }

  @Test func `a tint keeps the alpha of every pixel`() throws {
    let image = SampleImages.translucent(30, 20)

    let tinted = try Tint(PixelColor(red: 9, green: 9, blue: 9, alpha: 200)).process(image)

    let alphas = stride(from: 3, to: image.bytes.count, by: 4)
    #expect(alphas.allSatisfy { tinted.bytes[$0] == image.bytes[$0] })
  }

  @Test(arguments: [-1.0, -0.001, 1000.5, .nan, .infinity])
  func `a blur, corners and a crop outside their range are errors with the range`(value: Double) {
    func failure(_ step: any ImageProcessing) -> ImageError? {
      let early = imageError { try ProcessingChain([.circle, step]).check() }
      let late = imageError { try step.process(Self.picture) }
      #expect(early?.message == late?.message && early?.code == late?.code)
      return late
    }

    let blur = failure(Blur(radius: value))
    let crop = failure(Crop(PixelSize(width: 0, height: 5)))
    let resize = failure(.resize())
    #expect(resize?.message == "a size of 0x0 has no pixels; at most one side may be 0")
    #expect(failure(.resize(width: 65_536))?.code == .invalidArgument)
    #expect(blur?.code == .invalidArgument)
    #expect(blur?.message == "a blur of \(value) pixels; it must be 0 to 1000")
    #expect(crop?.code == .invalidArgument)
    #expect(crop?.message == "cannot crop to 0x5: it has no pixels")
    guard value != 1000.5 else { return }
    let corners = failure(RoundCorners(.pixels(value)))
    #expect(corners?.code == .invalidArgument)
    #expect(corners?.message == "cannot round corners by \(value) pixels")
  }

  @Test(arguments: [0.3, 1, 50, 1000])
  func `a blur keeps one color, also where it is wider than the image`(radius: Double) throws {
    let blurred = try Blur(radius: radius).process(Self.picture)

    #expect(blurred.difference(from: Self.picture) <= 1)
  }

  @Test func `a blur does not mix in the color of transparent pixels`() throws {
    var image = SampleImages.flat(40, 10, [255, 0, 0, 255])
    image.draw(SampleImages.flat(20, 10, [0, 0, 255, 0]), left: 20, top: 0, blends: false)

    let blurred = try Blur(radius: 3).process(image)

    // Alpha falls off across the edge; the color where it is seen stays red.
    for x in 15..<24 {
      #expect(blurred[x, 5][0] >= 250 && blurred[x, 5][2] <= 5, "\(x): \(blurred[x, 5])")
    }
    #expect(blurred[10, 5][3] == 255 && blurred[35, 5][3] == 0)
    #expect((80...175).contains(blurred[20, 5][3]))
  }

  @Test func `corners are the same on all sides, and the edges between them stay`() throws {
    let round = try RoundCorners(.pixels(6)).process(Self.picture)

    for orientation in 2...8 {
      #expect(try Orient(orientation).process(round) == round, "orientation \(orientation)")
    }
    #expect(round[0, 0][3] == 0)
    #expect((6..<14).allSatisfy { round[$0, 0] == Self.picture[$0, 0] })
    #expect((6..<14).allSatisfy { round[0, $0] == Self.picture[0, $0] })
  }

  @Test func `a radius above half the shorter side counts as half`() throws {
    let image = SampleImages.flat(30, 20, [100, 200, 50, 255])

    let half = try RoundCorners(.pixels(10)).process(image)

    #expect(try RoundCorners(.pixels(11)).process(image) == half)
    #expect(try RoundCorners(.pixels(1e300)).process(image) == half)
    #expect(half.size == image.size)
  }
}
