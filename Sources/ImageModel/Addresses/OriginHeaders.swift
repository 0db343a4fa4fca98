public import HTTPTypes

/// Header fields that are sent to certain hosts, such as the credentials of a private origin.
///
///     let headers = try OriginHeaders([.authorization: "Bearer 1234"], host: "images.example.org")
///
/// A field is sent to its host, over http and https alike, and replaces the request's own field of
/// that name. After a redirect it is sent while the redirects stay at the host: not once they have
/// led to another host, not even back at the first, and not after one from https to http.
///
/// The values are secrets: no description of this type shows them.
public struct OriginHeaders: Sendable, Hashable {
  package struct Rule: Sendable, Hashable {
    /// In lower case, without a final dot.
    package let host: String
    /// `nil` for every port.
    package let port: Int?
    package let field: HTTPField

    fileprivate func matches(_ url: WebURL) -> Bool {
      url.host.withoutFinalDot == host && (port == nil || port == url.port)
    }

    /// Whether it is sent with the last of these requests, each a redirect of the one before.
    fileprivate func applies(along hops: [WebURL]) -> Bool {
      guard let last = hops.last, matches(last) else { return false }
      let atHost = hops.drop { !matches($0) }
      return atHost.allSatisfy(matches)
        && !zip(atHost, atHost.dropFirst()).contains { $0.scheme == "https" && $1.scheme == "http" }
    }
  }

  package private(set) var rules: [Rule] = []

  /// No fields.
  public init() {}

  package init(_ rules: [Rule]) { self.rules = rules }

  /// The fields of a request, as those for no host.
  package init(_ fields: HTTPFields) {
    rules = fields.map { Rule(host: "", port: nil, field: $0) }
  }

  /// Creates fields for a host.
  ///
  /// - Parameters:
  ///   - fields: The fields; of two of one name, the later one counts.
  ///   - host: The host without a port, for example `images.example.org`.
  ///   - port: The port. Default: every port.
  /// - Throws: ``ImageError`` with code `invalidArgument` for text that is not a host, or a field that
  ///   cannot be set. No message contains a value.
  public init(_ fields: HTTPFields, host: String, port: Int? = nil) throws(ImageError) {
    let port = port.map { ":\($0)" } ?? ""
    try self.init(fields.map { "\(host)\(port): \($0.name.rawName): \($0.value)" })
  }

  /// Reads fields: `HOST: Name: value`, or `HOST:PORT: Name: value` for one port. `readFile` reads
  /// the file of a value `@FILE`, without the line end at its end. Default: `@FILE` is the value.
  ///
  /// - Throws: ``ImageError`` with code `invalidArgument` for a malformed text or a field that
  ///   cannot be set, or what `readFile` throws. No message contains a value.
  public init(
    _ texts: [String], readFile: ((_ path: String) throws(ImageError) -> [UInt8])? = nil
  ) throws(ImageError) {
    for text in texts {
      guard let parts = Self.split(text) else {
        throw ImageError(
          .invalidArgument, "Malformed origin header; write 'HOST: Name: value' in ASCII")
      }
      var value = parts.value
      if let readFile, value.hasPrefix("@") {
        value = try Self.text(of: try readFile(String(value.dropFirst())), for: parts)
      }
      rules.append(
        Rule(host: parts.host, port: parts.port, field: try Self.field(value, for: parts)))
    }
    rules = rules.filter { $0.port == nil } + rules.filter { $0.port != nil }
  }

  /// Whether there are none.
  public var isEmpty: Bool { rules.isEmpty }

  /// The text of a field with `***` for its value, unless that is `@FILE`; `***` for one that is
  /// malformed.
  public static func masked(_ text: String) -> String {
    guard let parts = split(text) else { return "***" }
    let port = parts.port.map { ":\($0)" } ?? ""
    return
      "\(parts.host)\(port): \(parts.name): \(parts.value.hasPrefix("@") ? parts.value : "***")"
  }

