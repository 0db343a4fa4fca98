import ImageModel

extension ImageCodecs {
  /// Makes a thumbnail. EXIF orientation comes first, then the crop, then the scaling.
  ///
  /// A JPEG is decoded at the smallest scale of its transform that leaves at least twice the size
  /// wanted; rows then pass through the filter as they come, so that memory is proportional to the
  /// result. A progressive JPEG and an interlaced PNG are held whole.
  ///
  /// - Throws: ``ImageError``: `invalidArgument` for a recipe that makes no sense or a frame that
  ///   is not there; else as ``check(_:level:limits:)``.
  public static func thumbnail(
    of bytes: RawSpan, recipe: ThumbnailRecipe, limits: ImageLimits = ImageLimits()
  ) throws(ImageError) -> EncodedImage {
    let info = try info(of: bytes, limits: limits)
    let frames = try frames(DecodeOutput(encoding: recipe), of: bytes, info, limits: limits)
    return try encode(
      frames, recipe: recipe, info: info,
      profile: try profile(of: bytes, info, recipe: recipe, limits: limits))
  }

  /// Makes the pixels of a thumbnail.
  ///
  /// - Throws: As ``thumbnail(of:recipe:limits:)``.
  public static func pixels(
    of bytes: RawSpan, recipe: ThumbnailRecipe, limits: ImageLimits = ImageLimits()
  ) throws(ImageError) -> PixelBuffer {
    let info = try info(of: bytes, limits: limits)
    return try frames(.thumbnail(recipe), of: bytes, info, limits: limits)[0].pixels
  }

  private static func frames(
    _ output: DecodeOutput, of bytes: RawSpan, _ info: ImageInfo, limits: ImageLimits
  ) throws(ImageError) -> [AnimationFrame] {
    try DecodePass(info: info, limits: limits, groups: [[output]]).run(bytes).outputs.frames(output)
  }

  /// The profile that still describes the samples when they have become RGB.
  package static func profile(
    of bytes: RawSpan, _ info: ImageInfo, recipe: ThumbnailRecipe, limits: ImageLimits
  ) throws(ImageError) -> [UInt8]? {
    guard recipe.profile != .drop, recipe.format != .gif, info.iccProfileByteCount != nil else {
      return nil
    }
    switch (info.format, info.colorModel) {
    case (.gif, _), (_, .cmyk), (_, .ycck), (_, .gray): return nil
    case (.png, _): return try CodecBridge.profile(.png, bytes, limits: limits)
    default: return try CodecBridge.profile(.jpeg, bytes, limits: limits)
    }
  }

  /// Encodes what a decode made for a recipe.
  ///
  /// - Parameters:
  ///   - info: The properties of the original.
  ///   - profile: As ``profile(of:_:recipe:limits:)`` returned it.
  package static func encode(
    _ frames: [AnimationFrame], recipe: ThumbnailRecipe, info: ImageInfo, profile: [UInt8]?
  ) throws(ImageError) -> EncodedImage {
    if recipe.format == .gif {
      let gif = try encodeGIF(frames, options: GIFEncodingOptions(loopCount: info.loopCount))
      return EncodedImage(
        bytes: gif, format: .gif, size: frames[0].pixels.size, frameCount: frames.count)
    }
    var image = frames[0].pixels
    if recipe.profile == .convert, let profile {
      _ = ColorBridge.convertToSRGB(&image, from: profile)
    }
    return try encode(image, recipe: recipe, profile: recipe.profile == .keep ? profile : nil)
  }

  /// Encodes an image as a recipe says; `gif` counts as `auto`, because there is one frame.
  package static func encode(
    _ image: PixelBuffer, recipe: ThumbnailRecipe, profile: [UInt8]? = nil
  ) throws(ImageError) -> EncodedImage {
    let isOpaque = image.isOpaque
    if recipe.format == .png || (recipe.format != .jpeg && !isOpaque) {
      var options = PNGEncodingOptions()
      options.iccProfile = profile
      return EncodedImage(
        bytes: try encodePNG(image, options: options), format: .png, size: image.size)
    }
    let flat =
      isOpaque
      ? image
      : image.placed(
        on: image.size, left: 0, top: 0, background: recipe.background ?? .white)
    var options = JPEGEncodingOptions(quality: recipe.quality)
    options.iccProfile = profile
    return EncodedImage(
      bytes: try encodeJPEG(flat, options: options), format: .jpeg, size: flat.size)
  }
}
