import ImageCodecs
import ImageModel
import Testing
@testable import TestSupport

@Suite struct `GIF decoding` {
  static let red: [UInt8] = [255, 0, 0, 255]
  static let green: [UInt8] = [0, 255, 0, 255]
  static let clear: [UInt8] = [0, 0, 0, 0]

  static func frames(_ bytes: [UInt8]) throws -> [PixelBuffer] {
    try FrameReader(bytes.span.bytes).rest(of: bytes).map(\.pixels)
  }

  @Test(arguments: zip([UInt8(0), 1, 2, 3, 4, 7], [red, red, clear, green, green, red]))
  func `the canvas after a frame follows its disposal`(disposal: UInt8, left: [UInt8]) throws {
    var gif = SampleImages.GIF(4, 4)
    gif.add(4, 4, index: 2)
    gif.add(left: 1, top: 1, 2, 2, index: 1, disposal: disposal)
    gif.add(1, 1, index: 3)

    let frames = try Self.frames(gif.finished())

    #expect(frames.count == 3)
    #expect(frames[1][1, 1] == Self.red)
    #expect(frames[2][1, 1] == left)
    #expect(frames[2][3, 3] == Self.green)
    #expect(frames[2][0, 0] == [0, 0, 255, 255])
  }

  @Test(arguments: [(5, 8), (4, 4)] as [(UInt8, Int)])
  func `the canvas starts transparent, and a frame may lie partly outside`(
    frame: UInt8, canvas: Int
  ) throws {
    var gif = SampleImages.GIF(4, 4)
    gif.add(left: 3, top: 3, frame, frame, index: 1)
    let shown = try Self.frames(gif.finished())[0]

    #expect(shown.size == PixelSize(width: canvas, height: canvas))
    #expect(shown[0, 0] == Self.clear && shown[3, 3] == Self.red)
  }

  @Test func `a GIF that lacks the trailer alone is whole, with a warning`() throws {
    var gif = SampleImages.GIF(2, 2)
    let empty = gif
    gif.add(2, 2, index: 1)
    let reader = try FrameReader(gif.bytes.span.bytes)

    #expect(try reader.next(of: gif.bytes.span.bytes)?.pixels[0, 0] == Self.red)
    #expect(reader.warnings == ["the trailer is missing"])
    for level in [ImageCheck.decode, .structure] {
      #expect(try ImageCodecs.check(gif.bytes.span.bytes, level: level).info.frameCount == 1)
      imageError { try ImageCodecs.check(empty.bytes.span.bytes, level: level) }
    }
  }

  @Test(arguments: [(0, 0), (0, 9), (2, 0), (2, 2), (6, 2), (6, 9)] as [(UInt8, UInt8)])
  func `the canvas grows to the first frame, and no further`(width: UInt8, height: UInt8) throws {
    var gif = SampleImages.GIF(width, height)
    gif.add(left: 1, top: 2, 4, 3, index: 1)
    gif.add(9, 11, index: 2)
    let bytes = gif.finished()
    let size = PixelSize(width: max(Int(width), 5), height: max(Int(height), 5))

    for level in ImageCheck.allCases {
      #expect(try ImageCodecs.check(bytes.span.bytes, level: level).info.size == size)
    }
    let frames = try Self.frames(bytes)
    #expect(frames.map(\.size) == [size, size])
    #expect(frames[0][0, 0] == Self.clear)
    #expect(frames[0][1, 2] == Self.red && frames[0][4, 4] == Self.red)
    #expect(frames[1][size.width - 1, size.height - 1] == Self.green)
    #expect(try ImageCodecs.info(of: bytes.span.bytes).hasAlpha)

    let recipe = with(ThumbnailRecipe(size: size, fit: .inside)) { $0.format = .gif }
    let thumbnail = try ImageCodecs.thumbnail(of: bytes.span.bytes, recipe: recipe)
    #expect(thumbnail.size == size && thumbnail.frameCount == 2)
    #expect(try Self.frames(thumbnail.bytes) == frames)
  }

  @Test func `a first frame that is cut has its place on the canvas too`() throws {
    var gif = SampleImages.GIF(0, 0)
    gif.add(9, 9, index: 1)
    let options = with(DecodingOptions()) { $0.allowsPartial = true }
    let cut = Array(gif.bytes.dropLast(20))

    let reader = try FrameReader(cut.span.bytes, options: options)

    #expect(reader.info.size == PixelSize(width: 9, height: 9))
    #expect(try reader.next(of: cut.span.bytes)?.pixels[0, 0] == Self.red)
  }

  @Test func `a screen of no size without a frame is refused`() {
    let error = imageError {
      try ImageCodecs.info(of: SampleImages.GIF(0, 0).finished().span.bytes)
    }
    #expect(error?.code == .corrupt)
  }

  @Test func `transparent pixels do not change the canvas`() throws {
    var gif = SampleImages.GIF(2, 2)
    gif.add(2, 2, index: 2)
    gif.add(2, 2, index: 1, transparent: 1)

    #expect(try Self.frames(gif.finished())[1][0, 0] == Self.green)
  }

