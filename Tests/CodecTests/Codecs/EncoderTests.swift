import Foundation
import ImageCodecs
import ImageModel
import Testing
@testable import TestSupport

@Suite struct `Encoders` {
  static func gradient(_ width: Int, _ height: Int, shift: Int = 0) -> PixelBuffer {
    var bytes: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        bytes += [
          UInt8((x * 255 / width + shift) & 255), UInt8(y * 255 / height),
          UInt8((x + y + shift) & 255), 255,
        ]
      }
    }
    return PixelBuffer(size: PixelSize(width: width, height: height), bytes: bytes)
  }

  @Test func `a JPEG begins and ends with its markers`() throws {
    let bytes = try ImageCodecs.encodeJPEG(Self.gradient(150, 150), quality: 80)

    #expect(bytes.prefix(3) == [0xff, 0xd8, 0xff])
    #expect(bytes.suffix(2) == [0xff, 0xd9])
  }

  @Test func `few colors make a PNG with a palette`() throws {
    let flat = PixelBuffer(
      size: PixelSize(width: 8, height: 8),
      bytes: Array(repeating: [9, 8, 7, 255], count: 64).flatMap(\.self))

    let few = try ImageCodecs.encodePNG(flat)
    let many = try ImageCodecs.encodePNG(Self.gradient(40, 40))

    #expect(few[25] == 3)
    #expect(many[25] == 2)
  }

  @Test func `an animated GIF ends with its trailer`() throws {
    let frames = (0..<4).map {
      AnimationFrame(pixels: Self.gradient(32, 32, shift: $0 * 9), delay: .milliseconds(120))
    }

    let bytes = try ImageCodecs.encodeGIF(frames)

    #expect(bytes.prefix(6).elementsEqual("GIF89a".utf8))
    #expect(bytes.last == 0x3b)
  }

  @Test func `a background that is not opaque counts as white in a JPEG`() throws {
    let clear = [AnimationFrame(pixels: SampleImages.flat(16, 16, [0, 0, 0, 0]), delay: .zero)]

    let made = try ImageCodecs.encode(
      clear, as: .jpeg, background: PixelColor(red: 255, green: 0, blue: 0, alpha: 1))

    #expect(try ImageCodecs.decode(made.bytes.span.bytes)[8, 8] == [255, 255, 255, 255])
  }
}
