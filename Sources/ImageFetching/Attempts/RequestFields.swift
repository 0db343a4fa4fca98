import HTTPTypes
import ImageModel
import TextEncodings

/// The request fields of one hop: the caller's, `Referer`, credentials, and those for the host.
struct RequestFields: Sendable {
  let request: FetchRequest
  var omitsReferer = false

  /// Returns the fields of a hop. Only the origin of the first one gets `Authorization` and
  /// `Cookie`; `user:password` are for the origin of the hop, unless its URL has others; the fields
  /// for its host replace all others of their names.
  func fields(
    for url: WebURL, first: WebURL, credentials known: String? = nil,
    replacedBy own: HTTPFields = [:]
  ) -> HTTPFields {
    var fields = HTTPFields()
    if request.headers[.accept] == nil, own[.accept] == nil { fields[.accept] = "*/*" }
    let isSameOrigin = url.origin == first.origin
    let acceptsConditions = request.acceptsConditions(at: url)
    for field in request.headers
    where (isSameOrigin || !Self.credentials.contains(field.name)) && own[field.name] == nil
      && (acceptsConditions || !Self.conditions.contains(field.name))
    {
      fields.append(field)
    }
    if let referer = referer(for: url), own[.referer] == nil {
      fields[.referer] = referer
    }
    if let credentials = url.credentials ?? known ?? (isSameOrigin ? first.credentials : nil),
      request.headers[.authorization] == nil, own[.authorization] == nil
    {
      fields[.authorization] = "Basic \(Base64.encoded(Array(credentials.utf8)))"
    }
    return fields + own
  }

  /// Returns the `Referer` for a URL, if any, that the request does not have itself.
  func referer(for url: WebURL) -> String? {
    guard request.headers[.referer] == nil else { return nil }
    return switch request.referer {
    case .none: nil
    case .exactly(let referer): omitsReferer ? nil : referer
    case .byHost: omitsReferer ? nil : request.hostRules.byHost.value(forHost: url.host)?.referer
    }
  }

  private static let conditions: [HTTPField.Name] = [
    .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince, .ifRange, .range,
  ]
  static let credentials: [HTTPField.Name] = [.authorization, .cookie, .proxyAuthorization]
}
