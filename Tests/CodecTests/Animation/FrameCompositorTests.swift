import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

/// Frames that are pixels in memory, drawn one pixel after the other.
private final class StubFrames: FrameSequence {
  struct Frame {
    var place: FrameDescription
    var pixels: PixelBuffer
    var isShort = false
  }

  let info: ImageInfo
  let frames: [Frame]
  let hasPartialFrame: Bool
  /// A frame that cannot be decoded.
  var broken: Int?

  init(_ size: PixelSize, _ frames: [Frame], hasPartialFrame: Bool = false) {
    var info = ImageInfo(format: .gif, size: size, colorModel: .palette)
    info.rawDelays = frames.map(\.place.delay)
    self.info = info
    self.frames = frames
    self.hasPartialFrame = hasPartialFrame
  }

  var count: Int { frames.count - (hasPartialFrame ? 1 : 0) }
  subscript(index: Int) -> FrameDescription { frames[index].place }
  func restartClock() {}

  func draw(
    _ index: Int, of bytes: RawSpan, onto canvas: inout PixelBuffer?
  ) throws(ImageError) -> Bool {
    if index == broken { throw ImageError(.corrupt, "frame \(index) is broken") }
    guard var target = canvas else { return false }
    Self.paint(frames[index], on: &target)
    canvas = target
    return frames[index].isShort
  }

  /// Draws what is inside the canvas; a transparent pixel shows what is below.
  static func paint(_ frame: Frame, on canvas: inout PixelBuffer) {
    let (place, pixels) = (frame.place, frame.pixels)
    let size = canvas.size
    canvas.withMutableBytes { room in
      for y in 0..<pixels.height {
        for x in 0..<pixels.width {
          let (column, row) = (place.left + x, place.top + y)
          guard column >= 0, row >= 0, column < size.width, row < size.height else { continue }
          let pixel = pixels[x, y]
          if pixel[3] == 0, !place.replacesArea { continue }
          for part in 0..<4 { room[4 * (row * size.width + column) + part] = pixel[part] }
        }
      }
    }
  }
}

@Suite struct `The composition of frames` {
  private static let nothing: [UInt8] = []

  private static func frame(
    _ left: Int, _ top: Int, _ pixels: PixelBuffer, _ disposal: FrameDisposal = .keep,
    replaces: Bool = false
  ) -> StubFrames.Frame {
    StubFrames.Frame(
      place: FrameDescription(
        left: left, top: top, size: pixels.size, disposal: disposal, replacesArea: replaces,
        delay: .milliseconds(50)), pixels: pixels)
  }

  /// What each frame shows: every canvas is made from the first frame on, without what was kept.
  private static func reference(_ source: StubFrames) -> [PixelBuffer] {
    source.frames.indices.map { shown in
      var canvas = PixelBuffer(clear: source.info.size)
      for index in 0...shown {
        let before = canvas
        StubFrames.paint(source.frames[index], on: &canvas)
        if index == shown { break }
        let place = source.frames[index].place
        switch place.disposal {
        case .keep: break
        case .clear: canvas.clear(left: place.left, top: place.top, size: place.size)
        case .restore: canvas = before
        }
      }
      return canvas
    }
  }

  private static func random(_ seed: Int) -> StubFrames {
    var random = SplitMix64(seed: UInt64(seed))
    func number(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
    let size = PixelSize(width: 1 + number(6), height: 1 + number(6))
    let frames = (0..<12).map { index in
      var pixels = SampleImages.noise(1 + number(7), 1 + number(7), seed: random.next())
      if number(2) == 0 {
        pixels.withMutableBytes { room in
          for at in stride(from: 3, to: room.count, by: 4) where number(2) == 0 { room[at] = 0 }
        }
      }
      let disposals: [FrameDisposal] = [.keep, .clear, .restore]
      return frame(
        number(8) - 2, number(8) - 2, pixels, disposals[number(3)], replaces: number(3) == 0)
    }
    return StubFrames(size, frames)
  }

  @Test(arguments: 0..<24)
  func `shows what drawing all frames again would, from any canvas that was kept`(seed: Int) throws
  {
    let source = Self.random(seed)
    let expected = Self.reference(source)
    let start = 1 + seed % (source.count - 1)
    let first = FrameCompositor(source)
    let second = FrameCompositor(source)
    for index in 0..<source.count {
      if index == start {
        first.dispose()
        second.resume(at: index, canvas: first.canvas)
        first.dispose()
        #expect(first.canvas == second.canvas, "a second disposal does nothing")
      }
      #expect(first.nextIndex == index)
      #expect(try first.advance(Self.nothing.span.bytes) == false)
      #expect(first.canvas == expected[index], "seed \(seed), frame \(index)")
      guard index >= start else { continue }
      _ = try second.advance(Self.nothing.span.bytes)
      #expect(second.canvas == expected[index], "seed \(seed), frame \(index) from \(start)")
    }
    #expect(first.nextIndex == source.count)
    for index in 0..<source.count where first.isKeyFrame(index) {
      first.resume(at: index, canvas: PixelBuffer(clear: source.info.size))
      _ = try first.advance(Self.nothing.span.bytes)
      #expect(first.canvas == expected[index], "seed \(seed), key frame \(index)")
    }
  }

  @Test(
    arguments: [
      (0, 0, 4, 3, FrameDisposal.keep, true, true), (0, 0, 9, 9, .clear, true, true),
      (0, 0, 4, 3, .restore, true, false), (0, 0, 4, 3, .keep, false, false),
      (1, 0, 4, 3, .keep, true, false), (0, 1, 4, 3, .keep, true, false),
      (0, 0, 3, 3, .keep, true, false), (0, 0, 4, 2, .keep, true, false),
    ] as [(Int, Int, Int, Int, FrameDisposal, Bool, Bool)])
  func `knows a key frame by its place`(
    left: Int, top: Int, width: Int, height: Int, disposal: FrameDisposal, replaces: Bool,
    isKey: Bool
  ) {
    let whole = Self.frame(0, 0, SampleImages.gradient(4, 3))
    let frame = Self.frame(
      left, top, SampleImages.gradient(width, height), disposal, replaces: replaces)
    let compositor = FrameCompositor(
      StubFrames(PixelSize(width: 4, height: 3), [frame, whole, frame]))

    #expect(compositor.isKeyFrame(0))
    #expect(compositor.isKeyFrame(2) == isKey)
  }

  @Test func `counts a partial frame as one that can be drawn, and reports missing pixels`() throws
  {
    let short = with(Self.frame(0, 0, SampleImages.gradient(2, 1))) { $0.isShort = true }
    let frames = [Self.frame(0, 0, SampleImages.gradient(2, 2)), short]

    let compositor = FrameCompositor(
      StubFrames(PixelSize(width: 2, height: 2), frames, hasPartialFrame: true))

    #expect(compositor.frameCount == 2)
    #expect(try compositor.advance(Self.nothing.span.bytes) == false)
    #expect(try compositor.advance(Self.nothing.span.bytes) == true)
  }

  @Test func `keeps the canvas of the frame before one that cannot be decoded`() throws {
    let red = SampleImages.flat(2, 2, [200, 0, 0, 255])
    let source = StubFrames(
      PixelSize(width: 2, height: 2), [Self.frame(0, 0, red), Self.frame(0, 0, red)])
    source.broken = 1
    let compositor = FrameCompositor(source)
    _ = try compositor.advance(Self.nothing.span.bytes)

    let error = imageError { try compositor.advance(Self.nothing.span.bytes) }

    #expect(error?.message == "frame 1 is broken")
    #expect(compositor.canvas == red)
  }
}
