import ImageModel

extension ImageCodecs {
  /// Makes a thumbnail. EXIF orientation comes first, then the crop, then the scaling.
  ///
  /// A JPEG or a lossy WebP is decoded at the smallest scale that leaves at least twice the size
  /// wanted; rows then pass through the filter as they come, so that memory is proportional to the
  /// result. A progressive JPEG, an interlaced PNG, and most WebP and AVIF are held whole.
  ///
  /// - Throws: ``ImageError``: `invalidArgument` for an invalid recipe or a frame that does not
  ///   exist; else as ``check(_:level:limits:)``.
  public static func thumbnail(
    of bytes: RawSpan, recipe: ThumbnailRecipe, limits: ImageLimits = ImageLimits()
  ) throws(ImageError) -> EncodedImage {
    let info = try info(of: bytes, limits: limits)
    let frames = try frames(DecodeOutput(encoding: recipe), of: bytes, info, limits: limits)
    return try encode(
      frames, recipe: recipe, info: info,
      profile: try profile(of: bytes, info, recipe: recipe, limits: limits), limits: limits)
  }

  /// Makes the pixels of a thumbnail, whatever the recipe says of their profile.
  ///
  /// - Throws: As ``thumbnail(of:recipe:limits:)``.
  public static func pixels(
    of bytes: RawSpan, recipe: ThumbnailRecipe, limits: ImageLimits = ImageLimits()
  ) throws(ImageError) -> PixelBuffer {
    let info = try info(of: bytes, limits: limits)
    return try frames(DecodeOutput(pixelsOf: recipe), of: bytes, info, limits: limits)[0].pixels
  }

  private static func frames(
    _ output: DecodeOutput, of bytes: RawSpan, _ info: ImageInfo, limits: ImageLimits
  ) throws(ImageError) -> [AnimationFrame] {
    try DecodePass(info: info, limits: limits, groups: [[output]]).run(bytes).outputs.frames(output)
  }

  /// The format of a thumbnail; `nil` where it depends on the pixels.
  static func resultFormat(of recipe: ThumbnailRecipe, info: ImageInfo) -> ImageFormat? {
    recipe.following(info.format).format
  }

  /// The profile that still describes the samples when they have become RGB.
  package static func profile(
    of bytes: RawSpan, _ info: ImageInfo, recipe: ThumbnailRecipe, limits: ImageLimits
  ) throws(ImageError) -> [UInt8]? {
    guard recipe.profile != .drop, info.iccProfileByteCount != nil else { return nil }
    if recipe.profile == .keep, let format = resultFormat(of: recipe, info: info),
      encodingTraits(of: format)?.hasProfile == false
    {
      return nil
    }
    switch info.colorModel {
    case .cmyk, .ycck: return nil
    case .gray where recipe.profile == .keep: return nil
    default: break
    }
    return try codec(for: info.format).profile(of: bytes, limits: limits).flatMap {
      ColorBridge.fits($0, info.colorModel) ? $0 : nil
    }
  }

  /// Encodes what a decode made for a recipe.
  ///
  /// - Parameters:
  ///   - info: The properties of the original.
  ///   - profile: As ``profile(of:_:recipe:limits:)`` returned it.
  package static func encode(
    _ frames: [AnimationFrame], recipe: ThumbnailRecipe, info: ImageInfo, profile: [UInt8]?,
    limits: ImageLimits
  ) throws(ImageError) -> EncodedImage {
    var frames = frames
    if recipe.profile == .convert {
      for index in frames.indices {
        if let profile {
          _ = ColorBridge.convertToSRGB(
            &frames[index].pixels, from: profile, of: info.colorModel)
        }
        if let background = recipe.background {
          frames[index].pixels = frames[index].pixels.placed(on: background)
        }
      }
    }
    var options = recipe.encodingOptions
    options.iccProfile = recipe.profile == .keep ? profile : nil
    options.loopCount = info.loopCount
    options.maximumProcessorTime = limits.maximumProcessorTime
    return try encode(
      frames, as: resultFormat(of: recipe, info: info), background: recipe.background,
      options: options)
  }

  /// Encodes an image as a recipe specifies.
  package static func encode(
    _ image: PixelBuffer, recipe: ThumbnailRecipe
  ) throws(ImageError) -> EncodedImage {
    try encode(
      [AnimationFrame(pixels: image, delay: .zero)], as: recipe.format,
      background: recipe.background, options: recipe.encodingOptions)
  }

  /// Writes a file of any format that can be written.
  ///
  /// - Parameters:
  ///   - frames: At least one; a format without animations gets the first.
  ///   - format: Default: JPEG where all pixels are opaque and may be lossy, else PNG.
  ///   - background: The colour under transparent pixels where the format has no alpha. Default,
  ///     and for one that is not opaque: white.
  /// - Throws: ``ImageError`` with code `unsupportedFormat` for a format that cannot be written;
  ///   `invalidArgument` for no frame, or what the format cannot hold.
  public static func encode(
    _ frames: [AnimationFrame], as format: ImageFormat? = nil, background: PixelColor? = nil,
    options: EncodingOptions = EncodingOptions()
  ) throws(ImageError) -> EncodedImage {
    guard !frames.isEmpty else { throw ImageError(.invalidArgument, "no image to write") }
    var frames = frames
    let isOpaque = frames.allSatisfy(\.pixels.isOpaque)
    let (codec, traits) = try encoder(
      of: format ?? (isOpaque && !options.isLossless ? .jpeg : .png))
    if !traits.isAnimated { frames.removeLast(frames.count - 1) }
    if !traits.hasAlpha, !isOpaque {
      let opaque = background.flatMap { $0.alpha == 255 ? $0 : nil } ?? .white
      for index in frames.indices {
        frames[index].pixels = frames[index].pixels.placed(on: opaque)
      }
    }
    let bytes = try codec.encode(frames, options: options)
    // An encoder may have made one frame of several that are the same.
    let frameCount =
      frames.count > 1
      ? (try? codec.info(of: bytes.span.bytes, check: .none, limits: ImageLimits()))?.frameCount
        ?? frames.count : 1
    return EncodedImage(
      bytes: bytes, format: codec.format, size: frames[0].pixels.size, frameCount: frameCount)
  }
}

extension PixelBuffer {
  /// The image on a background.
  fileprivate func placed(on background: PixelColor) -> PixelBuffer {
    placed(on: size, left: 0, top: 0, background: background)
  }
}

extension ThumbnailRecipe {
  fileprivate var encodingOptions: EncodingOptions {
    var options = EncodingOptions()
    options.quality = quality
    options.isLossless = isLossless
    return options
  }
}
