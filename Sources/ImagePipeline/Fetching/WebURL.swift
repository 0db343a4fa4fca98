/// An http or https URL taken apart, as the wire needs it.
///
/// It is strict where parsers disagree (control characters, backslashes, several `@`), so that the host
/// that is checked is the host that is asked: ``text`` is put together from the checked parts.
/// Source: RFC 3986; what a browser would encode is encoded, what is encoded already stays.
package struct WebURL: Sendable, Hashable {
  /// `http` or `https`.
  package var scheme: String
  /// Without brackets and in lower case where it is ASCII; an IPv6 address has its brackets.
  package let host: String
  /// As written; `nil` for the default of the scheme.
  package var explicitPort: Int?
  /// `user:password`, percent-decoded; `nil` when there is none.
  package let credentials: String?
  /// The path, at least `/`, and the query with its `?`: percent-encoded.
  package let target: String

  /// Takes a URL apart; `nil` for anything but an http or https URL.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard let scheme = Self.scheme(of: bytes) else { return nil }
    let start = scheme.utf8.count + 3
    let rest = bytes[start...]
    let end = rest.firstIndex {
      $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
    }
    let authority = rest[..<(end ?? bytes.endIndex)]
    guard let target = Self.target(bytes[authority.endIndex...]) else { return nil }
    self.scheme = scheme
    self.target = target
    if let (plain, port) = Self.split(plain: authority) {
      host = plain
      credentials = nil
      explicitPort = port == Self.defaultPort(of: scheme) ? nil : port
      return
    }
    guard
      let parts = Self.split(authority: Substring(String(decoding: authority, as: UTF8.self)))
    else { return nil }
    host = parts.host
    credentials = parts.credentials
    explicitPort = parts.port == Self.defaultPort(of: scheme) ? nil : parts.port
  }

  /// Takes a URL apart that is to be fetched.
  ///
  /// - Throws: ``ImageError`` with code `unsupportedScheme` or `invalidURL`.
  package init(fetchable text: String) throws(ImageError) {
    guard let url = WebURL(text) else {
      let scheme = text.prefix { $0 != ":" }
      let isOther =
        scheme.endIndex != text.endIndex && scheme.allSatisfy(\.isLetter)
        && !["http", "https"].contains(scheme.lowercased())
      throw isOther
        ? ImageError(
          .unsupportedScheme, "\(text): unsupported scheme; only http and https are fetched")
        : ImageError(.invalidURL, "\(text) is not a URL that can be fetched")
    }
    self = url
  }

  /// For the wire, without credentials and fragment.
  var text: String { "\(origin)\(target)" }
  /// Scheme, host and port: what RFC 6454 calls the origin.
  var origin: String { "\(scheme)://\(host)\(explicitPort.map { ":\($0)" } ?? "")" }
  /// The port that is connected to.
  var port: Int { explicitPort ?? Self.defaultPort(of: scheme) }
  /// For example `example.org:443`.
  var hostAndPort: String { "\(host):\(port)" }

  /// The same on https, where the port is http's own; else unchanged.
  var upgraded: WebURL {
    guard scheme == "http", explicitPort == nil else { return self }
    var upgraded = self
    upgraded.scheme = "https"
    return upgraded
  }

  /// What a reference in an answer means here (RFC 3986 §5.2); `nil` for nonsense and other schemes.
  func resolving(_ reference: String) -> WebURL? {
    let reference = reference.trimmingSpaces
    if reference.hasPrefix("//") { return WebURL("\(scheme):\(reference)") }
    let name = reference.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    if name.first?.isLetter == true, reference[name.endIndex...].hasPrefix(":") {
      return WebURL(reference)
    }
    let pathEnd = target.firstIndex(of: "?") ?? target.endIndex
    let path = target[..<pathEnd]
    switch reference.first {
    case nil, "#": return self
    case "/": return WebURL(origin + reference)
    case "?": return WebURL(origin + path + reference)
    default:
      let folder = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
      return WebURL(origin + folder + reference)
    }
  }

  /// `http` or `https` where the bytes begin so, with `://`.
  private static func scheme(of bytes: [UInt8]) -> String? {
    for scheme in ["https", "http"] {
      let lead = scheme.utf8.count
      guard bytes.count >= lead + 3, bytes[lead...].starts(with: "://".utf8) else { continue }
      if zip(bytes, scheme.utf8).allSatisfy({ $0 | 0x20 == $1 }) { return scheme }
    }
    return nil
  }

  /// Host and port where nothing in them needs thought: `a`-`z`, `0`-`9`, `.` and `-`, a short number.
  private static func split(plain authority: ArraySlice<UInt8>) -> (host: String, port: Int?)? {
    let host = authority.prefix { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "."), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    guard !host.isEmpty else { return nil }
    let rest = authority[host.endIndex...]
    if rest.isEmpty { return (String(decoding: host, as: UTF8.self), nil) }
    var port = 0
    guard rest.first == UInt8(ascii: ":"), (2...6).contains(rest.count) else { return nil }
    for byte in rest.dropFirst() {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      port = port * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return (1...65_535).contains(port) ? (String(decoding: host, as: UTF8.self), port) : nil
  }

  private static func defaultPort(of scheme: String) -> Int { scheme == "http" ? 80 : 443 }

  private static func split(
    authority: Substring
  ) -> (credentials: String?, host: String, port: Int?)? {
    let parts = authority.split(separator: "@", omittingEmptySubsequences: false)
    guard let place = parts.last, parts.count <= 2, !authority.contains("\\") else { return nil }
    let credentials = parts.count == 2 ? percentDecoded(parts[0]) : nil
    let hostEnd = place.hasPrefix("[") ? place.firstIndex(of: "]").map(place.index(after:)) : nil
    let host = hostEnd.map { place[..<$0] } ?? place.prefix { $0 != ":" }
    var port: Int?
    let rest = place[host.endIndex...]
    if !rest.isEmpty {
      guard rest.hasPrefix(":"), rest.dropFirst().allSatisfy({ $0.isASCII && $0.isNumber }) else {
        return nil
      }
      if rest.count > 1 {
        guard let number = Int(rest.dropFirst()), (1...65_535).contains(number) else { return nil }
        port = number
      }
    }
    let isIPv6 = hostEnd != nil
    let isFine = host.unicodeScalars.allSatisfy { scalar in
      isIPv6
        ? "0123456789abcdefABCDEF:.[]".unicodeScalars.contains(scalar)
        : !scalar.isASCII || scalar.properties.isAlphabetic
          || "0123456789.-_".unicodeScalars.contains(scalar)
    }
    guard !host.isEmpty, isFine else { return nil }
    return (credentials, host.lowercased(), port)
  }

  /// Path and query, encoded and without `.` and `..`; `nil` for control characters.
  private static func target(_ rest: ArraySlice<UInt8>) -> String? {
    let withoutFragment = rest.prefix { $0 != UInt8(ascii: "#") }
    guard withoutFragment.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else { return nil }
    let path = withoutFragment.prefix { $0 != UInt8(ascii: "?") }
    let hasDots = zip(path, path.dropFirst()).contains {
      $0 == UInt8(ascii: "/") && $1 == UInt8(ascii: ".")
    }
    let isEncoded = isPercentEncoded(withoutFragment)
    if isEncoded, !hasDots, !path.isEmpty {
      return String(decoding: withoutFragment, as: UTF8.self)
    }
    let encodedPath = path.isEmpty ? "/" : percentEncoded(path)
    return removingDots(encodedPath) + percentEncoded(withoutFragment[path.endIndex...])
  }
}
