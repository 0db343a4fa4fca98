public import ImageModel

extension ImageCodecs {
  /// Makes a thumbnail. EXIF orientation comes first, then what the recipe says, in its order.
  ///
  /// A JPEG or a lossy WebP is decoded at the smallest scale that leaves at least twice the size
  /// wanted; rows then pass through the filter as they come, so that memory is proportional to the
  /// result. A progressive JPEG, an interlaced PNG, and most WebP and AVIF are held whole.
  ///
  /// - Throws: `ImageError`: `invalidArgument` for an invalid recipe or a frame that does not
  ///   exist; else as ``check(_:level:limits:)``.
  public static func thumbnail(
    of bytes: RawSpan, recipe: ThumbnailRecipe, limits: ImageLimits = ImageLimits()
  ) throws(ImageError) -> EncodedImage {
    try thumbnails(of: bytes, recipes: [recipe], limits: limits)[0].get()
  }

  /// Makes several thumbnails of one decode, which has the scale that the largest of them needs.
  ///
  /// - Returns: The thumbnails, in the order of their recipes; an error for one that cannot be made.
  /// - Throws: `ImageError` for an image that cannot be decoded, as ``check(_:level:limits:)``.
  public static func thumbnails(
    of bytes: RawSpan, recipes: [ThumbnailRecipe], limits: ImageLimits = ImageLimits()
  ) throws(ImageError) -> [Result<EncodedImage, ImageError>] {
    let info = try info(of: bytes, limits: limits)
    let outputs = recipes.map { DecodeOutput(encoding: $0) }
    let decoded = try DecodePass(info: info, limits: limits, groups: [Set(outputs)])
      .run(bytes).outputs
    var results: [Result<EncodedImage, ImageError>] = []
    for (recipe, output) in zip(recipes, outputs) {
      do throws(ImageError) {
        let made = try encode(
          try decoded.frames(output), recipe: recipe, info: info,
          parts: try parts(of: bytes, info, recipe: recipe, limits: limits), limits: limits)
        results.append(.success(made))
      } catch {
        results.append(.failure(error))
      }
    }
    return results
  }

  /// Makes the pixels of a thumbnail, in sRGB unless the recipe drops the profile.
  ///
  /// - Throws: As ``thumbnail(of:recipe:limits:)``.
  public static func pixels(
    of bytes: RawSpan, recipe: ThumbnailRecipe, limits: ImageLimits = ImageLimits()
  ) throws(ImageError) -> PixelBuffer {
    let info = try info(of: bytes, limits: limits)
    let output = DecodeOutput(pixelsOf: recipe)
    return try DecodePass(info: info, limits: limits, groups: [[output]]).run(bytes)
      .outputs.frames(output)[0].pixels
  }

  /// The format of a thumbnail; `nil` where it depends on the pixels.
  static func resultFormat(of recipe: ThumbnailRecipe, info: ImageInfo) -> ImageFormat? {
    recipe.following(info.format).format
  }

  /// What a thumbnail may have of its original's file.
  package struct OriginalParts: Sendable {
    fileprivate var profile: [UInt8]?
    /// Why its colours could not be used.
    fileprivate var warning: String?
    /// The file without its metadata, where the thumbnail has the same pixels.
    fileprivate var file: [UInt8]?
    fileprivate var exif: [UInt8]?
  }

  /// Reads what a thumbnail may have of an original's file.
  package static func parts(
    of bytes: RawSpan, _ info: ImageInfo, recipe: ThumbnailRecipe, limits: ImageLimits
  ) throws(ImageError) -> OriginalParts {
    let codec = try codec(for: info.format)
    let editor = codec as? any MetadataEditing
    var parts = OriginalParts()
    var colors = SourceColors()
    if recipe.profile != .drop { colors = SourceColors(of: bytes, info, codec, limits: limits) }
    parts.warning = colors.warning
    if recipe.embedsProfile(of: info), colors.warning == nil {
      parts.profile = try codec.profile(of: bytes, limits: limits)
    } else if colors.transform == nil, recipe.keepsPixels(of: info, limits: limits) {
      parts.file = bytes.withUnsafeBytes { editor?.withoutMetadata($0) }
    }
    if recipe.metadata != .drop, let editor {
      parts.exif = bytes.withUnsafeBytes { editor.metadata(of: $0) }.exif(recipe.metadata)
    }
    return parts
  }

  package static func encode(
    _ frames: [AnimationFrame], recipe: ThumbnailRecipe, info: ImageInfo, parts: OriginalParts,
    limits: ImageLimits
  ) throws(ImageError) -> EncodedImage {
    var options = recipe.encodingOptions
    options.iccProfile = parts.profile
    options.exif = parts.exif
    options.loopCount = info.loopCount
    options.maximumProcessorTime = limits.maximumProcessorTime
    var encoded = try encode(
      frames, as: resultFormat(of: recipe, info: info), background: recipe.background,
      options: options)
    // Without a format PNG is as good as JPEG.
    let isSame = encoded.format == info.format || recipe.format == nil && info.format == .png
    if let file = parts.file, isSame, file.count <= encoded.bytes.count {
      encoded = EncodedImage(
        bytes: file, format: info.format, size: encoded.size, frameCount: encoded.frameCount)
    }
    if let exif = parts.exif, let codec = try codec(for: encoded.format) as? any MetadataEditing {
      encoded.bytes = codec.adding(exif: exif, to: encoded.bytes)
    }
    encoded.warnings = [parts.warning].compactMap(\.self)
    return encoded
  }

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
  ///   - options: Those that the format does not have are ignored.
  /// - Throws: `ImageError` with code `unsupportedFormat` for a format that cannot be written;
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
        let pixels = frames[index].pixels
        frames[index].pixels = pixels.placed(
          on: pixels.size, left: 0, top: 0, background: opaque)
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

extension ThumbnailRecipe {
  /// Checks the recipe without an image; a pipeline calls it before it loads one.
  ///
  /// - Throws: `ImageError` for a recipe that fits no image: `invalidArgument` for the size,
  ///   ``quality``, ``frame`` or an effect; `limitExceeded` for a result above ``maximumSide``;
  ///   `unsupportedFormat` for a ``format`` that cannot be written.
  public func check(limits: ImageLimits = ImageLimits()) throws(ImageError) {
    guard frame ?? 0 >= 0, (1...100).contains(quality) else {
      throw ImageError(.invalidArgument, "quality is 1 to 100, and frames count from 0")
    }
    try checkGeometry(limits: limits)
    try checkEffects()
    for format in [format].compactMap(\.self) + formatsBySource.values {
      _ = try ImageCodecs.encoder(of: format)
    }
  }

  fileprivate var encodingOptions: EncodingOptions {
    var options = EncodingOptions(quality: quality)
    options.isLossless = isLossless
    return options
  }
}
