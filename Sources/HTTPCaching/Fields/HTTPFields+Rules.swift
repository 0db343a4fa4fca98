public import HTTPTypes
import ImageModel

// MARK: Which fields go further, and which are kept (RFC 9110 §7.6.1, RFC 9111 §3.1)

extension HTTPFields {
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
    "date", "etag", "expires", "last-modified", "location", "no-vary-search", "pragma",
    "set-cookie", "vary",
    "www-authenticate",
  ]

  /// The names of fields of one connection or one proxy, with those that `Connection` names, in
  /// lower case.
  public var namesOfConnection: Set<String> {
    var names = Self.ofConnection
    for line in self[values: .connection] {
      for name in line.split(separator: ",") {
        let name = name.trimmingBlanks.lowercased()
        if !Self.ofAnswer.contains(name) { names.insert(name) }
      }
    }
    return names
  }

  /// The fields that are for the other end: without those of the connection and those that
  /// `Connection` names.
  public var endToEnd: HTTPFields {
    let dropped = namesOfConnection
    return filter { !dropped.contains($0.name.canonicalName) }
  }

  /// The request fields that are safe to pass on: without `Proxy` and without names that contain an
  /// underscore.
  ///
  /// CGI and WSGI turn names into variables: `X_Real_IP` would pass for `X-Real-IP`, which an
  /// origin trusts because a proxy in front sets it, and `Proxy` for the variable `HTTP_PROXY`
  /// (CVE-2016-5385). nginx drops the former, too.
  public var safeForOrigin: HTTPFields {
    filter { field in
      field.name.canonicalName != "proxy" && !field.name.canonicalName.utf8.contains(0x5F)
    }
  }

  /// The `Set-Cookie` fields alone: they are for the client that caused them.
  public var cookies: HTTPFields { filter { $0.name == .setCookie } }

}

extension CacheProfile {
  /// The fields of a response that a cache may hand out again: without those that `no-cache` and, in
  /// a shared cache, `private` name (RFC 9111 §5.2.2.4, §5.2.2.7), and its own.
  public func reusable(_ fields: HTTPFields) -> HTTPFields {
    let control = control(of: fields)
    var dropped: Set<String> = []
    if case .fields(let names) = control.noCache { dropped.formUnion(names) }
    if isShared, case .fields(let names) = control.isPrivate { dropped.formUnion(names) }
    if fields.contains(.defaultControl) {
      dropped.insert(HTTPField.Name.defaultControl.canonicalName)
    }
    if dropped.isEmpty { return fields }
    return fields.filter { !dropped.contains($0.name.canonicalName) }
  }
}

extension HTTPField.Name {
  /// A stored response's directives where the origin gives none: `max-age`, `stale-while-revalidate`
  /// and `stale-if-error`. A cache adds it by its own rules; no origin's is read, and no client gets
  /// it.
  public static let defaultControl = known("Imgcache-Default-Control")

  private static func known(_ name: String) -> HTTPField.Name {
    HTTPField.Name(name) ?? .cacheControl
  }
}
