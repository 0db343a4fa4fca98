#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TextEncodings

/// One access to a cache as a line of a trace: `time,key,size`.
///
/// `time` is in seconds since 1970, to the millisecond; `size` the bytes of the entry, 0 where nothing was found. In
/// the key a comma, a quote, a blank and control characters stand as `%2C` and the like, for they part fields and lines.
public struct AccessLine: Sendable, Hashable, CustomStringConvertible {
  /// When the access ended.
  public var time: Date
  /// What was asked for, as a URL or another text.
  public var key: String
  /// Bytes of the entry; 0 for nothing.
  public var byteCount: Int

  /// Makes a line.
  public init(time: Date, key: String, byteCount: Int) {
    self.time = time
    self.key = key
    self.byteCount = byteCount
  }

  /// The access of a request that ended at `time`; `nil` for one that was cancelled, which tells nothing.
  ///
  /// An original is keyed by its URL; a thumbnail or a picture, whose size is that of its pixels, by the URL, `#` and what
  /// was made of it, see ``key(of:variant:)``.
  public init?(_ trace: LoadTrace, at time: Date) {
    switch trace.result {
    case .success(let ending):
      self.init(
        time: time, key: Self.key(of: trace.request.url, variant: ending.variant),
        byteCount: ending.byteCount)
    case .failure:
      if trace.wasCancelled { return nil }
      self.init(time: time, key: trace.request.url, byteCount: 0)
    }
  }

  /// The key of an original, or of what was made of it.
  public static func key(of url: String, variant: String?) -> String {
    variant.map { "\(url)#\($0)" } ?? url
  }

  /// The line, without its end.
  public var description: String {
    let milliseconds = Int((time.timeIntervalSince1970 * 1000).rounded(.down))
    let fraction = String(milliseconds % 1000 + 1000).dropFirst()
    return "\(milliseconds / 1000).\(fraction),\(escapedKey),\(byteCount)"
  }

  private var escapedKey: String {
    PercentEncoding.encoded(Array(key.utf8)[...]) { !Self.isSpecial($0) }
  }

  private static func isSpecial(_ byte: UInt8) -> Bool {
    byte <= 0x20 || byte == 0x7F || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"")
  }
}
