import HTTPTypes

/// The fields of one hop: the caller's, the kept beginning's, the Referer of the host, credentials.
struct RequestFields: Sendable {
  let request: FetchRequest
  /// `Range` and `If-Range` of a kept beginning.
  let range: HTTPFields
  /// Whether no Referer is sent, since one was answered by 403.
  var omitsReferer = false

  /// Field lines for a hop.
  ///
  /// - Parameters:
  ///   - url: Where the hop leads.
  ///   - first: Where the first hop led: its origin alone gets `Authorization` and `Cookie`.
  func lines(for url: WebURL, first: WebURL) -> [[UInt8]] {
    var lines = [Array("Accept: */*".utf8)]
    let isSameOrigin = url.origin == first.origin
    for field in request.headers where isSameOrigin || !Self.isCredential(field.name) {
      if field.name == .accept { lines.removeFirst() }
      lines.append(field.line)
    }
    for field in range { lines.append(field.line) }
    if let referer = referer(for: url), request.headers[.referer] == nil {
      lines.append(Array("Referer: \(referer)".utf8))
    }
    if let credentials = url.credentials ?? (isSameOrigin ? first.credentials : nil),
      request.headers[.authorization] == nil
    {
      lines.append(
        Array("Authorization: Basic \(Base64.encoded(Array(credentials.utf8)))".utf8))
    }
    return lines
  }

  /// What is sent as Referer to a host, if anything is.
  func referer(for url: WebURL) -> String? {
    switch request.referer {
    case .none: nil
    case .exactly(let referer): omitsReferer ? nil : referer
    case .byHost: omitsReferer ? nil : request.hostRules.byHost.value(forHost: url.host)?.referer
    }
  }

  private static func isCredential(_ name: HTTPField.Name) -> Bool {
    name == .authorization || name == .cookie || name == .proxyAuthorization
  }
}

/// Base 64 with padding (RFC 4648 §4).
enum Base64 {
  /// Encodes bytes.
  static func encoded(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for place in 0..<4 {
        let isPadding = place > group.count
        text.append(isPadding ? UInt8(ascii: "=") : alphabet[bits >> (18 - 6 * place) & 63])
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
