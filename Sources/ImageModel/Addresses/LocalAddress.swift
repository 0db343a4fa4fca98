import TextEncodings

/// The address of a file in a named directory: `local://NAME/a/b.jpg`.
///
/// The path is percent-encoded, decoded once, and has no empty component; `?`, `#` and `%` in it are
/// written `%3F`, `%23` and `%25`. Two addresses are equal if their bytes are.
public struct LocalAddress: Sendable, Hashable {
  /// The directory's name.
  public let root: String
  /// The path from the directory, decoded.
  public var path: String { exactPath.text }
  private let exactPath: ExactString

  /// Reads an address; `nil` for anything else: also for a name that is not letters, digits, `.`, `-`
  /// and `_`, and for a path with a control character, a backslash, an encoded slash, or bytes that
  /// are not UTF-8.
  public init?(_ text: String) {
    let rest = text.dropFirst(Self.scheme.count)
    guard Self.isNamed(by: text), let slash = rest.firstIndex(of: "/") else { return nil }
    let encoded = rest[slash...].dropFirst()
    let parts = encoded.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let decoded = parts.map { PercentEncoding.decoded(Substring($0)) }
    guard !encoded.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }),
      S3Address.isBucket(String(rest[..<slash])), decoded.allSatisfy(\.isWellFormed),
      decoded.allSatisfy({ !$0.bytes.isEmpty && $0.bytes.allSatisfy(Self.isInName) }),
      let path = String(
        validating: decoded.map(\.bytes).joined(separator: [UInt8(ascii: "/")]), as: UTF8.self)
    else { return nil }
    root = String(rest[..<slash])
    exactPath = ExactString(path)
  }

  /// Reads an address for fetching.
  ///
  /// - Throws: ``ImageError`` with code `invalidURL`.
  public init(fetchable text: String) throws(ImageError) {
    guard let address = LocalAddress(text) else {
      throw ImageError(
        .invalidURL, "\(text) is not a percent-encoded address of the form local://NAME/PATH",
        url: text)
    }
    self = address
  }

  private static let scheme = "local://"

  /// Whether a text has the scheme `local`, well-formed or not.
  public static func isNamed(by text: String) -> Bool { text.hasPrefix(scheme) }

  /// Whether a text can be the name of a directory.
  public static func isRoot(_ name: String) -> Bool { S3Address.isBucket(name) }

  /// Names the directory where other addresses have their host.
  public var host: String { Self.scheme + root }

  /// Whether a component begins with a dot: `..`, and what is hidden.
  package var hasDotNames: Bool { path.hasPrefix(".") || path.contains("/.") }

  private static func isInName(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != 0x7F && byte != UInt8(ascii: "/") && byte != UInt8(ascii: "\\")
  }
}
