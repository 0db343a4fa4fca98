public import HTTPTypes
public import ImageModel
import NIOCore
import NIOHTTP1
import TextEncodings

/// The reason why a request fails: a problem object of RFC 9457.
///
/// Its texts are fixed, so that a response reveals no internal details: no address, no path.
public struct Problem: LocalizedError, Sendable, Hashable {
  /// The status of the response.
  public let status: HTTPResponse.Status
  /// For programs: stable, in lower case with underscores.
  public let code: String
  /// For people, in one sentence.
  public let detail: String
  /// The number of seconds after which to try again.
  public var retryAfter: Int?
  /// The methods that the resource allows, if another one was used.
  public var allow: String?
  /// The query parameter that is wrong, if it is one.
  public private(set) var parameter: String?

  /// Creates a problem.
  public init(
    _ status: HTTPResponse.Status, _ code: String, _ detail: String, retryAfter: Int? = nil,
    allow: String? = nil
  ) {
    self.status = status
    self.code = code
    self.detail = detail
    self.retryAfter = retryAfter
    self.allow = allow
  }

  /// Returns the problem with the name of the parameter that it is about, unless that is other than
  /// at most 32 letters, digits, `_` and `-`: a client's own text is not repeated.
  public func about(_ parameter: String) -> Problem {
    guard (1...32).contains(parameter.utf8.count),
      parameter.utf8.allSatisfy({ HTTPText.isAlphanumeric($0, or: "_-") })
    else { return self }
    var problem = self
    problem.parameter = parameter
    return problem
  }

  /// 503: more is going on than the server accepts.
  public static let busy = Problem(
    .serviceUnavailable, "saturated", "The server is overloaded; try again shortly.",
    retryAfter: 1)

  /// 400: the head is not that of a request.
  public static let malformed = Problem(.badRequest, "bad_request", "Malformed HTTP request.")
  /// 400: there is no host, or not a valid one.
  public static let badHost = Problem(
    .badRequest, "bad_host", "The request must have exactly one valid Host.")
  /// 400: the target is not what an origin server gets.
  public static let badTarget = Problem(
    .badRequest, "bad_target", "The request target must be a path or an http URL.")

  static let fieldsTooLarge = Problem(
    .requestHeaderFieldsTooLarge, "fields_too_large", "The request's head is too large.")

  static func bodyTooLarge(_ maximum: Int) -> Problem {
    Problem(
      .contentTooLarge, "body_too_large",
      "The request's body is larger than \(maximum) bytes, or does not say how large it is.")
  }

  /// As ``detail``.
  public var errorDescription: String? { detail }

  /// The object as a line of JSON.
  public var json: String {
    let object: JSONLine = [
      "type": "about:blank", "title": status.reasonPhrase, "status": status.code, "code": code,
      "detail": detail, "parameter": parameter,
    ]
    return "\(object)\n"
  }

  /// The fields of the response that carries it, but for its length; no cache stores it.
  public var fields: HTTPFields {
    var fields: HTTPFields = [
      .contentType: "application/problem+json", .cacheControl: "no-store",
    ]
    if let retryAfter { fields[.retryAfter] = String(retryAfter) }
    if let allow { fields[.allow] = allow }
    fields.addSafety()
    return fields
  }

  /// The response to a request that is refused before it is routed: the last of its connection.
  func refusal(
    _ dates: DateField, hasBody: Bool = true, with others: HTTPFields = [:]
  ) -> [HTTPServerResponsePart] {
    var headers = HTTPHeaders((fields + others).map { ($0.name.rawName, $0.value) })
    let body = ByteBuffer(string: json)
    headers.add(name: "Content-Length", value: String(body.readableBytes))
    headers.add(name: "Date", value: dates.text)
    headers.add(name: "Connection", value: "close")
    let status = HTTPResponseStatus(statusCode: status.code)
    let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    return [.head(head)] + (hasBody ? [.body(.byteBuffer(body))] : []) + [.end(nil)]
  }
}

extension HTTPFields {
  /// Forbids a response that is not a page to load, embed or run anything.
  private static let lockedDown =
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"

  /// Instructs browsers not to sniff the type of a response and not to run anything in it.
  public mutating func addSafety() {
    self[.xContentTypeOptions] = "nosniff"
    if self[.contentSecurityPolicy] == nil { self[.contentSecurityPolicy] = Self.lockedDown }
  }
}

extension HTTPField.Name {
  /// RFC 9211.
  public static let cacheStatus = Self(known: "Cache-Status")
  /// The tags by which caches purge a response, as at Cloudflare and Google Cloud CDN.
  public static let cacheTag = Self(known: "Cache-Tag")
  /// Server Timing, W3C.
  public static let serverTiming = Self(known: "Server-Timing")
  /// Fetch Metadata, W3C.
  static let secFetchSite = Self(known: "Sec-Fetch-Site")

  private init(known name: StaticString) {
    guard let name = Self("\(name)") else { preconditionFailure("\(name) is not a field name") }
    self = name
  }
}
