import ImageModel
import Testing

@testable import ThumbnailServer

@Suite struct `The size of a placeholder` {
  @Test(arguments: [
    // A free side stays free where the placeholder has the shape of the image.
    ((300, 0), true, (300, 0)), ((300, 0), false, (300, 300)), ((0, 40), false, (40, 40)),
    ((0, 40), true, (0, 40)), ((300, 200), true, (300, 200)), ((300, 200), false, (300, 200)),
    ((4000, 0), true, (1024, 0)), ((4000, 0), false, (1024, 1024)), ((0, 0), true, (256, 256)),
    ((0, 0), false, (256, 256)),
  ])
  func `is that of the request, and at most 1024 a side`(
    wanted: (Int, Int), hasShape: Bool, size: (Int, Int)
  ) {
    let made = Placeholders.size(PixelSize(width: wanted.0, height: wanted.1), hasShape: hasShape)

    #expect(made == PixelSize(width: size.0, height: size.1))
  }
}
