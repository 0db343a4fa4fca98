import NIOHTTP1

/// What the front handler has to know of a request's fields, found in one pass.
struct RequestFacts {
  private(set) var ifNoneMatch: String?
  private(set) var accept: String?
  private(set) var fieldByteCount = 0
  /// The value of `Host`; the last one of several.
  private(set) var host: String?
  private(set) var hostCount = 0
  private(set) var isHostFine = true
  /// Whether a field is there that only the routes understand: a range, a date, a precondition,
  /// several `Accept`.
  private(set) var needsCare = false
  private(set) var hasBody = false

  init(_ head: HTTPRequestHead) {
    for (name, value) in head.headers {
      let length = name.utf8.count
      fieldByteCount += length + value.utf8.count + 4
      switch length {
      case 4 where Self.isEqual(name, "host"):
        host = value
        hostCount += 1
        isHostFine = isHostFine && Self.isHost(value)
      case 5 where Self.isEqual(name, "range"): needsCare = true
      case 6 where Self.isEqual(name, "accept"):
        if accept != nil { needsCare = true }
        accept = value
      case 8 where Self.isEqual(name, "if-match") || Self.isEqual(name, "if-range"):
        needsCare = true
      case 13 where Self.isEqual(name, "if-none-match"):
        if ifNoneMatch != nil { needsCare = true }
        ifNoneMatch = value
      case 14 where Self.isEqual(name, "content-length"): hasBody = hasBody || value != "0"
      case 17 where Self.isEqual(name, "if-modified-since"): needsDate = true
      case 17 where Self.isEqual(name, "transfer-encoding"): hasBody = true
      case 19 where Self.isEqual(name, "if-unmodified-since"): needsCare = true
      default: break
      }
    }
    // A tag goes before a date (RFC 9110 §13.2.2).
    if needsDate, ifNoneMatch == nil { needsCare = true }
  }

  private var needsDate = false

  /// Whether the tag of `If-None-Match` has to be taken apart: a list, a weak one, or any.
  var isListOfTags: Bool {
    guard let ifNoneMatch else { return false }
    return !ifNoneMatch.hasPrefix("\"") || ifNoneMatch.utf8.contains(UInt8(ascii: ","))
  }

  /// Why the request is refused whatever it asks for; `nil` where it is not.
  func problem(_ head: HTTPRequestHead, _ limits: ConnectionLimits) -> Problem? {
    if head.uri.utf8.count > limits.maximumTargetByteCount {
      return Problem(.uriTooLong, "target_too_long", "The request target is too long.")
    }
    if fieldByteCount > limits.maximumFieldByteCount
      || head.headers.count > limits.maximumFieldCount
    {
      return Problem(
        .requestHeaderFieldsTooLarge, "fields_too_large", "The request's head is too large.")
    }
    if hasBody {
      return Problem(.contentTooLarge, "body_refused", "Requests with a body are refused.")
    }
    if !namesHost(in: head.version) {
      return Problem(.badRequest, "bad_host", "A request names one host.")
    }
    if !head.uri.hasPrefix("/") {
      return Problem(.badRequest, "bad_target", "The request target is no path.")
    }
    return nil
  }

  /// Whether the request names one host, which HTTP/1.0 may leave out (RFC 9112 §3.2).
  func namesHost(in version: HTTPVersion) -> Bool {
    isHostFine && (hostCount == 1 || hostCount == 0 && version == .http1_0)
  }

  /// Whether a value has only what a host and its port may be made of (RFC 3986 §3.2.2); it may be
  /// empty.
  private static func isHost(_ value: String) -> Bool {
    value.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"):
        true
      default: "-._~%!$&'()*+,;=:[]".utf8.contains(byte)
      }
    }
  }

  private static func isEqual(_ name: String, _ lowercased: StaticString) -> Bool {
    var place = lowercased.utf8Start
    for byte in name.utf8 {
      let folded = byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
      if folded != place.pointee { return false }
      place += 1
    }
    return true
  }
}
