/// Users and passwords that URLs have named, by origin (scheme, host and port).
///
/// They are sent to their origins with every request, and to no other. What names them is used
/// without them: in keys, records and messages. Copies of a reference share what is known.
///
/// No description of this type shows them.
public final class OriginCredentials: Sendable {
  /// A file in the format of `~/.netrc`, for hosts without other credentials; `nil` for none.
  public let netrcFile: String?
  /// `user:password` by origin.
  private let known = Locked<[String: String]>([:])

  /// The maximum number of origins; the URLs of a feed may name any number.
  private let maximumCount: Int

  /// Those of a fetcher that sends none, and learns none.
  package static let none = OriginCredentials(netrcFile: nil, maximumCount: 0)

  private init(netrcFile: String?, maximumCount: Int) {
    self.netrcFile = netrcFile
    self.maximumCount = maximumCount
  }

  /// Knows what others do, else none. libcurl reads `netrcFile` with each request. Default: none.
  public init(_ others: OriginCredentials? = nil, netrcFile: String? = nil) {
    self.netrcFile = netrcFile
    maximumCount = 10_000
    if let others { known.withLock { [copy = others.known.withLock { $0 }] in $0 = copy } }
  }

  /// Learns the user and password in a URL.
  ///
  /// - Returns: The URL without them; any other text unchanged.
  public func extract(from text: String) -> String { extract(from: text, replaces: true) }

  /// - Parameter replaces: Whether it takes the place of what is known of the origin.
  private func extract(from text: String, replaces: Bool) -> String {
    let bare = WebURL.withoutUserinfo(text)
    if bare.utf8.count != text.utf8.count, let url = WebURL(text), let named = url.credentials {
      known.withLock { known in
        let isKnown = known[url.origin] != nil
        if isKnown ? replaces : known.count < maximumCount { known[url.origin] = named }
      }
    }
    return bare
  }

  /// Learns the users and passwords in the URLs of a document: of markup, JSON or plain text. Those
  /// of an origin that is known already are not replaced.
  ///
  /// - Returns: The document without them.
  public func extract(fromDocument document: [UInt8]) -> [UInt8] {
    guard document.contains(UInt8(ascii: "@")) else { return document }
    var bare: [UInt8] = []
    var copied = 0
    var place = 0
    while let colon = document[place...].firstIndex(of: UInt8(ascii: ":")) {
      place = colon + 1
      let rest = document[place...]
      // Those of JSON may have backslashes.
      guard let slashes = ["//", "\\/\\/"].first(where: { rest.starts(with: $0.utf8) }),
        let scheme = Self.scheme(atEndOf: document[copied..<colon])
      else { continue }
      place += slashes.utf8.count
      let authority = document[place...].prefix(1024).prefix(while: Self.mayBeInAuthority)
      guard let mark = authority.lastIndex(of: UInt8(ascii: "@")),
        !Self.isEscapedMarkup(authority[..<mark])
      else { continue }
      let text = String(decoding: authority, as: UTF8.self)
        .split(separator: "&amp;", omittingEmptySubsequences: false).joined(separator: "&")
      _ = extract(from: "\(scheme)://\(text)/", replaces: false)
      bare += document[copied..<place]
      copied = mark + 1
      place = copied
    }
    return copied == 0 ? document : bare + document[copied...]
  }

  private static func scheme(atEndOf text: ArraySlice<UInt8>) -> String? {
    let end = String(decoding: text.suffix(5), as: UTF8.self).lowercased()
    return end.hasSuffix("https") ? "https" : end.hasSuffix("http") ? "http" : nil
  }

  /// Whether the end of an attribute or a tag is in what precedes an `@`: then it is in the text.
  private static func isEscapedMarkup(_ text: ArraySlice<UInt8>) -> Bool {
    let text = String(decoding: text, as: UTF8.self).lowercased()
    return ["&quot;", "&gt;", "&lt;", "&apos;", "&#"].contains(where: text.contains)
  }

  private static func mayBeInAuthority(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte != 0x7F && !"/?#\\\"'<>".utf8.contains(byte)
  }

  /// `user:password` for the last of several requests, each a redirect of the one before: not once
  /// they have led away from the origin, and not even back there.
  package func value(along hops: [WebURL]) -> String? {
    guard let last = hops.last, let value = known.withLock({ $0[last.origin] }) else { return nil }
    return hops.drop { $0.origin != last.origin }.allSatisfy { $0.origin == last.origin }
      ? value : nil
  }

  package func mayConcern(_ url: String) -> Bool {
    if netrcFile != nil { return true }
    return known.withLock { known in
      !known.isEmpty && WebURL(url).map { known[$0.origin] != nil } ?? false
    }
  }
}
