import ImageModel

/// JPEG by libjpeg-turbo: sequential and progressive, gray, YCbCr, CMYK and YCCK.
struct JPEGCodec: ImageCodec {
  let format = ImageFormat.jpeg

  /// The third byte is 0xff, unless stray bytes precede the first marker; no other format begins
  /// so.
  func recognition(of head: RawSpan) -> ImageRecognition {
    ImageSignature([0xff, 0xd8]).recognition(of: head)
  }

  func info(
    of bytes: RawSpan, check: ImageCheck, limits: ImageLimits
  ) throws(ImageError) -> ImageInfo {
    try JPEGBridge.scan(bytes, limits: limits, toEnd: check == .structure)
  }

  /// The scales of the transform that are cheap.
  func scales(of info: ImageInfo) -> [Int] { [1, 2, 4] }

  func rows(
    of bytes: UnsafeRawBufferPointer, request: RowRequest, limits: ImageLimits
  ) throws(ImageError) -> any RowReading {
    try JPEGRowReader(bytes, request: request, limits: limits)
  }

  func previews(eighths: Int, limits: ImageLimits) throws(ImageError) -> (any PreviewDecoding)? {
    try JPEGStream(limits: limits, eighths: eighths)
  }

  func profile(of bytes: RawSpan, limits: ImageLimits) throws(ImageError) -> [UInt8]? {
    try JPEGBridge.profile(bytes, limits: limits)
  }

  var encoding: EncodingTraits? {
    EncodingTraits(hasAlpha: false, isAnimated: false, hasProfile: true, isLossless: false)
  }

  func encode(
    _ frames: [AnimationFrame], options: EncodingOptions
  ) throws(ImageError) -> [UInt8] {
    var settings = JPEGEncodingOptions(quality: options.quality)
    settings.iccProfile = options.iccProfile
    return try Self.encode(frames[0].pixels, options: settings)
  }

  /// Writes a gray image with one component.
  static func encode(
    _ pixels: PixelBuffer, options: JPEGEncodingOptions
  ) throws(ImageError) -> [UInt8] {
    try JPEGBridge.encode(
      pixels, isGray: options.iccProfile == nil && PixelKernels.isGray(pixels), options: options)
  }
}
