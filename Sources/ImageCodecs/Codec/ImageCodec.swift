public import ImageModel

/// A format of image files: how a file is recognised, described, decoded and encoded.
///
/// A codec keeps no state; any thread may call it. Registered with ``ImageCodecs/register(_:)`` it
/// is used by everything in this library: thumbnails, caches, feeds and servers.
///
/// Few methods are required: a codec with ``recognition(of:)``, ``info(of:check:limits:)`` and
/// ``rows(of:request:limits:)`` decodes stills. Animations, previews, profiles and encoding have
/// defaults: the format has none.
public protocol ImageCodec: Sendable {
  /// The format. A codec that is registered for the format of another takes its place.
  var format: ImageFormat { get }

  /// The library that the codec needs, with its first version, where it is not there. Default:
  /// `nil`, none is missing. It is asked often.
  var missingLibrary: String? { get }

  /// Recognises a file by its first bytes, at most `ImageFormat.sniffedByteCount`.
  func recognition(of head: RawSpan) -> ImageRecognition

  /// Returns the properties of an image from its header, and for `ImageCheck.structure` after a
  /// look at all markers, chunks or blocks; no pixel is decoded.
  ///
  /// Limits are compared before anything is allocated for pixels. `check` is `none` or `structure`.
  ///
  /// - Throws: `ImageError` with code `truncated`, `corrupt`, `unsupportedFormat` or
  ///   `limitExceeded`.
  func info(
    of bytes: RawSpan, check: ImageCheck, limits: ImageLimits
  ) throws(ImageError) -> ImageInfo

  /// Begins to decode a still, or the one image of an animation that is shown without its frames.
  /// Default: an error, for a format whose files are all animations.
  ///
  /// `bytes` are the whole file, and valid until the reader is released; the scale of `request` is
  /// one of ``scales(of:)``.
  func rows(
    of bytes: UnsafeRawBufferPointer, request: RowRequest, limits: ImageLimits
  ) throws(ImageError) -> any RowReading

  /// The scales that ``rows(of:request:limits:)`` decodes at for less than the whole costs, in
  /// eighths, ascending, without 8 itself. Default: none.
  func scales(of info: ImageInfo) -> [Int]

  /// Decodes every pixel and keeps none, for an image that is not decoded otherwise. Default: as
  /// far as rows of the whole image do.
  func checkPixels(of bytes: RawSpan, limits: ImageLimits) throws(ImageError)

  /// Whether ``checkPixels(of:limits:)`` holds no image in memory. Then a check of a large one whose
  /// rows come all at once uses it, and makes no placeholder. Default: no.
  var checksWithoutPixels: Bool { get }

  /// Opens the frames of an animation; `nil` (the default) for a still.
  func frames(
    of bytes: RawSpan, limits: ImageLimits
  ) throws(ImageError) -> (any FrameSequence)?

  /// Whether the frames, and not ``rows(of:request:limits:)``, are what a decode of the file gives.
  /// Default: yes.
  var showsFrames: Bool { get }

  /// Creates a decoder of a body that is still coming; `nil` (the default) where the format has no
  /// previews. Their scale is 1 through 8 `eighths`; a codec may ignore it.
  func previews(eighths: Int, limits: ImageLimits) throws(ImageError) -> (any PreviewDecoding)?

  /// Returns the ICC profile that describes the samples of the decoded rows (or their inks, see
  /// ``RowRequest/keepsInks``): the embedded one, or one made of what else the file says of its
  /// colours. Default: `nil`, those of sRGB.
  func profile(of bytes: RawSpan, limits: ImageLimits) throws(ImageError) -> [UInt8]?

  /// The features of files of the format; `nil` (the default) if none can be written.
  var encoding: EncodingTraits? { get }

  /// Writes a file of at least one frame; of more only where ``EncodingTraits/isAnimated``. Frames
  /// are opaque where the format has no alpha.
  ///
  /// - Throws: `ImageError` with code `invalidArgument` for what the format cannot hold;
  ///   `limitExceeded` where it takes too long; `unsupportedFormat` by default.
  func encode(
    _ frames: [AnimationFrame], options: EncodingOptions
  ) throws(ImageError) -> [UInt8]
}

/// The result of recognizing a format by the first bytes of a file.
public enum ImageRecognition: Sendable {
  /// It is another format.
  case no
  /// The bytes could begin such a file, but are too few to be certain.
  case undecided
  /// It is this format.
  case yes
}

/// How rows are to be decoded.
public struct RowRequest: Sendable, Hashable {
  /// The scale in eighths; sizes are rounded up. Default: 8, the whole size.
  public var eighths = 8
  /// Whether decoding goes on after damage. Default: no.
  public var isLenient = false
  /// Whether damage counts from which no pixel suffers. Default: no.
  public var isStrict = false

  /// Whether an image of four inks gives those, 255 being all of an ink, in place of RGBA; a codec
  /// without inks ignores it. Default: no.
  public var keepsInks = false

  /// Creates a request for the whole size that stops at damage.
  public init() {}
}

/// The features of the files of a format.
public struct EncodingTraits: Sendable, Hashable {
  /// Whether pixels may be transparent.
  public var hasAlpha: Bool
  /// Whether there may be more than one frame.
  public var isAnimated: Bool
  /// Whether an ICC profile can be embedded.
  public var hasProfile: Bool
  /// Whether every pixel can be kept exactly.
  public var isLossless: Bool

  /// Creates the traits of a format.
  public init(hasAlpha: Bool, isAnimated: Bool, hasProfile: Bool, isLossless: Bool) {
    self.hasAlpha = hasAlpha
    self.isAnimated = isAnimated
    self.hasProfile = hasProfile
    self.isLossless = isLossless
  }
}

extension ImageCodec {
  /// None.
  public var missingLibrary: String? { nil }
  /// Yes.
  public var showsFrames: Bool { true }
  /// No.
  public var checksWithoutPixels: Bool { false }
  /// `nil`.
  public var encoding: EncodingTraits? { nil }

  /// Throws.
  public func rows(
    of bytes: UnsafeRawBufferPointer, request: RowRequest, limits: ImageLimits
  ) throws(ImageError) -> any RowReading {
    throw ImageError(.corrupt, "\(format.displayName): the file has no still image")
  }

  /// None.
  public func scales(of info: ImageInfo) -> [Int] { [] }

  /// Decodes the rows.
  public func checkPixels(of bytes: RawSpan, limits: ImageLimits) throws(ImageError) {
    try bytes.withUnsafeBytes { (raw) throws(ImageError) in
      var request = RowRequest()
      request.isStrict = true
      let reader = try rows(of: raw, request: request, limits: limits)
      guard reader.isWhole else {
        _ = try reader.feed([], readsToEnd: true)
        return
      }
      _ = try StillDecoder(orientation: 1, isLenient: false, limits: limits).decode(reader)
    }
  }

  /// `nil`.
  public func frames(
    of bytes: RawSpan, limits: ImageLimits
  ) throws(ImageError) -> (any FrameSequence)? { nil }

  /// `nil`.
  public func previews(
    eighths: Int, limits: ImageLimits
  ) throws(ImageError) -> (any PreviewDecoding)? { nil }

  /// `nil`.
  public func profile(
    of bytes: RawSpan, limits: ImageLimits
  ) throws(ImageError) -> [UInt8]? { nil }

  /// Throws.
  public func encode(
    _ frames: [AnimationFrame], options: EncodingOptions
  ) throws(ImageError) -> [UInt8] {
    throw ImageError(.unsupportedFormat, "\(format.displayName) cannot be written")
  }
}
