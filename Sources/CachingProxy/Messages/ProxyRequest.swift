import HTTPCaching
import HTTPListening
import HTTPTypes
import NIOHTTP1

/// A client's request as it is passed on: the end-to-end fields, the target as it is spelled, the
/// body while it arrives.
struct ProxyRequest: Sendable {
  /// The request is not passed on; it is answered with this status.
  struct Refusal: Error {
    let status: Int
  }

  var method: String
  /// A path with its query, or `*`.
  var target: String
  /// Without those of the connection, `Host`, `Content-Length`, `Expect`, `Proxy`, and names with
  /// an underscore.
  var fields: HTTPFields
  /// `nil` if there is none.
  var body: RequestBody?
  var bodyByteCount: Int?

  /// Reads a head.
  ///
  /// - Parameter head: With its target in origin form if it came as an absolute URL.
  /// - Throws: ``Refusal`` for a request that cannot be passed on.
  init(_ head: HTTPRequestHead, body: RequestBody) throws(Refusal) {
    method = head.method.rawValue
    guard method != "CONNECT" else { throw Refusal(status: 501) }
    guard RequestFacts(head).namesHost(in: head.version) else { throw Refusal(status: 400) }
    target = head.uri
    // A URI is ASCII (RFC 3986 §2).
    guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }),
      target.hasPrefix("/") || target == "*" && head.method == .OPTIONS
    else { throw Refusal(status: 400) }
    var all = HTTPFields()
    for (name, value) in head.headers {
      guard let name = HTTPField.Name(name), name.canonicalName != "host" else { continue }
      all.append(HTTPField(name: name, value: FieldBytes.bytes(of: value)))
    }
    fields = HTTPFieldRules.safeForOrigin(HTTPFieldRules.endToEnd(all))
    fields[.contentLength] = nil
    fields[.expect] = nil
    if all[.transferEncoding] != nil {
      self.body = body
    } else if let length = try Self.length(in: all),
      length > 0 || !["GET", "HEAD"].contains(method)
    {
      self.body = body
      bodyByteCount = length
    }
  }

  /// The request in the form that the rules of caching use.
  var forCache: HTTPCacheRequest {
    HTTPCacheRequest(method: method, fields: fields, hasBody: body != nil)
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

  /// The length of the body (RFC 9112 §6.3): digits, in one line.
  private static func length(in fields: HTTPFields) throws(Refusal) -> Int? {
    let lines = fields[values: .contentLength]
    guard let line = lines.first else { return nil }
    guard lines.count == 1, line.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let length = Int(line)
    else { throw Refusal(status: 400) }
    return length
  }
}
