import Testing

@testable import ImageModel
@testable import TestSupport

@Suite struct `A pixel buffer` {
  static let size = PixelSize(width: 3, height: 2)

  @Test func `is filled or overwritten in place`() {
    let filled = PixelBuffer(size: Self.size, filledBy: { $0[5] = 9 })
    let overwritten = PixelBuffer(
      size: Self.size,
      overwrittenBy: { room in for at in room.indices { room[at] = UInt8(200 - at) } })

    #expect(filled.bytes == [0, 0, 0, 0, 0, 9] + Array(repeating: 0, count: 18))
    #expect(overwritten.bytes == (0..<24).map { UInt8(200 - $0) })
  }

  @Test func `may have no pixels`() {
    for size in [PixelSize(width: 0, height: 5), PixelSize(width: 5, height: 0)] {
      var image = PixelBuffer(clear: size)
      image.clear(left: 0, top: 0, size: PixelSize(width: 9, height: 9))

      #expect(image.bytes.isEmpty && image.size == size)
      let overwritten = PixelBuffer(size: size, overwrittenBy: { #expect($0.isEmpty) })
      #expect(overwritten == image)
    }
  }

  /// Every pixel is asked for by itself.
  @Test(arguments: 0..<20)
  func `is cleared in the pixels of a rectangle and no others`(seed: Int) {
    var random = SplitMix64(seed: UInt64(seed))
    func number(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
    let original = SampleImages.gradient(1 + number(9), 1 + number(9))
    let (left, top) = (number(14) - 4, number(14) - 4)
    let size = PixelSize(width: number(9) - 1, height: number(9) - 1)
    var image = original

    image.clear(left: left, top: top, size: size)

    for y in 0..<image.height {
      for x in 0..<image.width {
        let isInside = x >= left && x < left + size.width && y >= top && y < top + size.height
        #expect(
          image[x, y] == (isInside ? [0, 0, 0, 0] : original[x, y]),
          "seed \(seed): \(x), \(y) of \(size) at \(left), \(top) in \(image.size)")
      }
    }
  }

  @Test(
    arguments: [
      (1, 1, .max, .max, [4, 5, 7, 8]), (.min, .min, .max, .max, []),
      (-1, -1, .max, .max, [0, 1, 2, 3, 4, 5, 6, 7, 8]), (.max, 0, .max, 3, []),
      (0, .min, 3, .min, []), (2, 0, .max, 1, [2]),
    ] as [(Int, Int, Int, Int, [Int])])
  func `is cleared in a rectangle that may end anywhere outside`(
    left: Int, top: Int, width: Int, height: Int, cleared: [Int]
  ) {
    var image = SampleImages.flat(3, 3, [9, 9, 9, 255])
    image.clear(left: left, top: top, size: PixelSize(width: width, height: height))

    #expect((0..<9).filter { image[$0 % 3, $0 / 3] == [0, 0, 0, 0] } == cleared)
  }

  @Test(
    arguments: [
      (640, 480, 307_200), (0, 5, 0), (.max, 1, .max), (.max, 2, .max), (1 << 32, 1 << 31, .max),
      (1 << 31, 1 << 31, 1 << 62),
    ] as [(Int, Int, Int)])
  func `has a number of pixels that does not overflow`(width: Int, height: Int, count: Int) {
    #expect(PixelSize(width: width, height: height).pixelCount == count)
  }
}
