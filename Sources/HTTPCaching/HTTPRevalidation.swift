import HTTPTypes
import ImageModel

/// A request of the cache in place of the client's: whether a stored response is still valid.
struct HTTPRevalidation: Sendable, Hashable {
  enum Purpose: Sendable, Hashable {
    /// Confirm the stored answer of that number, which is for this request.
    case confirm(Int)
    /// Find out which stored answer is for a request that none was stored for (RFC 9111 §4.1).
    case select
    /// Fetch the bytes that the stored beginning of that number lacks.
    case complete(Int)
  }

  /// The most entity tags that one question names.
  static let maximumTagCount = 8
  /// The most bytes of validators in one question. Origins refuse a head above 8 KiB, or 4.
  static let maximumValidatorByteCount = 1024

  /// Statuses by which an origin refuses a question: they are about its fields, not the resource.
  static let refusals: Set<Int> = [400, 412, 413, 416, 431]

  let purpose: Purpose
  let nominated: [Int]
  /// The fields to send, which replace the client's of these names.
  let conditions: HTTPFields

  func fields(for request: HTTPCacheRequest) -> HTTPFields {
    var fields = request.fields
    fields[.ifNoneMatch] = nil
    fields[.ifModifiedSince] = nil
    for field in conditions { fields.replace(with: field) }
    return fields
  }
}
