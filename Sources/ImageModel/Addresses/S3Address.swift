import TextEncodings

/// The address of an object in a bucket: `s3://BUCKET/KEY`.
///
/// The key is what the percent-encoded text after the bucket means, byte for byte: no form of
/// Unicode, dot segment or doubled slash is normalised, and `+` is a plus. `?` and `#` belong to a
/// key as `%3F` and `%23` and `%` as `%25`; written plainly they are refused, because elsewhere they
/// begin a query, a fragment or a byte. Two addresses are equal if their bytes are.
public struct S3Address: Sendable, Hashable, CustomStringConvertible {
  /// The longest key, in bytes of UTF-8. Source: Amazon S3, "Naming Amazon S3 objects".
  public static let maximumKeyByteCount = 1024

  /// The bucket's name.
  public let bucket: String
  /// The key, 1 through ``maximumKeyByteCount`` bytes.
  public var key: String { exactKey.text }
  private let exactKey: ExactString

  /// Creates an address.
  ///
  /// - Throws: ``ImageError`` with code `invalidURL` for a bucket whose name is not 1 to 255
  ///   letters, digits, `.`, `-` and `_`, and for a key that is empty, too long, has a NUL, or
  ///   whose `..` segments lead out of the bucket.
  public init(bucket: String, key: String) throws(ImageError) {
    func refusal(_ reason: String) -> ImageError {
      ImageError(.invalidURL, "s3://\(bucket)/\(key): \(reason)", url: "s3://\(bucket)/\(key)")
    }
    guard Self.isBucket(bucket) else { throw refusal("\"\(bucket)\" is not the name of a bucket") }
    guard !key.isEmpty else { throw refusal("the key is empty") }
    guard key.utf8.count <= Self.maximumKeyByteCount else {
      throw refusal("the key is longer than \(Self.maximumKeyByteCount) bytes")
    }
    guard !key.utf8.contains(0) else { throw refusal("the key has a NUL") }
    // With the bucket in the path, a server that resolves dots would find another bucket.
    guard !Self.leadsOutside(key) else { throw refusal("\"..\" leads out of the bucket") }
    self.bucket = bucket
    exactKey = ExactString(key)
  }

  /// Reads an address; `nil` for anything else.
  public init?(_ text: String) {
    do throws(ImageError) {
      try self.init(fetchable: text)
    } catch {
      return nil
    }
  }

  /// Parses an address for fetching.
  ///
  /// - Throws: ``ImageError`` with code `invalidURL`.
  public init(fetchable text: String) throws(ImageError) {
    func refusal(_ reason: String) -> ImageError {
      ImageError(.invalidURL, "\(text): \(reason)", url: text)
    }
    let rest = text.utf8.dropFirst(5)
    guard Self.isNamed(by: text), let slash = rest.firstIndex(of: UInt8(ascii: "/")) else {
      throw refusal("not an address of the form s3://BUCKET/KEY")
    }
    let bucket = String(rest[..<slash]) ?? ""
    let encoded = Array(rest[slash...].dropFirst())
    for byte in encoded {
      switch byte {
      case 0..<0x20, 0x7F: throw refusal("control characters have to be percent-encoded")
      case UInt8(ascii: "?"): throw refusal("a key is percent-encoded; write %3F for \"?\"")
      case UInt8(ascii: "#"): throw refusal("a key is percent-encoded; write %23 for \"#\"")
      default: break
      }
    }
    let decoded = PercentEncoding.decoded(String(decoding: encoded, as: UTF8.self))
    guard decoded.isWellFormed else {
      throw refusal("a key is percent-encoded; write %25 for \"%\"")
    }
    guard let key = String(validating: decoded.bytes, as: UTF8.self) else {
      throw refusal("the key is not UTF-8")
    }
    do throws(ImageError) {
      try self.init(bucket: bucket, key: key)
    } catch {
      throw refusal(error.message.replacing("s3://\(bucket)/\(key): ", with: ""))
    }
  }

  /// Whether a text has the scheme `s3`, well-formed or not.
  public static func isNamed(by text: String) -> Bool {
    text.utf8.count >= 5
      && zip(text.utf8, "s3://".utf8).allSatisfy {
        $0 == $1 || $0 == UInt8(ascii: "S") && $1 == UInt8(ascii: "s")
      }
  }

  /// The path of the key on the wire, with its first slash: every byte but letters, digits, `-`,
  /// `.`, `_`, `~` and `/` is a `%` and two upper-case digits. Source: AWS, "Create a signed AWS API
  /// request", UriEncode.
  public var path: String {
    "/"
      + PercentEncoding.encoded(Array(key.utf8)[...]) {
        PercentEncoding.isUnreserved($0) || $0 == UInt8(ascii: "/")
      }
  }

  /// Names the bucket in limits and pauses of hosts: buckets are throttled apart.
  package var host: String { "s3://\(bucket)" }

  /// The address with its key percent-encoded.
  public var description: String { "s3://\(bucket)\(path)" }

  /// Whether a text can be the name of a bucket: letters, digits, `.`, `-` and `_`, beginning with
  /// a letter or a digit.
  package static func isBucket(_ name: String) -> Bool {
    (1...255).contains(name.utf8.count)
      && name.utf8.allSatisfy { PercentEncoding.isUnreserved($0) && $0 != UInt8(ascii: "~") }
      && name.first.map { $0.isLetter || $0.isNumber } == true
  }

  /// Whether some `..` segment is above the root, however the segments before it are counted.
  private static func leadsOutside(_ key: String) -> Bool {
    var depth = 0
    for segment in key.utf8.split(separator: UInt8(ascii: "/")) {
      if segment.elementsEqual("..".utf8) {
        depth -= 1
      } else if !segment.elementsEqual(".".utf8) {
        depth += 1
      }
      if depth < 0 { return true }
    }
    return false
  }
}
