import ImageModel

/// The PNG codec: a separate decoder for complete images of 8 bits, libpng for the others, and the
/// frames of an animated PNG on request.
struct PNGCodec: ImageCodec {
  let format = ImageFormat.png

  /// The default image is what a PNG shows; see ``DecodingOptions/animatesPNG``.
  var showsFrames: Bool { false }

  func recognition(of head: RawSpan) -> ImageRecognition {
    ImageSignature([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]).recognition(of: head)
  }

  func info(
    of bytes: RawSpan, check: ImageCheck, limits: ImageLimits
  ) throws(ImageError) -> ImageInfo {
    try PNGBridge.scan(bytes, limits: limits, toEnd: check == .structure)
  }

  func rows(
    of bytes: UnsafeRawBufferPointer, request: RowRequest, limits: ImageLimits
  ) throws(ImageError) -> any RowReading {
    try PNGRowReader(bytes, limits: limits)
  }

  var checksWithoutPixels: Bool { true }

  func checkPixels(of bytes: RawSpan, limits: ImageLimits) throws(ImageError) {
    try PNGBridge.check(bytes, limits: limits)
  }

  func frames(
    of bytes: RawSpan, limits: ImageLimits
  ) throws(ImageError) -> (any FrameSequence)? {
    try APNGFrames(bytes, limits: limits)
  }

  func profile(of bytes: RawSpan, limits: ImageLimits) throws(ImageError) -> [UInt8]? {
    try PNGBridge.profile(bytes, limits: limits)
  }

  var encoding: EncodingTraits? {
    EncodingTraits(hasAlpha: true, isAnimated: false, hasProfile: true, isLossless: true)
  }

  func encode(
    _ frames: [AnimationFrame], options: EncodingOptions
  ) throws(ImageError) -> [UInt8] {
    var settings = PNGEncodingOptions()
    settings.iccProfile = options.iccProfile
    return try PNGBridge.encode(frames[0].pixels, options: settings)
  }
}
