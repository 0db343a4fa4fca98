import HTTPCaching
import HTTPListening
import HTTPTypes
import NIOHTTP1

/// A client's request as it is passed on: the end-to-end fields, the target as it is spelled, the
/// body while it arrives.
struct ProxyRequest: Sendable {
  var method: String
  /// A path with its query, or `*`.
  var target: String
  /// Without those of the connection, `Host`, `Content-Length`, `Expect`, `Proxy`, and names with
  /// an underscore.
  var fields: HTTPFields
  var body: RequestBody?
  var bodyByteCount: Int?
  /// The rule about its path.
  var rule: ProxyRule?
  /// The URL at the origin that it means.
  var url: String
  /// The forwarded fields that select the response besides `Vary`: a host that is the client's choice,
  /// and https, to which origins redirect.
  var selectors: Set<String> = []

  /// Reads a head that is not refused, with its target in origin form.
  init(
    _ head: HTTPRequestHead, body: RequestBody, _ keys: RequestKeys, _ forwarded: ForwardedFields,
    from client: ConnectionPresence?
  ) {
    method = head.method.rawValue
    target = head.uri
    rule = keys.rule(for: target)
    url = keys.url(of: target, rule)
    var all = HTTPFields()
    for (name, value) in head.headers {
      guard let name = HTTPField.Name(name), name.canonicalName != "host" else { continue }
      all.append(HTTPField(name, received: value))
    }
    fields = all.endToEnd.safeForOrigin
    fields[.contentLength] = nil
    fields[.expect] = nil
    if !forwarded.isTrusted(client) {
      fields = fields.filter {
        !$0.name.canonicalName.hasPrefix("x-forwarded-") && $0.name.canonicalName != "forwarded"
      }
    }
    for text in ForwardedFields.names {
      guard let name = HTTPField.Name(text) else { continue }
      let value = forwarded.value(of: text, head.headers, from: client)
      fields[name] = value
      switch text {
      case ForwardedFields.host where !(value.map { forwarded.isOwn($0, of: client) } ?? false),
        ForwardedFields.scheme where value == "https":
        selectors.insert(text)
      default: break
      }
    }
    if all[.transferEncoding] != nil {
      self.body = body
    } else if let length = all[.contentLength].flatMap({ Int($0) }),
      length > 0 || !["GET", "HEAD"].contains(method)
    {
      self.body = body
      bodyByteCount = length
    }
  }

  static func refusal(of head: HTTPRequestHead, _ facts: RequestFacts) -> Problem? {
    if head.method == .CONNECT {
      return Problem(.notImplemented, "no_tunnel", "This proxy makes no tunnels.")
    }
    if opensWebSocket(head) {
      return Problem(.notImplemented, "no_websocket", "This proxy passes no WebSockets on.")
    }
    guard facts.namesHost(in: head.version) else { return .badHost }
    // A URI is ASCII (RFC 3986 §2).
    guard head.uri.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }),
      head.uri.hasPrefix("/") || head.uri == "*" && head.method == .OPTIONS
    else { return .badTarget }
    // The end of a body with another coding is unknown (RFC 9112 §6.1, §6.3).
    let codings = head.headers["Transfer-Encoding"]
    guard codings.isEmpty || head.version == .http1_1 else { return .malformed }
    guard codings.isEmpty || codings.count == 1 && codings[0].lowercased() == "chunked" else {
      return Problem(
        .notImplemented, "unknown_coding", "The only transfer coding of this proxy is chunked.")
    }
    let lengths = head.headers["Content-Length"]
    guard lengths.count <= 1, lengths.allSatisfy({ Int($0) != nil && $0.utf8.allSatisfy(isDigit) })
    else { return .malformed }
    return nil
  }

  /// Whether it is the handshake of a WebSocket (RFC 6455 §4.1): without its `Upgrade`, which is the
  /// connection's, it would be a request for a page. Others, such as that of h2c, may be ignored (RFC
  /// 9110 §7.8), and so is one that `Connection` does not name.
  private static func opensWebSocket(_ head: HTTPRequestHead) -> Bool {
    func has(_ name: String, _ token: String) -> Bool {
      head.headers[canonicalForm: name].contains { $0.lowercased().hasPrefix(token) }
    }
    return has("Upgrade", "websocket") && has("Connection", "upgrade")
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  var forCache: HTTPCacheRequest {
    var request = HTTPCacheRequest(method: method, fields: fields, hasBody: body != nil)
    request.presentedURL = url
    request.selectors = selectors
    request.isPassed = rule?.isPassed ?? false
    return request
  }

  /// Whether it may share the response to an equal request in flight.
  ///
  /// One that came through another proxy of this kind may not: where two are each other's origin, a
  /// request of each would wait in the other for itself. It is passed on instead, and returns to a
  /// proxy that recognizes its own name.
  var mayCollapse: Bool {
    let cache = forCache
    return method == "GET" && cache.isAnswerable && fields[.range] == nil && !cache.control.noStore
      && cache.control.noCache == nil && fields[.authorization] == nil
      && !ViaField.hasPredecessor(fields)
  }

  /// Whether it may be ended when its client has left (RFC 9110 §9.2.1).
  var isSafe: Bool { ["GET", "HEAD", "OPTIONS", "TRACE"].contains(method) && body == nil }

  /// The request as the content of a response to `TRACE`, without the fields that may have a secret
  /// (RFC 9110 §9.3.8).
  var reflection: String {
    let secrets: [HTTPField.Name] = [.authorization, .proxyAuthorization, .cookie]
    let lines = fields.filter { !secrets.contains($0.name) }
      .map { "\($0.name.rawName): \($0.value)\r\n" }
    return "\(method) \(target) HTTP/1.1\r\n\(lines.joined())\r\n"
  }

  /// The request with one hop less in `Max-Forwards`, which limits those of `OPTIONS` and `TRACE`
  /// (RFC 9110 §7.6.2); `nil` if this was the last hop.
  var forwarded: ProxyRequest? {
    guard ["OPTIONS", "TRACE"].contains(method),
      let hops = fields[.maxForwards].flatMap({ Int($0) })
    else { return self }
    guard hops > 0 else { return nil }
    var request = self
    request.fields[.maxForwards] = String(hops - 1)
    return request
  }
}
