extension ImageCodecs {
  /// Makes a thumbnail. EXIF orientation comes first, then the crop, then the scaling.
  ///
  /// A JPEG is decoded at the smallest scale of its transform that leaves at least twice the size
  /// wanted; rows then pass through the filter as they come, so that memory is proportional to the
  /// result. A progressive JPEG and an interlaced PNG are held whole.
  ///
  /// - Throws: ``ImageError``: `invalidArgument` for a recipe that makes no sense or a frame that is
  ///   not there; else as ``check(_:level:limits:)``.
  public static func thumbnail(
    of bytes: RawSpan, recipe: ThumbnailRecipe, limits: ImageLimits = ImageLimits()
  ) throws(ImageError) -> EncodedImage {
    guard recipe.frame >= 0, (1...100).contains(recipe.quality) else {
      throw ImageError(.invalidArgument, "quality is 1 to 100, and frames count from 0")
    }
    let info = try info(of: bytes, limits: limits)
    let geometry = try FitGeometry(
      source: info.size, box: recipe.size, fit: recipe.fit, enlarges: recipe.enlarges,
      focus: recipe.focus, limits: limits)
    let maker = Thumbnailer(info: info, geometry: geometry, recipe: recipe, limits: limits)
    if recipe.format == .gif {
      let frames = try maker.frames(of: bytes)
      let gif = try encodeGIF(frames, options: GIFEncodingOptions(loopCount: info.loopCount))
      return EncodedImage(
        bytes: gif, format: .gif, size: geometry.canvas, frameCount: frames.count)
    }
    return try encode(try maker.picture(of: bytes), recipe: recipe)
  }

  private static func encode(
    _ picture: PixelBuffer, recipe: ThumbnailRecipe
  ) throws(ImageError) -> EncodedImage {
    let isOpaque = picture.isOpaque
    if recipe.format == .png || (recipe.format == .auto && !isOpaque) {
      return EncodedImage(bytes: try encodePNG(picture), format: .png, size: picture.size)
    }
    let flat =
      isOpaque
      ? picture
      : picture.placed(
        on: picture.size, left: 0, top: 0, background: recipe.background ?? .white)
    return EncodedImage(
      bytes: try encodeJPEG(flat, quality: recipe.quality), format: .jpeg, size: flat.size)
  }
}
