import ImageCodecs
import ImageModel
import Testing

@testable import TerminalGraphics

@Suite struct `Half transparent pixels without alpha` {
  private func pixel(_ red: UInt8, _ green: UInt8, _ blue: UInt8, _ alpha: UInt8) -> PixelBuffer {
    PixelBuffer(size: PixelSize(width: 1, height: 1), bytes: [red, green, blue, alpha])
  }

  private func samples(_ image: PixelBuffer) -> [UInt8] { (0..<4).map { image.bytes[$0] } }

  @Test(
    arguments: [
      (0, 0), (127, 0), (128, 255), (255, 255),
    ] as [(UInt8, UInt8)])
  func `are opaque from half on where the background is unknown`(alpha: UInt8, shown: UInt8) {
    let image = pixel(10, 20, 30, alpha).withoutHalfTones(over: nil)

    #expect(samples(image) == [10, 20, 30, shown])
  }

  @Test(
    arguments: [
      (7, [200, 100, 0, 0]), (8, [6, 3, 247, 255]), (128, [100, 50, 127, 255]),
      (255, [200, 100, 0, 255]),
    ] as [(UInt8, [UInt8])])
  func `mix with a known background, but for those almost transparent`(
    alpha: UInt8, shown: [UInt8]
  ) {
    let background = PixelColor(red: 0, green: 0, blue: 255)

    #expect(samples(pixel(200, 100, 0, alpha).withoutHalfTones(over: background)) == shown)
  }

  @Test(
    arguments: [
      ([255, 255, 255], 255), ([0, 0, 0], 0), ([255, 0, 0], 54), ([0, 255, 0], 182),
      ([0, 0, 255], 18),
    ] as [([UInt8], UInt8)])
  func `in grey are as light as their colour, and keep their alpha`(
    color: [UInt8], light: UInt8
  ) {
    let image = pixel(color[0], color[1], color[2], 77).gray()

    #expect(samples(image) == [light, light, light, 77])
  }
}
