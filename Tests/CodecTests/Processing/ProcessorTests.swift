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
