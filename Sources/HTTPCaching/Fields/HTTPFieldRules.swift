public import HTTPTypes
import ImageModel

/// Which fields go further, and which are kept (RFC 9110 §7.6.1, RFC 9111 §3.1).
public enum HTTPFieldRules {
  /// Fields of one connection, or of one proxy, whether `Connection` names them or not.
  private static let ofConnection: Set<String> = [
    "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info",
    "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
  ]

  /// Fields for all recipients, which `Connection` cannot make fields of one connection (RFC 9110
  /// §7.6.1): without them, an answer would be stored, selected or framed as another one.
  private static let ofAnswer: Set<String> = [
    "age", "cache-control", "cache-group-invalidation", "cache-groups", "cdn-cache-control",
    "content-encoding", "content-length", "content-location", "content-range", "content-type",
    "date", "etag", "expires", "last-modified", "location", "pragma", "set-cookie", "vary",
    "www-authenticate",
  ]

  /// The names of those fields in a message, with those that its `Connection` names, in lower case.
  public static func ofConnection(in fields: HTTPFields) -> Set<String> {
    var names = ofConnection
    for line in fields[values: .connection] {
      for name in line.split(separator: ",") {
        let name = name.trimmingBlanks.lowercased()
        if !ofAnswer.contains(name) { names.insert(name) }
      }
    }
    return names
  }

  /// The fields that are for the other end: without those of the connection and those that
  /// `Connection` names.
  public static func endToEnd(_ fields: HTTPFields) -> HTTPFields {
    let dropped = ofConnection(in: fields)
    return fields.filter { !dropped.contains($0.name.canonicalName) }
  }

  /// The request fields that are safe to pass on: without `Proxy` and without names that contain an
  /// underscore.
  ///
  /// CGI and WSGI turn names into variables: `X_Real_IP` would pass for `X-Real-IP`, which an
  /// origin trusts because a proxy in front sets it, and `Proxy` for the variable `HTTP_PROXY`
  /// (CVE-2016-5385). nginx drops the former, too.
  public static func safeForOrigin(_ fields: HTTPFields) -> HTTPFields {
    fields.filter { field in
      field.name.canonicalName != "proxy" && !field.name.canonicalName.utf8.contains(0x5F)
    }
  }

  /// The `Set-Cookie` fields alone: they are for the client that caused them.
  public static func cookies(of fields: HTTPFields) -> HTTPFields {
    fields.filter { $0.name == .setCookie }
  }

  /// The fields without `Set-Cookie`.
  public static func withoutCookies(_ fields: HTTPFields) -> HTTPFields {
    fields.filter { $0.name != .setCookie }
  }

  /// The fields that a cache may hand out again: also without those that `no-cache` and, in a
  /// shared cache, `private` name (RFC 9111 §5.2.2.4, §5.2.2.7).
  public static func reusable(_ fields: HTTPFields, isShared: Bool) -> HTTPFields {
    let control = HTTPStorability.control(of: fields, isShared: isShared)
    var dropped: Set<String> = []
    if case .fields(let names) = control.noCache { dropped.formUnion(names) }
    if isShared, case .fields(let names) = control.isPrivate { dropped.formUnion(names) }
    if dropped.isEmpty { return fields }
    return fields.filter { !dropped.contains($0.name.canonicalName) }
  }
}
