import Foundation
import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

/// Small files that need much work: refused by their header, before a pixel is decoded.
@Suite struct `Animations that cost too much` {
  @Test func `frames larger than their canvas count with all their pixels`() {
    let gif = HollowGIF.bytes(canvas: 1, frame: 7000, count: 60)

    let error = imageError { try ImageCodecs.info(of: gif.span.bytes) }

    #expect(gif.count < 2000)
    #expect(error?.code == .limitExceeded)
    #expect(error?.message.contains("2000000000 pixels") == true, "\(error?.message ?? "")")
  }

  @Test(arguments: [0, 1, 65_535])
  func `the limits are those of the canvas that the first frame needs`(screen: Int) throws {
    let wide = with(ImageLimits()) { $0.maximumSide = 1000 }
    let large = with(ImageLimits()) { $0.maximumPixels = 1_000_000 }
    let heavy = with(ImageLimits()) { $0.maximumMemoryByteCount = 1_000_000 }
    for limits in [wide, large] {
      let error = imageError {
        let gif = HollowGIF.bytes(canvas: screen, frame: 1001, count: 1)
        _ = try ImageCodecs.info(of: gif.span.bytes, limits: limits)
      }
      #expect(error?.code == .limitExceeded)
    }
    // The place counts as well as the size.
    for left in [UInt8(0xff), 3] {
      var gif = HollowGIF.bytes(canvas: 1, frame: 900, count: 1)
      gif[13 + 6 + 2] = left
      imageError { try ImageCodecs.decode(gif.span.bytes, limits: wide) }
    }
    let gif = HollowGIF.bytes(canvas: min(screen, 1), frame: 900, count: 1)
    imageError { try ImageCodecs.decode(gif.span.bytes, limits: heavy) }
  }

  @Test func `small frames on a large canvas count as canvases`() {
    let gif = HollowGIF.bytes(canvas: 7000, frame: 1, count: 60)

    #expect(imageError { try ImageCodecs.info(of: gif.span.bytes) }?.code == .limitExceeded)
  }

  @Test func `one large image is not an animation`() throws {
    let gif = HollowGIF.bytes(canvas: 100, frame: 100, count: 1)
    let limits = with(ImageLimits()) { $0.maximumAnimationPixels = 1000 }

    #expect(try ImageCodecs.info(of: gif.span.bytes, limits: limits).frameCount == 1)
  }

  @Test(
    arguments: zip(
      [ImageFormat.jpeg, .png, .gif, .webp],
      [.seconds(Int64.max), .seconds(9_223_372_036) + .milliseconds(900)]
        + Array(repeating: Duration.seconds(Int64.max), count: 2)))
  func `a limit of centuries does not overflow`(format: ImageFormat, time: Duration) throws {
    let image = AnimationFrame(pixels: SampleImages.gradient(600, 600), delay: .zero)
    let file = try ImageCodecs.encode([image], as: format).bytes
    let limits = with(ImageLimits()) { $0.maximumProcessorTime = time }

    let decoded = try ImageCodecs.decode(file.span.bytes, limits: limits)

    #expect(decoded.size == PixelSize(width: 600, height: 600))
  }

  @Test func `the time of an animated PNG is that of all its frames`() throws {
    let still = try ImageCodecs.encodePNG(
      PixelBuffer(clear: PixelSize(width: 16, height: 16)), options: EncodingOptions())
    let control = `Animated PNG`.Builder.control(16, 16)
    var file = `Animated PNG`.Builder(still: still, frames: 200, plays: 0, first: control)
    for _ in 1..<200 { file.add(still, control) }
    let bytes = file.finished()
    func frameCount(within time: Duration) throws(ImageError) -> Int {
      let limits = with(ImageLimits()) { $0.maximumProcessorTime = time }
      let options = with(DecodingOptions()) { $0.animatesPNG = true }
      let reader = try FrameReader(bytes.span.bytes, limits: limits, options: options)
      var count = 0
      while try reader.next(of: bytes.span.bytes) != nil { count += 1 }
      return count
    }
    #expect(try frameCount(within: .seconds(10)) == 200)
    let start = ThreadTime.now
    _ = try frameCount(within: .seconds(10))
    let time = ThreadTime.now - start

    // A fiftieth of the total time is enough for each of them.
    let error = imageError { try frameCount(within: time / 50) }

    #expect(error?.code == .limitExceeded)
    // The limit, not the rest that the last frame had.
    #expect(error?.message.contains("more than \((time / 50).readable) of") == true)
  }
}
