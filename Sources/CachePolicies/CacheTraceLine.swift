public import ImageModel
import TextEncodings

/// One access to a cache as a line of a cache trace: `time,key,size`.
///
/// `time` is in seconds since 1970, to the millisecond, negative before; `size` the bytes of the
/// entry, 0 for a failure. In the key a comma, a quote, a blank and control characters are escaped
/// as `%2C` and the like, since they separate fields and lines.
public struct CacheTraceLine: Sendable, Hashable, CustomStringConvertible {
  /// When the access ended.
  public var time: Date
  /// The requested resource, as a URL or another text.
  public var key: String
  /// The bytes of the entry; 0 for a failure.
  public var byteCount: Int

  /// Creates a line.
  public init(time: Date, key: String, byteCount: Int) {
    self.time = time
    self.key = key
    self.byteCount = byteCount
  }

  /// Returns the key of an original, or of a variant made from it.
  public static func key(of url: String, variant: String?) -> String {
    variant.map { "\(url)#\($0)" } ?? url
  }

  /// The line, without its end; the time is rounded down.
  public var description: String {
    let milliseconds = Int(min(max(-1e18, time.timeIntervalSince1970 * 1000), 1e18).rounded(.down))
    let (whole, rest) = milliseconds.magnitude.quotientAndRemainder(dividingBy: 1000)
    let digits = String(rest + 1000).dropFirst()
    return "\(milliseconds < 0 ? "-" : "")\(whole).\(digits),\(escapedKey),\(byteCount)"
  }

  private var escapedKey: String {
    PercentEncoding.encoded(Array(key.utf8)[...]) { !Self.isSpecial($0) }
  }

  private static func isSpecial(_ byte: UInt8) -> Bool {
    byte <= 0x20 || byte == 0x7F || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"")
  }
}