  @Test(arguments: [(UInt8(0), 100), (1, 100), (2, 20), (3, 30), (50, 500)])
  func `a delay of at most 10 ms plays as 100 ms`(written: UInt8, shown: Int) throws {
    var gif = SampleImages.GIF(1, 1)
    gif.add(1, 1, index: 1, delay: written)
    gif.add(1, 1, index: 2, delay: written)

    let info = try ImageCodecs.info(of: gif.finished().span.bytes)

    #expect(info.rawDelays == [.milliseconds(10 * Int(written)), .milliseconds(10 * Int(written))])
    #expect(ImageInfo.shownDelay(for: info.rawDelays[0]) == .milliseconds(shown))
  }

  @Test(arguments: [(nil, 1), (0, 0), (1, 2), (9, 10), (65_535, 65_536)] as [(UInt16?, Int)])
  func `a loop block of N plays N + 1 times, none plays once`(loops: UInt16?, plays: Int) throws {
    var gif = SampleImages.GIF(1, 1, loops: loops)
    gif.add(1, 1, index: 1)

    #expect(try ImageCodecs.info(of: gif.finished().span.bytes).loopCount == plays)
  }

  @Test func `the complete frames of a truncated GIF are returned on request`() throws {
    var gif = SampleImages.GIF(9, 9)
    gif.add(9, 9, index: 1)
    gif.add(9, 9, index: 2)
    let cut = Array(gif.bytes.dropLast(40))
    let options = with(DecodingOptions()) { $0.allowsPartial = true }

    imageError { try FrameReader(cut.span.bytes) }
    let reader = try FrameReader(cut.span.bytes, options: options)
    let first = try #require(try reader.next(of: cut.span.bytes))
    let second = try #require(try reader.next(of: cut.span.bytes))

    #expect(first.pixels[8, 8] == Self.red)
    #expect(second.pixels[0, 0] == Self.green)
    #expect(second.pixels[8, 8] == Self.red)
    #expect(reader.fault?.code == .truncated)
    #expect(try reader.next(of: cut.span.bytes) == nil)
  }

  @Test func `more frames than allowed are refused`() throws {
    var gif = SampleImages.GIF(10, 10)
    for _ in 0..<5 { gif.add(1, 1, index: 1) }
    let few = with(ImageLimits()) { $0.maximumFrames = 4 }
    let small = with(ImageLimits()) { $0.maximumAnimationPixels = 400 }

    for limits in [few, small] {
      let error = imageError {
        try ImageCodecs.check(gif.finished().span.bytes, level: .structure, limits: limits)
      }
      #expect(error?.code == .limitExceeded)
    }
  }

  @Test func `an encoded animation decodes to the same frames and timing`() throws {
    let pictures = (0..<5).map { SampleImages.gradient(14, 14, shift: $0 * 7) }
    var moving = pictures.map { AnimationFrame(pixels: $0, delay: .milliseconds(70)) }
    moving[2].pixels.clear(left: 3, top: 3, size: PixelSize(width: 6, height: 5))

    for palette in [EncodingOptions.Palette.perFrame, .automatic] {
      let options = with(EncodingOptions(loopCount: 3)) { $0.palette = palette }
      let bytes = try ImageCodecs.encodeGIF(moving, options: options)
      let info = try ImageCodecs.info(of: bytes.span.bytes)

      #expect(info.loopCount == 3)
      #expect(info.rawDelays == Array(repeating: .milliseconds(70), count: 5))
      let decoded = try Self.frames(bytes)
      for (index, frame) in decoded.enumerated() {
        #expect(frame == moving[index].pixels, "frame \(index) with \(palette)")
      }
    }
  }

  @Test func `an animation without gaps on its canvas has no alpha`() throws {
    /// Two frames: a whole one, and one of a part.
    func hasAlpha(_ first: UInt8, isWhole: Bool = true) throws -> Bool {
      var gif = SampleImages.GIF(4, 4)
      gif.add(isWhole ? 4 : 3, 4, index: 2, disposal: first)
      gif.add(left: 1, top: 1, 2, 2, index: 1, disposal: 2)
      return try ImageCodecs.info(of: gif.finished().span.bytes).hasAlpha
    }

    #expect(try !hasAlpha(0) && !hasAlpha(1))
    // Cleared, and as it was before the first frame.
    #expect(try hasAlpha(2) && hasAlpha(3))
    #expect(try hasAlpha(0, isWhole: false))
    var gif = SampleImages.GIF(2, 2)
    gif.add(2, 2, index: 1, transparent: 1)
    #expect(try ImageCodecs.info(of: gif.finished().span.bytes).hasAlpha)
  }

  @Test(arguments: [
    ([12, 12, 12], [20, 20, 20]), ([25, 25, 25, 25], [30, 20, 30, 20]),
    ([33, 33, 33], [30, 40, 30]), ([0, 10, 10], [0, 10, 10]),
    ([12, 12, 12, 12, 100], [20, 20, 20, 20, 100]),
  ])
  func `delays of other formats keep their sum, and none is one that players lengthen`(
    delays: [Int], written: [Int]
  ) throws {
    let frames = delays.enumerated().map {
      AnimationFrame(
        pixels: SampleImages.gradient(8, 8, shift: $0.offset * 9), delay: .milliseconds($0.element))
    }

    let bytes = try ImageCodecs.encodeGIF(frames)

    #expect(
      try ImageCodecs.info(of: bytes.span.bytes).rawDelays == written.map { .milliseconds($0) })
  }
}
