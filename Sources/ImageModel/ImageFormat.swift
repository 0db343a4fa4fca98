/// The format of an image file.
///
/// What can be decoded and encoded is decided by the codecs, not here: a codec may bring a format of its own.
public struct ImageFormat: RawRepresentable, Sendable, Hashable, Codable {
  /// The name in output and in the records of the cache, in lower case, for example `jpeg`.
  public let rawValue: String

  /// Creates a format with a name.
  ///
  /// - Parameter rawValue: The subtype of its media type, for example `x-icon` of `image/x-icon`.
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let jpeg = ImageFormat(rawValue: "jpeg")
  public static let png = ImageFormat(rawValue: "png")
  public static let gif = ImageFormat(rawValue: "gif")
  public static let webp = ImageFormat(rawValue: "webp")
  public static let avif = ImageFormat(rawValue: "avif")
  public static let heic = ImageFormat(rawValue: "heic")
  public static let jxl = ImageFormat(rawValue: "jxl")
  public static let bmp = ImageFormat(rawValue: "bmp")
  public static let tiff = ImageFormat(rawValue: "tiff")
  public static let ico = ImageFormat(rawValue: "ico")
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
