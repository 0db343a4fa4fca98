import ImageModel
import Testing
@testable import TestSupport

@Suite struct `A cleared area` {
  @Test(
    arguments: [
      (1, 1, .max, .max, [4, 5, 7, 8]), (.min, .min, .max, .max, []),
      (-1, -1, .max, .max, [0, 1, 2, 3, 4, 5, 6, 7, 8]), (.max, 0, .max, 3, []),
      (0, .min, 3, .min, []), (2, 0, .max, 1, [2]),
    ] as [(Int, Int, Int, Int, [Int])])
  func `may end anywhere outside the image`(
    left: Int, top: Int, width: Int, height: Int, cleared: [Int]
  ) {
    var image = SampleImages.flat(3, 3, [9, 9, 9, 255])

    image.clear(left: left, top: top, size: PixelSize(width: width, height: height))

    #expect((0..<9).filter { image[$0 % 3, $0 / 3] == [0, 0, 0, 0] } == cleared)
  }
}
