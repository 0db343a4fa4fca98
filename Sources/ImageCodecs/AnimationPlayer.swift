public import ImageModel

/// Shows an animation frame by frame, in sRGB, without ever holding all of it: memory is one canvas
/// per player, plus a share of a budget common to all animations.
///
/// Any thread may call; calls that decode are serialized. The caller owns the clock: it requests
/// the frame for a point in time; the result includes the time of the next change.
public final class AnimationPlayer: Sendable {
  /// The properties that the file declares.
  public let info: ImageInfo
  /// When frames change.
  public let timeline: AnimationTimeline
  private let bytes: [UInt8]
  private let colors: SourceColors
  private let content: String
  private let budget: FrameBudget
  private let canvas: Locked<Canvas>

  /// Frames from one kept canvas to the next: what a seek decodes at most once they are kept.
  static let checkpointInterval = 16

  private struct Canvas {
    let compositor: FrameCompositor
    /// The last frame that was shown: kept regardless of the budget.
    var shown: (index: Int, pixels: PixelBuffer)?
    var drawnCount = 0
    /// Frames that cover the canvas by their head, but lack pixels: the previous frame remains
    /// visible there.
    var shortFrames: Set<Int> = []
  }

  /// Opens an animation; a still is an animation of one frame.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - content: An identifier of the bytes, such as their hash: players with equal ones share
  ///     frames.
  ///   - budget: Where frames are kept.
  ///   - limits: The maximum cost of the file.
  /// - Throws: `ImageError`, see ``ImageCodecs/info(of:limits:)``.
  public init(
    _ bytes: [UInt8], content: String, budget: FrameBudget, limits: ImageLimits = ImageLimits()
  ) throws(ImageError) {
    let codec = try ImageCodecs.codec(of: bytes.span.bytes, limits: limits)
    let animation = try codec.frames(of: bytes.span.bytes, limits: limits)
    let frames: any FrameSequence
    if let animation {
      frames = animation
    } else {
      let info = try codec.info(of: bytes.span.bytes, check: .none, limits: limits)
      frames = StillFrame(info: info, limits: limits)
    }
    info = frames.info
    try limits.checkCanvas(of: info.size)
    if frames.count == 0, let fault = frames.fault { throw fault }
    // A still is decoded to sRGB.
    colors =
      animation == nil
      ? SourceColors() : SourceColors(of: bytes.span.bytes, info, codec, limits: limits)
    timeline = AnimationTimeline(info)
    self.bytes = bytes
    self.content = content
    self.budget = budget
    canvas = Locked(Canvas(compositor: FrameCompositor(frames)))
  }

  /// The frame that shows after `elapsed` from the beginning, and when the next one does.
  ///
  /// - Throws: `ImageError` where the frame cannot be decoded.
  public func frame(
    after elapsed: Duration
  ) throws(ImageError) -> (pixels: PixelBuffer, nextChange: Duration?) {
    let position = timeline.position(after: elapsed)
    return (try frame(at: position.index), position.nextChange)
  }

  /// A frame by its number.
  ///
  /// It is taken from the budget, or drawn from the nearest canvas before it: the player's own, a
  /// checkpoint, or a key frame, which covers all that came before.
  ///
  /// - Throws: `ImageError` with code `invalidArgument` for a number that is not there, or where
  ///   the frame cannot be decoded.
  public func frame(at index: Int) throws(ImageError) -> PixelBuffer {
    guard (0..<info.frameCount).contains(index) else {
      throw ImageError(
        .invalidArgument, "no frame \(index); the file has \(info.frameCount)")
    }
    if let kept = budget.pixels(for: key(index)) { return kept }
    return try canvas.withLock { canvas throws(ImageError) in try draw(index, &canvas) }
  }

  var drawnCount: Int { canvas.withLock { $0.drawnCount } }

  private func key(_ index: Int, isCheckpoint: Bool = false) -> FrameBudget.Key {
    FrameBudget.Key(content: content, index: index, isCheckpoint: isCheckpoint)
  }

  private func draw(_ index: Int, _ canvas: inout Canvas) throws(ImageError) -> PixelBuffer {
    if let shown = canvas.shown, shown.index == index { return shown.pixels }
    let compositor = canvas.compositor
    compositor.frames.restartClock()
    var start = moveBack(compositor, to: index, avoiding: canvas.shortFrames)
    while compositor.nextIndex <= index {
      let next = compositor.nextIndex
      compositor.dispose()
      let checkpoint = key(next, isCheckpoint: true)
      if next > 0, next != start, next % Self.checkpointInterval == 0, !budget.contains(checkpoint)
      {
        budget.keep(compositor.canvas, for: checkpoint)
      }
      let isShort = try advance(compositor)
      canvas.drawnCount += 1
      if isShort, next == start {
        canvas.shortFrames.insert(next)
        compositor.resume(at: 0, canvas: PixelBuffer(clear: info.size))
        start = moveBack(compositor, to: index, avoiding: canvas.shortFrames)
      } else {
        budget.keep(shown(compositor.canvas), for: key(next))
      }
    }
    let pixels = shown(compositor.canvas)
    canvas.shown = (index, pixels)
    return pixels
  }

  /// A canvas in sRGB.
  private func shown(_ canvas: PixelBuffer) -> PixelBuffer {
    var pixels = canvas
    colors.convert(&pixels)
    return pixels
  }

  private func advance(_ compositor: FrameCompositor) throws(ImageError) -> Bool {
    let file = bytes
    do throws(ImageError) {
      return try compositor.advance(file.span.bytes)
    } catch {
      // Half a frame is nothing to go on from: those behind it fail as well, in whatever order.
      compositor.resume(at: 0, canvas: PixelBuffer(clear: info.size))
      throw error
    }
  }

  /// Finds the nearest place before `index` to draw from, unless the canvas is there already;
  /// returns the key frame that drawing starts with on a clear canvas, but for the first.
  private func moveBack(
    _ compositor: FrameCompositor, to index: Int, avoiding shortFrames: Set<Int>
  ) -> Int? {
    let own = compositor.nextIndex
    for start in stride(from: index, through: 0, by: -1) {
      if start == own { return nil }
      if start == 0 || (compositor.isKeyFrame(start) && !shortFrames.contains(start)) {
        compositor.resume(at: start, canvas: PixelBuffer(clear: info.size))
        return start == 0 ? nil : start
      }
      if start % Self.checkpointInterval == 0,
        let kept = budget.pixels(for: key(start, isCheckpoint: true))
      {
        compositor.resume(at: start, canvas: kept)
        return nil
      }
    }
    return nil
  }
}

private final class StillFrame: FrameSequence {
  let info: ImageInfo
  let count = 1
  private let limits: ImageLimits

  init(info: ImageInfo, limits: ImageLimits) {
    self.info = info
    self.limits = limits
  }

  subscript(index: Int) -> FrameDescription {
    FrameDescription(
      left: 0, top: 0, size: info.size, disposal: .keep, replacesArea: true, delay: .zero)
  }

  func draw(
    _ index: Int, of bytes: RawSpan, onto canvas: inout PixelBuffer?
  ) throws(ImageError) -> Bool {
    var options = DecodingOptions()
    options.color = .srgb
    let image = try ImageCodecs.decode(bytes, limits: limits, options: options)
    if canvas != nil { canvas = image }
    return false
  }

  func restartClock() {}
}
