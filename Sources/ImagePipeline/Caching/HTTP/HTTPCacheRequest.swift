import HTTPTypes

/// A request as the rules of caching see it.
package struct HTTPCacheRequest: Sendable, Hashable {
  /// As it stands in the request line.
  package var method: String
  /// Of both ends, without those of the connection.
  package var fields: HTTPFields
  /// Whether it carries content.
  package var hasBody: Bool

  package init(method: String = "GET", fields: HTTPFields = [:], hasBody: Bool = false) {
    self.method = method
    self.fields = fields
    self.hasBody = hasBody
  }

  /// Its directives, `Pragma` among them.
  package var control: CacheControl { CacheControl(fields) }

  /// Whether a stored answer could do for it at all.
  ///
  /// `If-Match` and `If-Unmodified-Since` are for the origin alone (RFC 9111 §4.3.2).
  package var isAnswerable: Bool {
    (method == "GET" || method == "HEAD") && !hasBody && fields[.ifMatch] == nil
      && fields[.ifUnmodifiedSince] == nil
  }

  /// Whether it changes nothing at the origin (RFC 9110 §9.2.1, and the registry's safe methods). An unknown method
  /// is unsafe.
  package var isSafe: Bool {
    ["GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "REPORT", "SEARCH", "QUERY"].contains(method)
  }

  /// Whether the client has a copy and asks whether it still holds.
  var isConditional: Bool { fields[.ifNoneMatch] != nil || fields[.ifModifiedSince] != nil }

  /// The one range it asks for; `nil` when it asks for the whole, or so that it may be given the whole.
  var range: HTTPByteRange? {
    method == "GET" ? fields[.range].flatMap { HTTPByteRange($0) } : nil
  }
}