  /// The fields that are sent with a request for a URL, or with the last of several requests of
  /// which each is a redirect of the one before.
  package func sent(along hops: [WebURL]) -> OriginHeaders {
    rules.isEmpty ? self : OriginHeaders(rules.filter { $0.applies(along: hops) })
  }

  /// The fields; of two of one name, the one for the port or the later one.
  package var fields: HTTPFields {
    var fields = HTTPFields()
    for rule in rules { fields.replace(with: rule.field) }
    return fields
  }

  /// Returns these fields and those of others.
  public func union(_ others: OriginHeaders) -> OriginHeaders {
    others.isEmpty ? self : OriginHeaders(rules + others.rules.filter { !rules.contains($0) })
  }

  // MARK: Reading

  private typealias Parts = (host: String, port: Int?, name: String, value: String)

  private static func split(_ text: String) -> Parts? {
    let hostEnd =
      text.hasPrefix("[")
      ? text.firstIndex(of: "]").map(text.index(after:)) : text.firstIndex(of: ":")
    guard let hostEnd, text[hostEnd...].hasPrefix(":") else { return nil }
    let host = text[..<hostEnd]
    var rest = text[hostEnd...].dropFirst()
    var port: Int?
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    if !digits.isEmpty, rest[digits.endIndex...].hasPrefix(":") {
      guard let number = Int(digits), (1...65_535).contains(number) else { return nil }
      port = number
      rest = rest[digits.endIndex...].dropFirst()
    }
    guard let colon = rest.firstIndex(of: ":"),
      let url = WebURL("http://\(host)/"), url.credentials == nil, url.explicitPort == nil,
      url.target == "/", !host.contains("/"), !host.contains("*")
    else { return nil }
    let name = rest[..<colon].trimmingBlanks
    guard HTTPField.Name(name) != nil else { return nil }
    return (url.host.withoutFinalDot, port, name, rest[colon...].dropFirst().trimmingBlanks)
  }

  private static func text(of file: [UInt8], for parts: Parts) throws(ImageError) -> String {
    var bytes = file[...]
    if bytes.last == 0x0A { bytes.removeLast() }
    if bytes.last == 0x0D { bytes.removeLast() }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw refusal(of: parts, "its file is not text")
    }
    return text.trimmingBlanks
  }

  private static func field(_ value: String, for parts: Parts) throws(ImageError) -> HTTPField {
    guard let name = HTTPField.Name(parts.name), !reserved.contains(name.canonicalName) else {
      throw refusal(of: parts, "the program sets this field itself")
    }
    guard !value.isEmpty else { throw refusal(of: parts, "the value is empty") }
    guard HTTPField.isValidValue(value) else {
      throw refusal(of: parts, "the value has a line end or another control character")
    }
    return HTTPField(name: name, value: value)
  }

  private static func refusal(of parts: Parts, _ reason: String) -> ImageError {
    ImageError(
      .invalidArgument, "Invalid origin header \"\(parts.name)\" for \(parts.host): \(reason)")
  }

  /// Fields that frame a message, belong to the connection or to a proxy, or request another
  /// response than the one that the cache expects.
  private static let reserved: Set<String> = [
    "accept-encoding", "connection", "content-encoding", "content-length", "content-type", "expect",
    "host", "http2-settings", "if-match", "if-modified-since", "if-none-match", "if-range",
    "if-unmodified-since", "keep-alive", "proxy-authenticate", "proxy-authorization",
    "proxy-connection", "range", "te", "trailer", "transfer-encoding", "upgrade", "via",
  ]
}

extension OriginHeaders: Summarized {
  /// The hosts and names, without the values.
  public var description: String {
    let texts = rules.map { rule in
      "\(rule.host)\(rule.port.map { ":\($0)" } ?? ""): \(rule.field.name.rawName): ***"
    }
    return "[\(texts.joined(separator: ", "))]"
  }

  package var summary: KeyValuePairs<String, Any?> { [:] }
}
