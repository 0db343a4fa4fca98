/// An http or https URL taken apart, as the wire needs it.
///
/// It is strict where parsers disagree (control characters, backslashes, several `@`), so that the host
/// that is checked is the host that is asked: ``text`` is put together from the checked parts.
/// Source: RFC 3986; what a browser would encode is encoded, what is encoded already stays.
struct WebURL: Sendable, Hashable {
  /// `http` or `https`.
  var scheme: String
  /// Without brackets and in lower case where it is ASCII; an IPv6 address has its brackets.
  let host: String
  /// As written; `nil` for the default of the scheme.
  var explicitPort: Int?
  /// `user:password`, percent-decoded; `nil` when there is none.
  let credentials: String?
  /// The path, at least `/`, and the query with its `?`: percent-encoded.
  let target: String

  /// Takes a URL apart; `nil` for what is no http or https URL.
  init?(_ text: String) {
    guard let colon = text.firstIndex(of: ":") else { return nil }
    let scheme = text[..<colon].lowercased()
    let rest = text[text.index(after: colon)...]
    guard scheme == "http" || scheme == "https", rest.hasPrefix("//") else { return nil }
    let afterSlashes = rest.dropFirst(2)
    let authority = afterSlashes.prefix { !"/?#".contains($0) }
    guard let (credentials, host, port) = Self.split(authority: authority) else { return nil }
    guard let target = Self.target(afterSlashes[authority.endIndex...]) else { return nil }
    self.scheme = scheme
    self.host = host
    self.credentials = credentials
    self.target = target
    explicitPort = port == Self.defaultPort(of: scheme) ? nil : port
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

  private static func defaultPort(of scheme: String) -> Int { scheme == "http" ? 80 : 443 }

  private static func split(
    authority: Substring
  ) -> (credentials: String?, host: String, port: Int?)? {
    let parts = authority.split(separator: "@", omittingEmptySubsequences: false)
    guard let place = parts.last, parts.count <= 2 else { return nil }
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
  private static func target(_ rest: Substring) -> String? {
    let withoutFragment = rest.prefix { $0 != "#" }
    guard !withoutFragment.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7f })
    else { return nil }
    let path = withoutFragment.prefix { $0 != "?" }
    let query = withoutFragment[path.endIndex...]
    return removingDots(percentEncoded(path.isEmpty ? "/" : path)) + percentEncoded(query)
  }
}
