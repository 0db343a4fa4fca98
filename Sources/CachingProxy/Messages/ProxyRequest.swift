import HTTPListening
import HTTPTypes
import ImagePipeline
import NIOHTTP1

/// A client's request as it is passed on: the fields of both ends, the target as it stands, the
/// body while it comes.
struct ProxyRequest: Sendable {
  /// A request goes no further; answered with this status.
  struct Refusal: Error {
    let status: Int
  }

  var method: String
  /// A path with its query, or `*`.
  var target: String
  /// Without those of the connection, `Host`, `Content-Length`, `Expect`, `Proxy`, and names with
  /// an underscore.
  var fields: HTTPFields
  /// `nil` when there is none.
  var body: RequestBody?
  var bodyByteCount: Int?
  /// Whether the client waits for 100 before it sends the body.
  var awaitsContinue = false

  /// Reads a head.
  ///
  /// - Throws: ``Refusal`` for what cannot be passed on.
  init(_ head: HTTPRequestHead, body: RequestBody) throws(Refusal) {
    method = head.method.rawValue
    guard method != "CONNECT" else {
      throw Refusal(status: 501)
    }
    guard RequestFacts(head).namesHost(in: head.version) else { throw Refusal(status: 400) }
    target = try Self.target(of: head)
    var all = HTTPFields()
    for (name, value) in head.headers {
      guard let name = HTTPField.Name(name) else { continue }
      all.append(HTTPField(name: name, value: FieldBytes.bytes(of: value)))
    }
    fields = HTTPFieldRules.safeForOrigin(HTTPFieldRules.endToEnd(all))
    if let expectation = fields[.expect] {
      awaitsContinue = expectation.lowercased() == "100-continue"
    }
    for name in [.contentLength, .expect] as [HTTPField.Name] { fields[name] = nil }
    if let host = HTTPField.Name("Host") { fields[host] = nil }
    if all[.transferEncoding] != nil {
      self.body = body
    } else if let length = try Self.length(in: all),
      length > 0 || !["GET", "HEAD"].contains(method)
    {
      self.body = body
      bodyByteCount = length
    }
  }

  /// As the rules of caching see it.
  var forCache: HTTPCacheRequest {
    HTTPCacheRequest(method: method, fields: fields, hasBody: body != nil)
  }

  /// Whether it may share the answer to an equal one that is under way.
  ///
  /// One that came through another proxy of this kind does not: where two are each other's origin,
  /// a request of each would wait in the other for itself. It is passed on instead, and comes back
  /// to a proxy that knows its own name.
  var mayCollapse: Bool {
    let cache = forCache
    return method == "GET" && cache.isAnswerable && fields[.range] == nil && !cache.control.noStore
      && !ViaField.hasPredecessor(fields)
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

  /// The path and query (RFC 9112 §3.2): of the absolute form what follows the authority.
  private static func target(of head: HTTPRequestHead) throws(Refusal) -> String {
    var target = head.uri[...]
    for scheme in ["http://", "https://"] where target.lowercased().hasPrefix(scheme) {
      target = target.dropFirst(scheme.count)
      target = target[(target.firstIndex { "/?".contains($0) } ?? target.endIndex)...]
      if !target.hasPrefix("/") { target = "/" + target }
    }
    // A URI is ASCII (RFC 3986 §2).
    let isFine = target.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }
    guard isFine, target.hasPrefix("/") || target == "*" && head.method == .OPTIONS else {
      throw Refusal(status: 400)
    }
    return String(target)
  }
}
