public import ImageModel

extension ImageCodecs {
  /// Checks that a file is complete, to the extent that `level` specifies. Bytes after its end are
  /// not an error, nor is a GIF that lacks only the trailer after a complete frame.
  ///
  /// Rows are discarded as they are decoded, so that memory is bounded regardless of the size; but
  /// a progressive JPEG needs its coefficients, and a lossless or transparent WebP and an AVIF are
  /// held in memory completely.
  ///
  /// Level `none` checks as much as ``info(of:limits:)`` does.
  ///
  /// - Returns: The properties of the image, and with `ImageCheck.decode` its placeholder,
  ///   computed from the decoded rows, else `nil`. An interlaced PNG of more than 4 megapixels has none:
  ///   computing it would require the complete image in memory.
  /// - Throws: As ``info(of:limits:)``; `truncated` where the data ends early.
  @discardableResult
  public static func check(
    _ bytes: RawSpan, level: ImageCheck, limits: ImageLimits = ImageLimits()
  ) throws(ImageError) -> (info: ImageInfo, placeholder: ImageSummary?) {
    let info = try inspect(bytes, level: level, limits: limits)
    guard level == .decode else { return (info, nil) }
    let made = try DecodePass(info: info, limits: limits, isCheck: true).run(bytes)
    return (info, made.placeholder)
  }

  /// Reads the header, and as much of the structure as `level` specifies; decodes no pixels.
  package static func inspect(
    _ bytes: RawSpan, level: ImageCheck, limits: ImageLimits
  ) throws(ImageError) -> ImageInfo {
    try codec(of: bytes, limits: limits)
      .info(of: bytes, check: level == .structure ? .structure : .none, limits: limits)
  }
}

/// The data that can be shown before an image has loaded; stored with its cache record.
public struct ImageSummary: Sendable, Hashable {
  /// The image in some twenty bytes.
  public let thumbHash: ThumbHash
  /// The dominant colour.
  public let dominantColor: PixelColor

  /// The size that it is computed from.
  static let box = PixelSize(width: 32, height: 32)

  /// Creates the placeholder of an image of any size.
  ///
  /// - Throws: `ImageError` with code `invalidArgument` for an image without pixels.
  public init(of image: PixelBuffer) throws(ImageError) {
    try self.init(of: image, SourceColors())
  }

  /// Creates the placeholder, in sRGB, of an image in its own colours.
  init(of image: PixelBuffer, _ colors: SourceColors) throws(ImageError) {
    var small = try Resize(Self.box, fit: .inside, filter: .area).process(image)
    colors.convert(&small)
    thumbHash = try ThumbHash(of: small)
    dominantColor = try DominantColor.of(small)
  }
}
