import HTTPTypes
import ImageModel
import TextEncodings

/// The request fields of one hop: the caller's, those of a resumed body, `Referer`, credentials, and
/// those for the host.
struct RequestFields: Sendable {
  let request: FetchRequest
  var omitsReferer = false

  /// Returns the field lines of a hop. Only the origin of the first one gets `Authorization` and
  /// `Cookie`; `user:password` are for the origin of the hop, unless its URL has others; the fields
  /// for its host replace all others of their names.
  func lines(
    for url: WebURL, first: WebURL, credentials known: String? = nil, range: HTTPFields = [:],
    replacedBy own: HTTPFields = [:]
  ) -> [[UInt8]] {
    var lines = [Array("Accept: */*".utf8)]
    let isSameOrigin = url.origin == first.origin
    let acceptsConditions = request.acceptsConditions(at: url)
    for field in request.headers
    where (isSameOrigin || !Self.credentials.contains(field.name)) && own[field.name] == nil
      && (acceptsConditions || !Self.conditions.contains(field.name))
    {
      if field.name == .accept { lines.removeFirst() }
      lines.append(field.line)
    }
    for field in range { lines.append(field.line) }
    if let referer = referer(for: url), own[.referer] == nil {
      lines.append(Array("Referer: \(referer)".utf8))
    }
    if let credentials = url.credentials ?? known ?? (isSameOrigin ? first.credentials : nil),
      request.headers[.authorization] == nil, own[.authorization] == nil
    {
      lines.append(
        Array("Authorization: Basic \(Base64.encoded(Array(credentials.utf8)))".utf8))
    }
    for field in own {
      if field.name == .accept { lines.removeFirst() }
      lines.append(field.line)
    }
    return lines
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
  private static let credentials: [HTTPField.Name] = [
    .authorization, .cookie, .proxyAuthorization,
  ]
}
