#if canImport(Glibc)
  import Glibc
#else
  public import Darwin
#endif

import TextEncodings

/// An http or https URL in its parts, as the wire needs it.
///
/// It is strict where parsers disagree (control characters, backslashes, several `@`), so that the
/// host that is checked is the host that is connected to: ``text`` is built from the checked parts.
/// What a browser would percent-encode is encoded; triplets stay as they are. Source: RFC 3986.
public struct WebURL: Sendable, Hashable {
  /// `http` or `https`.
  public private(set) var scheme: String
  /// The host in ASCII (Punycode), its letters in lower case; an IPv6 address has its brackets.
  public private(set) var host: String
  /// The port where it is not the default of the scheme; else `nil`.
  public let explicitPort: Int?
  /// `user:password`, percent-decoded; `nil` where there is none.
  public let credentials: String?
  /// The path, at least `/`, and the query with its `?`: percent-encoded.
  public private(set) var target: String

  /// Reads a URL; `nil` for anything that is not a well-formed http or https URL.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard let scheme = Self.scheme(of: bytes) else { return nil }
    let rest = bytes[(scheme.utf8.count + 3)...]
    let authority = rest.prefix {
      $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
    }
    guard let target = Self.target(bytes[authority.endIndex...]),
      let parts = Self.split(plain: authority)
        ?? Self.split(authority: Substring(String(decoding: authority, as: UTF8.self)))
    else { return nil }
    self.scheme = scheme
    self.target = target
    host = parts.host
    credentials = parts.credentials
    explicitPort = parts.port == Self.defaultPort(of: scheme) ? nil : parts.port
  }

  /// Parses a URL for fetching.
  ///
  /// - Throws: ``ImageError`` with code `unsupportedScheme` or `invalidURL`.
  public init(fetchable text: String) throws(ImageError) {
    guard let url = WebURL(text) else {
      let scheme = text.prefix { $0 != ":" }
      let isOther =
        scheme.endIndex != text.endIndex && scheme.allSatisfy(\.isLetter)
        && !["http", "https"].contains(scheme.lowercased())
      throw isOther
        ? ImageError(
          .unsupportedScheme, "\(text): unsupported scheme; only http, https and s3 are fetched",
          url: text)
        : ImageError(.invalidURL, "\(text) is not a URL that can be fetched", url: text)
    }
    self = url
  }

  /// The URL for the wire, without credentials and fragment.
  public var text: String { "\(origin)\(target)" }
  /// Scheme, host and port. Source: RFC 6454.
  public var origin: String { "\(scheme)://\(host)\(explicitPort.map { ":\($0)" } ?? "")" }
  /// The port that is connected to.
  public var port: Int { explicitPort ?? Self.defaultPort(of: scheme) }
  package var hostAndPort: String { "\(host):\(port)" }

  /// The same URL with https, where the port is the default of http; else unchanged.
  package var upgraded: WebURL {
    guard scheme == "http", explicitPort == nil else { return self }
    var upgraded = self
    upgraded.scheme = "https"
    return upgraded
  }

  /// The same origin with a percent-encoded path that is taken as it is, dot segments included.
  package func replacingTarget(by path: String) -> WebURL {
    var changed = self
    changed.target = path
    return changed
  }

  /// The same URL at a host below this one.
  package func prefixingHost(with label: String) -> WebURL {
    var changed = self
    changed.host = "\(label).\(host)"
    return changed
  }

  /// Returns an http or https URL as keys have it: without its fragment, and without a user and
  /// password; any other text unchanged.
  public static func withoutFragment(_ text: String) -> String {
    let text = withoutUserinfo(text)
    // Each hit in memory comes here; a loop over the text would take longer than the hit itself.
    let mayHaveMark = text.utf8.withContiguousStorageIfAvailable { bytes in
      bytes.baseAddress.map { memchr($0, 0x23, bytes.count) != nil } ?? false
    }
    guard mayHaveMark ?? true, let mark = text.utf8.firstIndex(of: UInt8(ascii: "#")),
      WebURL(text) != nil
    else { return text }
    return String(text[..<mark])
  }

  /// Returns the text of a URL of any scheme, also of a malformed one, without what precedes the `@`
  /// in its authority; any other text unchanged.
  public static func withoutUserinfo(_ text: String) -> String {
    let mayHaveUserinfo = text.utf8.withContiguousStorageIfAvailable { bytes in
      bytes.baseAddress.map { memchr($0, 0x40, bytes.count) != nil } ?? false
    }
    guard mayHaveUserinfo ?? true else { return text }
    guard hasScheme(text), let start = text.firstRange(of: "://")?.upperBound,
      text[..<start].dropLast(3).allSatisfy({ $0 != ":" })
    else { return text }
    let rest = text[start...]
    var authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    // A password with one of these ends a URL that is not one.
    if !authority.contains("@"), WebURL(text) == nil { authority = rest }
    guard let mark = authority.lastIndex(of: "@") else { return text }
    return String(text[..<start] + text[text.index(after: mark)...])
  }

  // MARK: References

  /// Returns the URL that a reference in a response means; `nil` for another scheme and for
  /// anything that is not a URL. A reference that is empty or only a fragment means this URL.
  public func resolving(_ reference: String) -> WebURL? {
    if reference.trimmingBlanks.isEmpty || reference.trimmingBlanks.hasPrefix("#") { return self }
    return Self.resolve(reference, against: text).flatMap { WebURL($0) }
  }

  /// Returns the URL for a reference in a page or feed, spelled as the reference is, without a user
  /// and password.
  ///
  /// A reference that is a URL is otherwise returned unchanged. A relative one loses its dot segments and
  /// nothing is encoded, so that the URL equals the one that other programs use.
  /// Source: RFC 3986 §5.2.
  ///
  /// - Parameters:
  ///   - reference: The reference; white space at its ends is ignored, and so are tabs and line
  ///     breaks in it (WHATWG URL Standard, §4.4).
  ///   - base: The URL of the page.
  /// - Returns: A URL that can be fetched; `nil` for another scheme (`data:`, `javascript:`) and
  ///   for a reference that is empty or only a fragment.
  public static func resolve(_ reference: String, against base: String) -> String? {
    var reference = reference.trimmingWhiteSpace()
    if reference.utf8.contains(where: "\t\n\r".utf8.contains) {
      reference.unicodeScalars.removeAll { "\t\n\r".unicodeScalars.contains($0) }
    }
    if WebURL(reference) != nil { return withoutUserinfo(reference) }
    guard !reference.isEmpty, !reference.hasPrefix("#"), !hasScheme(reference),
      WebURL(base) != nil, let slashes = base.firstRange(of: "://")
    else { return nil }
    let rest = base[slashes.upperBound...].prefix { $0 != "#" }
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let path = rest[authority.endIndex...].prefix { $0 != "?" }
    let root = base[..<authority.endIndex]
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
    let resolved =
      if reference.hasPrefix("//") {
        "\(base[..<slashes.lowerBound]):\(reference)"
      } else if reference.hasPrefix("/") {
        "\(root)\(removingDots(reference))"
      } else if reference.hasPrefix("?") {
        "\(root)\(path.isEmpty ? "/" : path)\(reference)"
      } else {
        "\(root)\(removingDots(folder + reference))"
      }
    return WebURL(resolved) == nil ? nil : withoutUserinfo(resolved)
  }

  private static func hasScheme(_ text: String) -> Bool {
    let name = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    return name.first?.isLetter == true && text[name.endIndex...].hasPrefix(":")
  }

  /// Removes `.` and `..` from a path that begins with a slash (§5.2.4); a query stays as it is.
  private static func removingDots(_ text: String) -> String {
    let hasDots = zip(text.utf8, text.utf8.dropFirst()).contains {
      $0 == UInt8(ascii: "/") && $1 == UInt8(ascii: ".")
    }
    guard hasDots else { return text }
    let path = text.prefix { $0 != "?" && $0 != "#" }
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
    return "/" + kept.joined(separator: "/") + text[path.endIndex...]
  }

  // MARK: Parts

  private typealias Authority = (credentials: String?, host: String, port: Int?)

  /// `http` or `https` where the bytes begin so, with `://`.
  private static func scheme(of bytes: [UInt8]) -> String? {
    for scheme in ["https", "http"] {
      let lead = scheme.utf8.count
      guard bytes.count >= lead + 3, bytes[lead...].starts(with: "://".utf8) else { continue }
      if zip(bytes, scheme.utf8).allSatisfy({ $0 | 0x20 == $1 }) { return scheme }
    }
    return nil
  }

  /// The parts of the usual authority: `a`-`z`, `0`-`9`, `.` and `-`, and a short number.
  private static func split(plain authority: ArraySlice<UInt8>) -> Authority? {
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
    if rest.isEmpty { return (nil, String(decoding: host, as: UTF8.self), nil) }
    var port = 0
    guard rest.first == UInt8(ascii: ":"), (2...6).contains(rest.count) else { return nil }
    for byte in rest.dropFirst() {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      port = port * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return (1...65_535).contains(port) ? (nil, String(decoding: host, as: UTF8.self), port) : nil
  }

  private static func split(authority: Substring) -> Authority? {
    let parts = authority.split(separator: "@", omittingEmptySubsequences: false)
    guard let place = parts.last, parts.count <= 2, !authority.contains("\\") else { return nil }
    let credentials =
      parts.count == 2
      ? String(decoding: PercentEncoding.decoded(parts[0]).bytes, as: UTF8.self) : nil
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
    let isWellFormed = host.unicodeScalars.allSatisfy { scalar in
      isIPv6
        ? "0123456789abcdefABCDEF:.[]".unicodeScalars.contains(scalar)
        : !scalar.isASCII || scalar.properties.isAlphabetic
          || "0123456789.-_".unicodeScalars.contains(scalar)
    }
    guard !host.isEmpty, isWellFormed else { return nil }
    guard let name = isIPv6 ? host.lowercased() : HostName.ascii(host) else { return nil }
    return (credentials, name, port)
  }

  private static func defaultPort(of scheme: String) -> Int { scheme == "http" ? 80 : 443 }

  /// Path and query, encoded and without dot segments; `nil` for control characters.
  private static func target(_ rest: ArraySlice<UInt8>) -> String? {
    let target = rest.prefix { $0 != UInt8(ascii: "#") }
    guard target.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else { return nil }
    let text =
      target.allSatisfy(isAllowed)
      ? String(decoding: target, as: UTF8.self)
      : PercentEncoding.encoded(target, keepsTriplets: true, keeping: isAllowed)
    return removingDots(text.hasPrefix("/") ? text : "/" + text)
  }

  /// Whether a byte may be in a path or query: not spaces, quotes, brackets, and bytes beyond
  /// ASCII.
  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "?")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "&")...UInt8(ascii: ";"): true
    case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "="), UInt8(ascii: "_"): true
    case UInt8(ascii: "~"): true
    default: false
    }
  }
}
