import ImageModel

/// WebP by libwebp: lossy, lossless, with alpha, and animations.
struct WebPCodec: ImageCodec {
  let format = ImageFormat.webp

  func recognition(of head: RawSpan) -> ImageRecognition {
    ImageSignature("RIFF....WEBP").recognition(of: head)
  }

  func info(
    of bytes: RawSpan, check: ImageCheck, limits: ImageLimits
  ) throws(ImageError) -> ImageInfo {
    let table = try WebPTable(bytes, limits: limits)
    if check == .structure, let fault = table.fault { throw fault }
    return table.info
  }

  /// Half the size, which spares the conversion of three quarters of the pixels to RGB.
  func scales(of info: ImageInfo) -> [Int] {
    info.colorModel == .ycbcr && !info.hasAlpha ? [4] : []
  }

  func rows(
    of bytes: UnsafeRawBufferPointer, request: RowRequest, limits: ImageLimits
  ) throws(ImageError) -> any RowReading {
    try WebPRowReader(bytes, request: request, limits: limits)
  }

  func frames(
    of bytes: RawSpan, limits: ImageLimits
  ) throws(ImageError) -> (any FrameSequence)? {
    let table = try WebPTable(bytes, limits: limits)
    return table.isAnimation ? WebPFrames(table, limits: limits) : nil
  }

  func previews(eighths: Int, limits: ImageLimits) throws(ImageError) -> (any PreviewDecoding)? {
    try WebPStream(limits: limits)
  }

  func profile(of bytes: RawSpan, limits: ImageLimits) throws(ImageError) -> [UInt8]? {
    try WebPTable(bytes, limits: limits).profile(of: bytes)
  }

  var encoding: EncodingTraits? {
    EncodingTraits(hasAlpha: true, isAnimated: true, hasProfile: true, isLossless: true)
  }

  func encode(
    _ frames: [AnimationFrame], options: EncodingOptions
  ) throws(ImageError) -> [UInt8] {
    var settings = WebPEncodingOptions(quality: options.quality)
    settings.isLossless = options.isLossless
    // Of animations the third step of effort doubles the time for 4 % of the size.
    if frames.count > 1 { settings.effort = 2 }
    settings.loopCount = options.loopCount
    settings.iccProfile = options.iccProfile
    return try WebPWriter.encode(
      frames, options: settings,
      deadline: ProcessorDeadline(after: options.maximumProcessorTime))
  }
}
