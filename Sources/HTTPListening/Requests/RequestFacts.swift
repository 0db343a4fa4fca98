import HTTPTypes
import ImageModel
public import NIOHTTP1

/// The facts about a request's fields that are needed before it is routed, found in one pass.
public struct RequestFacts {
  /// The value of `If-None-Match`.
  public private(set) var ifNoneMatch: String?
  /// The value of `Accept`.
  public private(set) var accept: String?
  /// The value of `Origin`; empty for several.
  private(set) var origin: String?
  private var fieldByteCount = 0
  /// The value of `Host`; the last one of several.
  public private(set) var host: String?
  private var hostCount = 0
  private var isHostFine = true
  /// Whether there is a field that only the routes understand: a range, a date, a precondition,
  /// several `Accept`.
  private(set) var needsCare = false
  /// Whether content follows.
  public private(set) var hasBody = false
  /// The announced bytes of the content; `nil` for chunks, and for what is not a number.
  public private(set) var bodyByteCount: Int?
  private var traceParent: String?
  private var traceState: String?
  private var isTraceRepeated = false
  /// Whether there is a field by which a cache decides at each request: its directives, the way of the
  /// request, or fields that are named as those of the connection.
  public private(set) var concernsCaches = false
  private(set) var asksForUpgrade = false
  private var needsDate = false

  /// Reads the head of a request.
  public init(_ head: HTTPRequestHead) {
    for (name, value) in head.headers {
      let length = name.utf8.count
      fieldByteCount += length + value.utf8.count + 4
      switch length {
      case 3 where Self.isEqual(name, "via"): concernsCaches = true
      case 4 where Self.isEqual(name, "host"):
        host = value
        hostCount += 1
        isHostFine = isHostFine && Self.isHost(value)
      case 5 where Self.isEqual(name, "range"): needsCare = true
      case 6 where Self.isEqual(name, "pragma") || Self.isEqual(name, "expect"):
        concernsCaches = true
      case 6 where Self.isEqual(name, "origin"): origin = origin == nil ? value : ""
      case 6 where Self.isEqual(name, "accept"):
        if accept != nil { needsCare = true }
        accept = value
      case 7 where Self.isEqual(name, "upgrade"): asksForUpgrade = true
      case 8 where Self.isEqual(name, "if-match") || Self.isEqual(name, "if-range"):
        needsCare = true
      case 10 where Self.isEqual(name, "connection"):
        if !Self.isEqual(value, "keep-alive"), !Self.isEqual(value, "close") {
          concernsCaches = true
        }
      case 10 where Self.isEqual(name, "tracestate"):
        traceState = traceState.map { "\($0),\(value)" } ?? value
      case 11 where Self.isEqual(name, "traceparent"):
        if traceParent != nil { isTraceRepeated = true }
        traceParent = value
      case 13 where Self.isEqual(name, "cache-control"): concernsCaches = true
      case 13 where Self.isEqual(name, "if-none-match"):
        if ifNoneMatch != nil { needsCare = true }
        ifNoneMatch = value
      case 14 where Self.isEqual(name, "content-length"):
        hasBody = hasBody || value != "0"
        bodyByteCount = Int(value)
      case 17 where Self.isEqual(name, "if-modified-since"): needsDate = true
      case 17 where Self.isEqual(name, "transfer-encoding"): hasBody = true
      case 19 where Self.isEqual(name, "if-unmodified-since"): needsCare = true
      default: break
      }
    }
    // A tag goes before a date (RFC 9110 §13.2.2).
    if needsDate, ifNoneMatch == nil { needsCare = true }
  }

  /// The trace context that the client sent; `nil` for none, several, or a malformed one.
  var trace: TraceContext? {
    guard let traceParent, !isTraceRepeated else { return nil }
    return TraceContext(parent: traceParent, state: traceState)
  }

  /// Whether `If-None-Match` must be parsed: a list, a weak tag, or `*`.
  var isListOfTags: Bool {
    guard let ifNoneMatch else { return false }
    return !ifNoneMatch.hasPrefix("\"") || ifNoneMatch.utf8.contains(UInt8(ascii: ","))
  }

  /// The reason to refuse the request regardless of its target; `nil` if there is none. Without a
  /// maximum no body is accepted.
  public func problem(
    _ head: HTTPRequestHead, _ limits: ConnectionLimits, maximumBody: Int = 0
  ) -> Problem? {
    if head.uri.utf8.count > limits.maximumTargetByteCount {
      return Problem(.uriTooLong, "target_too_long", "The request target is too long.")
    }
    if fieldByteCount > limits.maximumFieldByteCount
      || head.headers.count > limits.maximumFieldCount
    {
      return .fieldsTooLarge
    }
    if hasBody, maximumBody == 0 {
      return Problem(.contentTooLarge, "body_refused", "Requests with a body are refused.")
    }
    if hasBody, bodyByteCount ?? .max > maximumBody { return .bodyTooLarge(maximumBody) }
    guard namesHost(in: head.version) else { return .badHost }
    return head.uri.hasPrefix("/") ? nil : .badTarget
  }

  /// Whether the request names one host, which HTTP/1.0 may leave out (RFC 9112 §3.2).
  public func namesHost(in version: HTTPVersion) -> Bool {
    isHostFine && (hostCount == 1 || hostCount == 0 && version == .http1_0)
  }

  /// Whether a value has only characters of a host and port (RFC 3986 §3.2.2); it may be empty.
  private static func isHost(_ value: String) -> Bool {
    value.utf8.allSatisfy { HTTPText.isAlphanumeric($0, or: "-._~%!$&'()*+,;=:[]") }
  }

  private static func isEqual(_ name: String, _ lowercased: StaticString) -> Bool {
    guard name.utf8.count == lowercased.utf8CodeUnitCount else { return false }
    var place = lowercased.utf8Start
    for byte in name.utf8 {
      let folded = byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
      if folded != place.pointee { return false }
      place += 1
    }
    return true
  }
}

extension HTTPRequestHead {
  /// The request with the target in origin form if it came as an absolute URL (RFC 9112 §3.2.2):
  /// the URL's host then replaces that of the field, unless that is repeated or missing, which is
  /// refused.
  var inOriginForm: HTTPRequestHead {
    guard !uri.hasPrefix("/"), let afterScheme = Self.afterScheme(uri) else { return self }
    let end = afterScheme.firstIndex { $0 == "/" || $0 == "?" } ?? afterScheme.endIndex
    guard end > afterScheme.startIndex else { return self }
    let path = afterScheme[end...]
    var head = self
    head.uri = path.hasPrefix("/") ? String(path) : "/" + path
    let hostCount = headers["Host"].count
    if hostCount == 1 || hostCount == 0 && version == .http1_0 {
      head.headers.replaceOrAdd(name: "Host", value: String(afterScheme[..<end]))
    }
    return head
  }

  private static func afterScheme(_ target: String) -> Substring? {
    for scheme in ["http://", "https://"] where target.prefix(scheme.count).lowercased() == scheme {
      return target.dropFirst(scheme.count)
    }
    return nil
  }
}
