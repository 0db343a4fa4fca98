import ImageModel

/// GIF by giflib's structures and a table of frames; each file is an animation, if only of one
/// frame.
struct GIFCodec: ImageCodec {
  let format = ImageFormat.gif

  func recognition(of head: RawSpan) -> ImageRecognition {
    ImageRecognition(of: head, among: [ImageSignature("GIF87a"), ImageSignature("GIF89a")])
  }

  func info(
    of bytes: RawSpan, check: ImageCheck, limits: ImageLimits
  ) throws(ImageError) -> ImageInfo {
    let frames = try GIFFrames(bytes, limits: limits)
    if check != .none, let fault = frames.fault { throw fault }
    return frames.info
  }

  func frames(
    of bytes: RawSpan, limits: ImageLimits
  ) throws(ImageError) -> (any FrameSequence)? {
    try GIFFrames(bytes, limits: limits)
  }

  var encoding: EncodingTraits? {
    EncodingTraits(hasAlpha: true, isAnimated: true, hasProfile: false, isLossless: false)
  }

  func encode(
    _ frames: [AnimationFrame], options: EncodingOptions
  ) throws(ImageError) -> [UInt8] {
    let deadline = ProcessorDeadline(after: options.maximumProcessorTime)
    func write(isGlobal: Bool) throws(ImageError) -> (bytes: [UInt8], isExact: Bool) {
      try Self.write(frames, options, deadline, isGlobal: isGlobal)
    }
    if options.palette == .global { return try write(isGlobal: true).bytes }
    let separate = try write(isGlobal: false)
    guard options.palette == .automatic else { return separate.bytes }
    let shared = try write(isGlobal: true)
    if separate.isExact && !shared.isExact { return separate.bytes }
    return shared.bytes.count < separate.bytes.count ? shared.bytes : separate.bytes
  }

  private static func write(
    _ frames: [AnimationFrame], _ options: EncodingOptions, _ deadline: ProcessorDeadline,
    isGlobal: Bool
  ) throws(ImageError) -> (bytes: [UInt8], isExact: Bool) {
    let writer = try GIFWriter(
      size: frames.first?.pixels.size ?? PixelSize(width: 0, height: 0),
      loopCount: min(options.loopCount, 65_536), hasGlobalPalette: isGlobal)
    if isGlobal {
      for frame in frames {
        try writer.survey(frame.pixels)
        try deadline.check("GIF")
      }
    }
    var delays = DelayRounding()
    for frame in frames {
      try writer.add(frame.pixels, centiseconds: delays.next(frame.delay))
      try deadline.check("GIF")
    }
    let bytes = try writer.finish()
    return (bytes, writer.isExact)
  }
}

/// Rounds delays to hundredths of a second; what one loses or gains, the next one has.
private struct DelayRounding {
  private var rest = 0.0

  mutating func next(_ delay: Duration) -> UInt16 {
    let exact = delay / .milliseconds(10)
    // One hundredth is shown as ten; a delay that is longer must not become one.
    guard delay > .milliseconds(10) else { return UInt16(max(0, exact).rounded()) }
    let rounded = min(max((exact + rest).rounded(), 2), 65_535)
    rest = min(max(exact + rest - rounded, -0.5), 0.5)
    return UInt16(rounded)
  }
}
