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
  /// The time that purges by tag are compared with; a tier sets it when it writes the value. Default:
  /// when the response was received.
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
    return response
  }
}

/// The generation of a source: a random number that a purge replaces, so that what was stored or is
/// being made under another one does not count.
///
/// Random, not counted: a counter that was evicted would begin again, and values from before a purge
/// would count again.
public struct TierGeneration: Sendable, Hashable {
  /// The number; its last bit tells ``isOfPurge``.
  public let number: UInt64

  /// Creates one; `nil` for 0.
  public init?(number: UInt64) {
    guard number > 0 else { return nil }
    self.number = number
  }

  /// A new one.
  ///
  /// - Parameter isOfPurge: Whether a purge sets it. Default: no, it is that of a source of which
  ///   nothing is known.
  public static func random(isOfPurge: Bool = false) -> TierGeneration {
    TierGeneration(bits: UInt64.random(in: 2 ... .max) & ~1 | (isOfPurge ? 1 : 0))
  }

  private init(bits: UInt64) { number = bits }

  /// Reads 16 hexadecimal digits; `nil` for anything else.
  public init?(_ text: String) {
    guard text.utf8.count == 16, let number = UInt64(text, radix: 16) else { return nil }
    self.init(number: number)
  }

  /// Whether a purge has set it: then copies under any other one were purged. Otherwise those under
  /// another one are of a time of which the tier has lost the generations.
  public var isOfPurge: Bool { number & 1 == 1 }

  /// 16 hexadecimal digits.
  public var text: String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
