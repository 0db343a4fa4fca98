public import HTTPTypes
public import ImageModel

/// A stored answer as it is sent to one request: whole, in part, or as a 304 (RFC 9111 §4, §4.3.2;
/// RFC 9110 §13.2.2, §14).
public struct HTTPPresentation: Sendable, Hashable {
  /// The status.
  public var status: Int
  /// The fields.
  public var fields: HTTPFields
  /// Which of the stored bytes follow; `nil` where none do.
  public var body: ByteRangeParts?

  /// Creates the response to a request, whose conditions and range count, from a stored one that
  /// may be used for it; its `Age` is that of now.
  public init(
    _ stored: StoredResponse, for request: HTTPCacheRequest, at now: Date, profile: CacheProfile
  ) {
    status = stored.status
    fields = profile.reusable(stored.fields)
    let age = profile.freshness(of: stored).age(at: now)
    fields[.age] = String(Int(min(age, Double(1 << 31))))
    if (200..<300).contains(stored.status), Self.isKnown(request, stored) {
      (status, fields) = (304, Self.withoutContent(fields))
      return
    }
    body = ByteRangeParts(0..<stored.byteCount)
    if stored.status == 200, Self.rangeApplies(request, to: stored), let ranges = request.ranges {
      selectParts(ranges, of: stored.byteCount)
    } else if let part = stored.part, let total = part.total,
      let wanted = request.range?.resolved(of: total), part.bytes.contains(wanted)
    {
      fields[.contentRange] = HTTPContentRange(bytes: wanted, total: total).description
      let start = part.bytes.lowerBound
      body = ByteRangeParts(wanted.lowerBound - start..<wanted.upperBound - start)
    }
    if let parts = body, Self.hasContent(status) {
      // What a HEAD was told of its length may not be what is at hand; of a 204 nothing is said.
      fields[.contentLength] = String(parts.byteCount)
    }
    if request.method == "HEAD" || !Self.hasContent(status) { body = nil }
  }

  /// Returns the part of a whole response that is arriving for a request whose `Range` the origin
  /// has ignored, or a 416; `nil` where the whole is the response: the length is not known, several
  /// parts are wanted, or the client's part is of another response.
  public static func part(
    of fields: HTTPFields, for request: HTTPCacheRequest
  ) -> HTTPPresentation? {
    let answer = StoredResponse(
      status: 200, fields: fields, requestTime: .distantPast, responseTime: .distantPast)
    guard let ranges = request.ranges, rangeApplies(request, to: answer),
      let count = fields[.contentLength].flatMap({ Int($0) })
    else { return nil }
    var part = HTTPPresentation(status: 200, fields: fields)
    part.selectParts(ranges, of: count)
    guard let body = part.body, body.parts.count <= 1 else { return nil }
    part.fields[.contentLength] = String(body.byteCount)
    return part
  }

  private init(status: Int, fields: HTTPFields) {
    self.status = status
    self.fields = fields
  }

  /// Returns the fields of a 304 for a client that has the response that is arriving; `nil` if it
  /// has another one.
  ///
  /// For a client that sent conditions, when the cache's request had none.
  public static func notModified(
    status: Int, fields: HTTPFields, for request: HTTPCacheRequest
  ) -> HTTPFields? {
    let answer = StoredResponse(
      status: status, fields: fields, requestTime: .distantPast, responseTime: .distantPast)
    return (200..<300).contains(status) && isKnown(request, answer) ? withoutContent(fields) : nil
  }

  /// Whether the requested range may be cut out of this response (RFC 9110 §13.1.5).
  static func rangeApplies(_ request: HTTPCacheRequest, to stored: StoredResponse) -> Bool {
    guard let condition = request.fields[.ifRange] else { return true }
    if condition.hasSuffix("\"") {
      let tags = EntityTag.list(request.fields.valueBytes(.ifRange))
      return stored.entityTag.map { own in tags.contains { $0.stronglyMatches(own) } } ?? false
    }
    // A date that is equal, and strong (§8.8.2.2).
    guard let date = HTTPDate.parse(condition),
      let changed = stored.fields[.lastModified].flatMap({ HTTPDate.parse($0) })
    else { return false }
    return date == changed && stored.date.timeIntervalSince(changed) >= 1
  }

  /// Whether the preconditions `If-Match` and `If-Unmodified-Since` of a request hold (RFC 9110
  /// §13.1.1, §13.1.4); if not, the response is 412. For origins: a cache passes such requests on.
  public static func preconditionsHold(
    _ request: HTTPCacheRequest, for stored: StoredResponse
  ) -> Bool {
    if let matches = stored.matches(request, .ifMatch, { $0.stronglyMatches($1) }) {
      return matches
    }
    guard let since = request.fields[.ifUnmodifiedSince].flatMap({ HTTPDate.parse($0) }),
      let changed = stored.fields[.lastModified].flatMap({ HTTPDate.parse($0) })
    else { return true }
    return changed <= since
  }

  /// Whether the client has this very answer. `If-None-Match` goes before `If-Modified-Since`.
  private static func isKnown(_ request: HTTPCacheRequest, _ stored: StoredResponse) -> Bool {
    guard request.method == "GET" || request.method == "HEAD" else { return false }
    if let matches = stored.matches(request, .ifNoneMatch, { $0.weaklyMatches($1) }) {
      return matches
    }
    guard let since = request.fields[.ifModifiedSince].flatMap({ HTTPDate.parse($0) }) else {
      return false
    }
    let changed = stored.fields[.lastModified] ?? stored.fields[.date]
    guard let changed = changed.flatMap({ HTTPDate.parse($0) }) else { return false }
    return changed <= since
  }

  /// A 304 does not describe bytes that it does not carry (RFC 9110 §15.4.5).
  private static func withoutContent(_ fields: HTTPFields) -> HTTPFields {
    fields.filter { !ofContent.contains($0.name) }
  }

  private static let ofContent: [HTTPField.Name] = [
    .contentLength, .contentType, .contentEncoding, .contentLanguage, .contentRange,
    .transferEncoding,
  ]

  private mutating func selectParts(_ ranges: [HTTPByteRange], of count: Int) {
    let wanted = ByteRangeParts.joined(ranges, of: count)
    guard let first = wanted.first else {
      status = 416
      // Without the stored fields: a cache could reuse the answer for every other range.
      let date = fields[.date]
      fields = [
        .contentRange: HTTPContentRange.unsatisfied(total: count), .cacheControl: "no-store",
      ]
      fields[.date] = date
      body = ByteRangeParts(0..<0)
      return
    }
    status = 206
    if wanted.count == 1 {
      fields[.contentRange] = HTTPContentRange(bytes: first, total: count).description
      body = ByteRangeParts(first)
    } else {
      let parts = ByteRangeParts(wanted, of: count, mediaType: fields[.contentType])
      fields[.contentType] = parts.mediaType
      body = parts
    }
  }

  private static func hasContent(_ status: Int) -> Bool { status != 204 && status != 304 }
}
