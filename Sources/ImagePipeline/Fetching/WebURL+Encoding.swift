extension WebURL {
  /// Encodes what may not stand in a path or query: spaces, quotes, brackets, all beyond ASCII, and a
  /// `%` that begins no triplet.
  static func percentEncoded(_ bytes: ArraySlice<UInt8>) -> String {
    var encoded: [UInt8] = []
    encoded.reserveCapacity(bytes.count)
    for index in bytes.indices {
      if isAllowed(bytes, at: index) {
        encoded.append(bytes[index])
      } else {
        encoded += [UInt8(ascii: "%"), digit(bytes[index] >> 4), digit(bytes[index] & 15)]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  /// Whether ``percentEncoded(_:)`` would change nothing.
  static func isPercentEncoded(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.indices.allSatisfy { isAllowed(bytes, at: $0) }
  }

  /// Undoes percent-encoding; what is no triplet stays.
  static func percentDecoded(_ text: Substring) -> String {
    let bytes = Array(text.utf8)[...]
    var decoded: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if let high = value(bytes, at: index + 1), let low = value(bytes, at: index + 2),
        bytes[index] == UInt8(ascii: "%")
      {
        decoded.append(high << 4 | low)
        index += 3
      } else {
        decoded.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: decoded, as: UTF8.self)
  }

  /// Resolves `.` and `..` in a path that begins with a slash (RFC 3986 §5.2.4).
  static func removingDots(_ path: String) -> String {
    guard path.contains("/.") else { return path }
    var kept: [Substring] = []
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      switch segment {
      case ".": if isLast { kept.append("") }
      case "..":
        if !kept.isEmpty { kept.removeLast() }
        if isLast { kept.append("") }
      default: kept.append(segment)
      }
    }
    return "/" + kept.joined(separator: "/")
  }

  private static func isAllowed(_ bytes: ArraySlice<UInt8>, at index: Int) -> Bool {
    switch bytes[index] {
    case UInt8(ascii: "%"): value(bytes, at: index + 1) != nil && value(bytes, at: index + 2) != nil
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "?")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "&")...UInt8(ascii: ";"): true
    case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "="), UInt8(ascii: "_"): true
    case UInt8(ascii: "~"): true
    default: false
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }

  private static func value(_ bytes: ArraySlice<UInt8>, at index: Int) -> UInt8? {
    guard index < bytes.endIndex else { return nil }
    switch bytes[index] {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): return bytes[index] - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): return bytes[index] - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): return bytes[index] - UInt8(ascii: "a") + 10
    default: return nil
    }
  }
}

extension String {
  /// Without spaces and tabs at both ends.
  var trimmingSpaces: String {
    let start = drop { $0 == " " || $0 == "\t" }
    guard let last = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
    return String(start[...last])
  }
}
