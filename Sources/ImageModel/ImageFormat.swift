/// What a file's first bytes say it is, whatever its name or media type claims.
public enum ImageFormat: String, Sendable, CaseIterable, Codable {
  case jpeg, png, gif
  case webp, avif, heic, jxl, bmp, tiff, ico, svg

  /// Whether this library can turn the format into pixels.
  public var isDecodable: Bool {
    switch self {
    case .jpeg, .png, .gif: true
    default: false
    }
  }

  /// The IANA media type, for example `image/jpeg`.
  public var mediaType: String {
    switch self {
    case .jpeg: "image/jpeg"
    case .svg: "image/svg+xml"
    case .ico: "image/vnd.microsoft.icon"
    default: "image/\(rawValue)"
    }
  }

  /// The usual file extension, without a dot.
  public var fileExtension: String {
    switch self {
    case .jpeg: "jpg"
    default: rawValue
    }
  }
}
