/// What may be fetched: text that is an `http` or `https` URL.
enum WebAddress {
  /// Whether the text names a scheme of the web and a host, without white space at the ends or control
  /// characters. Anything else that a URL must not hold (`*`, CJK) is for the fetcher to encode.
  static func isFetchable(_ text: String) -> Bool {
    let bytes = text.utf8
    guard let scheme = schemeByteCount(bytes) else { return false }
    let rest = bytes.dropFirst(scheme)
    guard let first = rest.first, !"/?#:@".utf8.contains(first), bytes.last != 0x20 else {
      return false
    }
    return !bytes.contains { $0 < 0x20 || $0 == 0x7F }
  }

  /// Bytes of `http://` or `https://` at the beginning, in any case; `nil` when there is neither.
  private static func schemeByteCount(_ bytes: String.UTF8View) -> Int? {
    for scheme in ["http://", "https://"] {
      let start = bytes.prefix(scheme.utf8.count)
      if start.count == scheme.utf8.count,
        zip(start, scheme.utf8).allSatisfy({ $0 == $1 || ($0 | 0x20 == $1 && $0 >= 0x41) })
      {
        return scheme.utf8.count
      }
    }
    return nil
  }

  /// The host in lower case, without user, port and brackets; `nil` for what cannot be fetched.
  static func host(of url: String) -> String? {
    guard isFetchable(url), let scheme = schemeByteCount(url.utf8) else { return nil }
    let rest = url.utf8.dropFirst(scheme)
    var authority = rest.prefix { !"/?#\\".utf8.contains($0) }
    if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
      authority = authority[authority.index(after: at)...]
    }
    if authority.first == UInt8(ascii: "[") {
      authority = authority.dropFirst().prefix { $0 != UInt8(ascii: "]") }
    } else {
      authority = authority.prefix { $0 != UInt8(ascii: ":") }
    }
    let host = String(decoding: Array(authority), as: UTF8.self).lowercased()
    return host.isEmpty ? nil : host
  }
}
