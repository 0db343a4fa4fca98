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
    try thumbnail(of: bytes, recipe: recipe, limits: limits, proves: false).0
  }

  /// Makes a thumbnail and finds out on the way whether the whole file decodes, as
  /// ``check(_:level:limits:)`` with ``ImageCheck/decode`` would: one decode for both.
  static func provingThumbnail(
    of bytes: RawSpan, recipe: ThumbnailRecipe, limits: ImageLimits
  ) throws(ImageError) -> (EncodedImage, CheckedImage) {
    // An animated thumbnail needs every frame of a GIF anyway, a still one does not.
    let isCheckedApart = ImageFormat(sniffing: bytes) == .gif && recipe.format != .gif
    let level: ImageCheck = isCheckedApart ? .decode : .structure
    let checked = try check(bytes, level: level, limits: limits)
    let (made, glance) = try thumbnail(of: bytes, recipe: recipe, limits: limits, proves: true)
    guard let glance else { return (made, checked) }
    return (
      made, CheckedImage(info: checked.info, placeholder: try PicturePlaceholder(of: glance))
    )
  }

  private static func thumbnail(
    of bytes: RawSpan, recipe: ThumbnailRecipe, limits: ImageLimits, proves: Bool
  ) throws(ImageError) -> (EncodedImage, glance: PixelBuffer?) {
    guard recipe.frame >= 0, (1...100).contains(recipe.quality) else {
      throw ImageError(.invalidArgument, "quality is 1 to 100, and frames count from 0")
    }
    let info = try info(of: bytes, limits: limits)
    let geometry = try recipe.geometry(of: info.size, limits: limits)
    let maker = Thumbnailer(
      info: info, geometry: geometry, recipe: recipe, limits: limits, proves: proves)
    if recipe.format == .gif {
      let (frames, glance) = try maker.frames(of: bytes)
      let gif = try encodeGIF(frames, options: GIFEncodingOptions(loopCount: info.loopCount))
      let made = EncodedImage(
        bytes: gif, format: .gif, size: geometry.canvas, frameCount: frames.count)
      return (made, glance)
    }
    let small = try maker.small(of: bytes)
    var picture = small.content
    let profile = try profile(of: bytes, info, recipe: recipe, limits: limits)
    if recipe.profile == .convert, let profile {
      _ = ColorBridge.convertToSRGB(&picture, from: profile)
    }
    let made = try encode(
      picture, recipe: recipe, profile: recipe.profile == .keep ? profile : nil)
    return (made, small.glance)
  }

  /// The profile that still describes the samples when they have become RGB.
  private static func profile(
    of bytes: RawSpan, _ info: ImageInfo, recipe: ThumbnailRecipe, limits: ImageLimits
  ) throws(ImageError) -> [UInt8]? {
    guard recipe.profile != .drop, info.iccProfileByteCount != nil else { return nil }
    switch (info.format, info.colorModel) {
    case (.gif, _), (_, .cmyk), (_, .ycck), (_, .gray): return nil
    case (.png, _): return try CodecBridge.profile(.png, bytes, limits: limits)
    default: return try CodecBridge.profile(.jpeg, bytes, limits: limits)
    }
  }

  /// Makes the pixels of a thumbnail; as ``thumbnail(of:recipe:limits:)``, but nothing is encoded.
  package static func small(
    _ bytes: RawSpan, recipe: ThumbnailRecipe, limits: ImageLimits
  ) throws(ImageError) -> PixelBuffer {
    let info = try info(of: bytes, limits: limits)
    let geometry = try recipe.geometry(of: info.size, limits: limits)
    return try Thumbnailer(info: info, geometry: geometry, recipe: recipe, limits: limits)
      .picture(of: bytes)
  }

  /// Encodes a picture as a recipe says; `gif` counts as `auto`, for there is one frame.
  static func encode(
    _ picture: PixelBuffer, recipe: ThumbnailRecipe, profile: [UInt8]?
  ) throws(ImageError) -> EncodedImage {
    let isOpaque = picture.isOpaque
    if recipe.format == .png || (recipe.format != .jpeg && !isOpaque) {
      var options = PNGEncodingOptions()
      options.iccProfile = profile
      return EncodedImage(
        bytes: try encodePNG(picture, options: options), format: .png, size: picture.size)
    }
    let flat =
      isOpaque
      ? picture
      : picture.placed(
        on: picture.size, left: 0, top: 0, background: recipe.background ?? .white)
    var options = JPEGEncodingOptions(quality: recipe.quality)
    options.iccProfile = profile
    return EncodedImage(
      bytes: try encodeJPEG(flat, options: options), format: .jpeg, size: flat.size)
  }
}
