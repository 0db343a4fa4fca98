public import HTTPTypes
import ImageModel

/// A request that is passed on to an origin as it is.
public struct OriginRequest: Sendable {
  /// Any token.
  public var method: String
  /// The target in the request line: a path with its query, or `*`.
  public var target: String
  /// Without those of the connection, and without `Host` and `Content-Length`.
  public var fields: HTTPFields
  /// Brings the body piece by piece, `nil` at its end; `nil` itself for none.
  public var body: (@Sendable () async throws -> [UInt8]?)?
  /// Bytes of the body; `nil` when that is not known.
  public var bodyByteCount: Int?

  /// Creates a request.
  public init(method: String, target: String, fields: HTTPFields) {
    self.method = method
    self.target = target
    self.fields = fields
  }

  /// Whether a second sending does no harm (RFC 9110 §9.2.2).
  var mayBeRepeated: Bool {
    body == nil && ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(method)
  }

  /// Field lines for libcurl, some replaced by the origin's own: an empty value is spelled with a
  /// semicolon, and what it would add by itself is taken back by a name without a value.
  func lines(replacedBy own: HTTPFields) -> [[UInt8]] {
    var fields = fields
    for field in own { fields.replace(with: field) }
    var lines = fields.map { $0.value.isEmpty ? Array("\($0.name.rawName);".utf8) : $0.line }
    if fields[.accept] == nil { lines.append(Array("Accept:".utf8)) }
    lines.append(Array("Expect:".utf8))
    return lines
  }
}

/// An event from an origin, in this order: interim responses, the head, bytes.
public enum OriginEvent: Sendable {
  /// A 1xx other than 100 and 101.
  case interim(status: Int, fields: HTTPFields)
  /// With at most one `Content-Length`, a number, and none beside `Transfer-Encoding`.
  case head(status: Int, fields: HTTPFields)
  case bytes([UInt8])
}

extension OriginRequest: Summarized {
  package var summary: KeyValuePairs<String, Any?> {
    ["method": method, "target": target, "fields": fields.summary, "bodyByteCount": bodyByteCount]
  }
}

extension OriginEvent: Summarized {
  package var summary: KeyValuePairs<String, Any?> {
    switch self {
    case .interim(let status, let fields): ["interim": status, "fields": fields.summary]
    case .head(let status, let fields): ["head": status, "fields": fields.summary]
    case .bytes(let bytes): ["bytes": bytes.summary]
    }
  }
}
