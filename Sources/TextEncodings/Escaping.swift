/// Percent-encoding. Source: RFC 3986 §2.1.
public enum PercentEncoding {
  /// Returns a text in which the other bytes are a `%` and two upper-case digits each.
  ///
  /// - Parameters:
  ///   - keepsTriplets: Whether a `%` and two digits stay as they are, because the text may be
  ///     encoded already. Default: `%` is a byte like the others.
  ///   - isKept: Whether a byte stays as it is.
  public static func encoded(
    _ bytes: ArraySlice<UInt8>, keepsTriplets: Bool = false, keeping isKept: (UInt8) -> Bool
  ) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var encoded: [UInt8] = []
    encoded.reserveCapacity(bytes.count)
    for (index, byte) in zip(bytes.indices, bytes) {
      if isKept(byte) || (keepsTriplets && triplet(in: bytes, at: index) != nil) {
        encoded.append(byte)
      } else {
        encoded += [percent, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  /// Returns a text with nothing but the unreserved characters of RFC 3986 §2.3 left as they are.
  public static func encoded(_ text: String) -> String {
    encoded(Array(text.utf8)[...], keeping: isUnreserved)
  }

  /// Returns the bytes that a text encodes, and whether two digits follow each `%`; where they do
  /// not, the `%` is taken literally.
  public static func decoded(_ text: some StringProtocol) -> (bytes: [UInt8], isWellFormed: Bool) {
    let encoded = Array(text.utf8)[...]
    var bytes: [UInt8] = []
    bytes.reserveCapacity(encoded.count)
    var isWellFormed = true
    var index = 0
    while index < encoded.count {
      if let byte = triplet(in: encoded, at: index) {
        bytes.append(byte)
        index += 3
      } else {
        isWellFormed = isWellFormed && encoded[index] != percent
        bytes.append(encoded[index])
        index += 1
      }
    }
    return (bytes, isWellFormed)
  }

  /// Whether a byte is a letter, a digit, `-`, `.`, `_` or `~`.
  public static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
    default: false
    }
  }

  private static let percent = UInt8(ascii: "%")

  /// The byte that a `%` and two digits at an index encode.
  private static func triplet(in bytes: ArraySlice<UInt8>, at index: Int) -> UInt8? {
    guard bytes[index] == percent, index + 2 < bytes.endIndex,
      let high = Hex.value(of: bytes[index + 1]), let low = Hex.value(of: bytes[index + 2])
    else { return nil }
    return high << 4 | low
  }
}

/// Text in HTML and XML.
public enum HTMLText {
  /// Returns text for use in an element or between quotes. Control characters are left out.
  public static func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): bytes += Array("&amp;".utf8)
      case UInt8(ascii: "<"): bytes += Array("&lt;".utf8)
      case UInt8(ascii: ">"): bytes += Array("&gt;".utf8)
      case UInt8(ascii: "\""): bytes += Array("&quot;".utf8)
      case UInt8(ascii: "'"): bytes += Array("&#39;".utf8)
      case 0x09, 0x0A, 0x0D: bytes.append(byte)
      case 0..<0x20, 0x7F: break
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
