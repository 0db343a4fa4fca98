import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

/// The options are variables: a value set after the initializer is clamped as well.
@Suite struct `Encoding options out of range` {
  static let image = SampleImages.gradient(9, 7)

  @Test(arguments: [(-5, 0), (99, 9), (.max, 9), (.min, 0)] as [(Int, Int)])
  func `give the nearest level of a PNG`(level: Int, nearest: Int) throws {
    var options = PNGEncodingOptions(level: nearest)
    options.triesEveryFilter = false
    let expected = try ImageCodecs.encodePNG(Self.image, options: options)

    options.level = level

    #expect(try ImageCodecs.encodePNG(Self.image, options: options) == expected)
  }

  @Test(arguments: [(0, 1), (101, 100), (.max, 100), (.min, 1)] as [(Int, Int)])
  func `give the nearest quality of a JPEG and a WebP`(quality: Int, nearest: Int) throws {
    var jpeg = JPEGEncodingOptions()
    var webp = WebPEncodingOptions()
    jpeg.quality = quality
    webp.quality = quality

    #expect(
      try ImageCodecs.encodeJPEG(Self.image, options: jpeg)
        == ImageCodecs.encodeJPEG(Self.image, options: JPEGEncodingOptions(quality: nearest)))
    #expect(
      try ImageCodecs.encodeWebP(Self.image, options: webp)
        == ImageCodecs.encodeWebP(Self.image, options: WebPEncodingOptions(quality: nearest)))
  }

  @Test(arguments: [(-1, 0), (7, 6), (.max, 6), (.min, 0)] as [(Int, Int)])
  func `give the nearest effort of a WebP`(effort: Int, nearest: Int) throws {
    var options = WebPEncodingOptions()
    options.effort = nearest
    let expected = try ImageCodecs.encodeWebP(Self.image, options: options)

    options.effort = effort

    #expect(try ImageCodecs.encodeWebP(Self.image, options: options) == expected)
  }

  @Test(arguments: [ImageFormat.gif, .webp], [Duration.seconds(Int64.max), .seconds(Int64.min)])
  func `give the nearest delay of a frame`(format: ImageFormat, delay: Duration) throws {
    let frames = [
      AnimationFrame(pixels: Self.image, delay: delay),
      AnimationFrame(pixels: SampleImages.gradient(9, 7, shift: 40), delay: .milliseconds(50)),
    ]

    let file = try ImageCodecs.encode(frames, as: format)
    let first = try #require(try ImageCodecs.info(of: file.bytes.span.bytes).rawDelays.first)

    let longest: Duration =
      format == .gif ? .milliseconds(655_350) : .milliseconds((1 << 24) - 1)
    // Without a delay a frame is shown for 100 ms, which a WebP names.
    let shortest: Duration = format == .gif ? .zero : .milliseconds(100)
    #expect(first == (delay > .zero ? longest : shortest))
  }
}
