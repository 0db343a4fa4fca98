import HTTPTypes
import ImageModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What the tier keeps of a source or of a variant: the response of the origin, and the bytes.
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
  /// What else its writer tells its readers, by names of header fields.
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
  /// The response as this server has received it from the tier: now, with the age that it has (RFC
  /// 9111 §5.1), as from any cache before the origin.
  ///
  /// - Parameters:
  ///   - generation: The one under which it was found.
  ///   - asked: When the tier was asked.
  public func received(_ generation: TierGeneration, asked: Date, at now: Date) -> StoredResponse {
    var response = response
    let age = response.freshness(isShared: true).age(at: asked)
    response.fields[.age] = String(Int(max(0, age).rounded(.up)))
    response.requestTime = asked
    response.responseTime = now
    response.generation = generation
    response.sharedAt = currentAt
    return response
  }
}
