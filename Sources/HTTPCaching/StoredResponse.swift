public import HTTPTypes
public import ImageModel

/// The metadata of a cached response that the rules of HTTP need: everything but its bytes.
public struct StoredResponse: Sendable, Hashable {
  /// The most variants of one URL that a cache keeps; one more drops the least recently used.
  ///
  /// Each look-up compares all of them with the request, and the origin decides by `Vary` how many
  /// a client can make.
  public static let maximumVariantCount = 64

  /// The status; 206 for a part of a whole.
  public var status: Int
  /// The fields without those of the connection.
  public var fields: HTTPFields
  /// When the request was sent that brought it, or that last confirmed it.
  public var requestTime: Date
  /// When its head arrived.
  public var responseTime: Date
  /// The values of the request's fields that `Vary` names: the text of a ``VaryKey``.
  public var selection: String
  /// The number of stored bytes.
  public var byteCount: Int
  /// The URL that answered, where redirects, an upgrade to https or an alternate led to another than
  /// the one it is stored under; `nil` where none did. A cache in front of the origin must not answer
  /// with it: there the redirect is the response.
  public var effectiveURL: String?
  /// Whether it is stored although the origin forbids that, for use by name: by the rules of HTTP,
  /// each use requires a request to the origin first.
  public var isAlwaysStale = false
  /// The generation of its source in a shared tier under which it was stored; `nil` for one that was
  /// stored without a tier.
  public var generation: TierGeneration?
  /// Of one that came from a shared tier and was not confirmed since: when its origin sent it, which
  /// purges by tag are compared with.
  public var sharedAt: Date?

  /// The selection of a response that matches no request (`Vary: *`). No field has this name.
  static let selectsNothing = "*"

  /// Creates a response.
  public init(
    status: Int, fields: HTTPFields, requestTime: Date, responseTime: Date, selection: String = "",
    byteCount: Int = 0
  ) {
    self.status = status
    self.fields = fields
    self.requestTime = requestTime
    self.responseTime = responseTime
    self.selection = selection
    self.byteCount = byteCount
  }

  /// Returns how it may answer a request, whose selecting fields are not compared; `nil` if that
  /// requires a request to the origin first.
  public func reuse(
    for request: HTTPCacheRequest, at now: Date, profile: CacheProfile
  ) -> LoadFreshness? {
    if request.policy == .reload || request.policy == .revalidate { return nil }
    let use = profile.freshness(of: self).use(at: now, request: request.control)
    if request.policy != .http { return use == .fresh && !isAlwaysStale ? .fresh : .stale }
    let mustWait = use == .staleWhileRevalidating && !request.acceptsRevalidatingMeanwhile
    return isAlwaysStale || mustWait ? nil : use
  }

  /// Whether it may answer requests with other credentials: the origin says `public`.
  package var isForAll: Bool { CacheControl(fields[values: .cacheControl]).isForAll }

  /// Whether it is for requests with these fields (RFC 9111 §4.1).
  public func isSelected(by request: HTTPFields) -> Bool {
    VaryKey(answer: fields, request: request)?.description == selection
  }

  /// Whether it answers a URL, stored under the one that `No-Vary-Search` makes of its own.
  public func answers(_ request: HTTPCacheRequest, storedUnder key: String) -> Bool {
    let url = request.presentedURL ?? key
    guard url == key || NoVarySearch(fields)?.canonical(url) == key else { return false }
    let kept = (VaryKey.names(in: fields) ?? []).intersection(Self.keptApart)
    // Not even its entity tag may select it: the origin may not know that there are several.
    return kept.isSuperset(of: request.selectors)
      && (kept.isEmpty || isSelected(by: request.fields))
  }

  private static let keptApart: Set<String> = ["x-forwarded-host", "x-forwarded-proto"]

  /// The places of those that are for requests with these fields. The key of the request is made
  /// once for each form of `Vary`, as its fields may be long.
  static func selected(among stored: [StoredResponse], by request: HTTPFields) -> [Int] {
    var keys: [[String]: String?] = [:]
    return stored.indices.filter { place in
      let names = stored[place].fields[values: .vary]
      let key = keys[names] ?? VaryKey(answer: stored[place].fields, request: request)?.description
      keys[names] = .some(key)
      return key == stored[place].selection
    }
  }

  var part: HTTPContentRange? {
    status == 206 ? fields[.contentRange].flatMap { HTTPContentRange($0) } : nil
  }

  /// The number of bytes that its `Content-Range` promises; `nil` for a whole.
  public var partByteCount: Int? { part?.bytes.count }

  /// The time in its `Date`, else that of the response: the newest goes first (RFC 9111 §4.1).
  var date: Date {
    fields[values: .date].first.flatMap { HTTPDate.parse($0, now: responseTime) } ?? responseTime
  }
}

extension CacheProfile {
  /// How long a response may be used.
  public func freshness(of response: StoredResponse) -> HTTPFreshness {
    HTTPFreshness(
      status: response.status, headers: response.fields, requestTime: response.requestTime,
      responseTime: response.responseTime, profile: self)
  }
}
