public import HTTPTypes
public import ImageModel

/// The tier's value for a source or a variant: the response of the origin, and the bytes.
public struct TierValue: Sendable, Hashable {
  /// The response; of a variant, that for its source. Its number of bytes is that of the body.
  public var response: StoredResponse
  /// The bytes: of the source as they came, or of the variant.
  public var body: [UInt8]
  /// When it ceases to be fresh.
  public var freshUntil: Date
  /// When it is of no further use, also for revalidation.
  public var staleUntil: Date
  /// The names by which it is purged together with others: visible ASCII without commas; others are
  /// not written.
  public var tags: [String]
  /// The time that purges by tag are compared with: when the origin sent what it is made of. A tier
  /// adjusts it when it writes the value. Default: when the response was received.
  public var currentAt: Date
  /// Further header fields of the writer.
  public var details: HTTPFields

  /// Creates a value.
  public init(
    response: StoredResponse, body: [UInt8], freshUntil: Date, staleUntil: Date,
    tags: [String] = [], details: HTTPFields = [:]
  ) {
    self.response = response
    self.response.byteCount = body.count
    self.body = body
    self.freshUntil = freshUntil
    self.staleUntil = staleUntil
    self.tags = tags
    currentAt = response.responseTime
    self.details = details
  }
}

extension TierValue {
  /// The response as received from the tier, which was asked before: its time is now, with its
  /// present age (RFC 9111 §5.1), as from any cache in front of the origin.
  public func received(_ generation: TierGeneration, asked: Date, at now: Date) -> StoredResponse {
    var response = response
    // The other server may have received it while this one waited for it, or have a faster clock.
    let age = CacheProfile(isShared: true).freshness(of: response).age(
      at: max(asked, response.responseTime))
    response.fields[.age] = String(Int(min(max(0, age).rounded(.up), Double(1 << 31))))
    response.requestTime = asked
    response.responseTime = now
    response.generation = generation
    response.sharedAt = currentAt
    return response
  }
}

extension TierValue: Summarized {
  package var summary: KeyValuePairs<String, Any?> {
    [
      "status": response.status, "fields": response.fields.summary, "body": body.summary,
      "freshUntil": freshUntil, "staleUntil": staleUntil, "tags": tags, "currentAt": currentAt,
      "details": details.summary,
    ]
  }
}
