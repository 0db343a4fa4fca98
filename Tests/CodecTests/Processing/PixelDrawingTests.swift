import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

@Suite struct `Drawing on an image` {
  static let red: [UInt8] = [255, 0, 0, 255]
  static let white: [UInt8] = [255, 255, 255, 255]

  /// The pixels of a white image of 6 × 5 that have another color, as `x,y`.
  static func changed(_ image: PixelBuffer, from color: [UInt8] = white) -> Set<[Int]> {
    var result: Set<[Int]> = []
    for y in 0..<image.height {
      for x in 0..<image.width where image[x, y] != color { result.insert([x, y]) }
    }
    return result
  }

  static let places: [(left: Int, top: Int, pixels: Set<[Int]>)] = [
    (2, 1, [[2, 1], [3, 1], [2, 2], [3, 2]]), (-1, 1, [[0, 1], [0, 2]]),
    (5, 1, [[5, 1], [5, 2]]),
    (2, -1, [[2, 0], [3, 0]]), (2, 4, [[2, 4], [3, 4]]), (-1, -1, [[0, 0]]), (5, 4, [[5, 4]]),
    (-2, 1, []), (6, 1, []), (2, -2, []), (2, 5, []), (-1000, 1000, []),
  ]

  @Test(arguments: places.indices)
  func `leaves out what lies outside`(index: Int) {
    let (left, top, pixels) = Self.places[index]
    var image = SampleImages.flat(6, 5, Self.white)

    image.draw(SampleImages.flat(2, 2, Self.red), left: left, top: top)

    #expect(Self.changed(image) == pixels)
    #expect(pixels.allSatisfy { image[$0[0], $0[1]] == Self.red })
  }

  // Straight alpha: the sum of both colors, each weighed by its part of the result's alpha.
  @Test(
    arguments: [
      ([255, 0, 0, 255], [0, 0, 255, 255], [0, 0, 255, 255]),
      ([255, 0, 0, 255], [0, 0, 255, 0], [255, 0, 0, 255]),
      ([255, 0, 0, 255], [0, 0, 255, 128], [127, 0, 128, 255]),
      ([0, 0, 0, 0], [10, 20, 30, 128], [10, 20, 30, 128]),
      ([255, 0, 0, 128], [0, 0, 255, 128], [85, 0, 170, 192]),
      ([9, 9, 9, 0], [8, 8, 8, 0], [0, 0, 0, 0]),
    ] as [([UInt8], [UInt8], [UInt8])])
  func `blends by alpha`(below: [UInt8], above: [UInt8], expected: [UInt8]) {
    var image = SampleImages.flat(9, 3, below)

    image.draw(SampleImages.flat(9, 3, above), left: 0, top: 0)

    // Rounding of two divisions.
    if expected[3] > 0 {
      #expect(image.difference(from: SampleImages.flat(9, 3, expected)) <= 1, "\(image[0, 0])")
    } else {
      #expect(image[0, 0][3] == 0)
    }
  }

  @Test func `replaces pixels where it does not blend`() {
    var image = SampleImages.flat(4, 4, Self.white)

    image.draw(SampleImages.flat(2, 4, [1, 2, 3, 4]), left: 1, top: 0, blends: false)

    #expect((0..<4).map { image[$0, 2] } == [Self.white, [1, 2, 3, 4], [1, 2, 3, 4], Self.white])
  }

  @Test func `on a background keeps transparency where the background has none`() {
    let image = SampleImages.flat(2, 2, [10, 20, 30, 128])

    let padded = image.placed(
      on: PixelSize(width: 4, height: 4), left: 1, top: 1, background: .clear)
    let white = image.placed(
      on: PixelSize(width: 4, height: 4), left: 1, top: 1, background: .white)

    #expect(padded[0, 0] == [0, 0, 0, 0] && padded[1, 1] == [10, 20, 30, 128])
    #expect(white[0, 0] == Self.white && white[1, 1][3] == 255)
    // (10, 20, 30) at 128 of 255 on white.
    #expect(zip(white[1, 1], [132, 137, 142]).allSatisfy { abs(Int($0) - $1) <= 1 })
  }
}
