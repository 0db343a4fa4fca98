/// The format of an image file.
///
/// The codecs, not this type, decide what can be decoded and encoded: a codec may add a format.
public struct ImageFormat: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
  /// The name in output and in the records of the cache, in lower case, for example `jpeg`.
  public let rawValue: String

  /// Creates a format with a name.
  ///
  /// - Parameter rawValue: The subtype of its media type, for example `x-icon` of `image/x-icon`.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The raw value.
  public var description: String { rawValue }

  /// JPEG.
  public static let jpeg = ImageFormat(rawValue: "jpeg")
  /// PNG, and animated PNG.
  public static let png = ImageFormat(rawValue: "png")
  /// GIF.
  public static let gif = ImageFormat(rawValue: "gif")
  /// WebP.
  public static let webp = ImageFormat(rawValue: "webp")
  /// AVIF.
  public static let avif = ImageFormat(rawValue: "avif")
  /// HEIC and HEIF of HEVC.
  public static let heic = ImageFormat(rawValue: "heic")
  /// JPEG XL.
  public static let jxl = ImageFormat(rawValue: "jxl")
  /// Windows bitmap.
  public static let bmp = ImageFormat(rawValue: "bmp")
  /// TIFF and BigTIFF.
  public static let tiff = ImageFormat(rawValue: "tiff")
  /// Windows icon.
  public static let ico = ImageFormat(rawValue: "ico")
  /// SVG.
  public static let svg = ImageFormat(rawValue: "svg")

  /// The IANA media type, for example `image/jpeg`.
  public var mediaType: String {
    switch self {
    case .svg: "image/svg+xml"
    case .ico: "image/vnd.microsoft.icon"
    default: "image/\(rawValue)"
    }
  }

  /// The usual file extension, without a dot.
  public var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

  /// The name as people write it, for example `JPEG` and `WebP`.
  public var displayName: String {
    switch self {
    case .webp: "WebP"
    case .jxl: "JPEG XL"
    default: rawValue.uppercased()
    }
  }
}
