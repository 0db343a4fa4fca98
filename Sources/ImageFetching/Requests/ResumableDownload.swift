import HTTPTypes
import ImageModel

/// Decides how a broken transfer is resumed: a pure state machine. Source: RFC 9110 §13.1.5, §14.
///
/// Only a strong validator names a version so well that its parts may be joined: a strong `ETag`,
/// or a `Last-Modified` at least a minute older than the answer's `Date` where there is no `ETag`.
struct ResumableDownload: Sendable {
  struct Prefix: Sendable, Hashable {
    var validator: String
    var byteCount: Int
    var expectedByteCount: Int?
  }

  enum Action: Sendable, Hashable {
    /// Append it to the partial body.
    case append
    /// Start again with it, the whole; with a `nil` validator it cannot be resumed.
    case restart(validator: String?)
    /// Discard it and the partial body, and request the whole.
    case askAgain
    /// Return it: it is another response, and the partial body stays.
    case passOn
  }

  private(set) var prefix: Prefix?

  /// Begins with a partial body, if it has bytes and a validator.
  init(prefix: Prefix?) {
    self.prefix = prefix.flatMap { $0.byteCount > 0 && !$0.validator.isEmpty ? $0 : nil }
  }

  /// The range and its condition; empty without a partial body.
  var requestFields: HTTPFields {
    guard let prefix else { return [:] }
    return [.range: "bytes=\(prefix.byteCount)-", .ifRange: prefix.validator]
  }

  mutating func judge(status: Int, fields: HTTPFields) -> Action {
    switch status {
    case 200:
      prefix = nil
      return .restart(validator: Self.validator(in: fields))
    case 206:
      guard let prefix, let range = HTTPContentRange(fields[.contentRange] ?? ""),
        range.bytes.lowerBound == prefix.byteCount,
        range.total == nil || prefix.expectedByteCount == nil
          || range.total == prefix.expectedByteCount,
        fields[.eTag].map({ $0 == prefix.validator || !prefix.validator.hasPrefix("\"") }) ?? true
      else {
        self.prefix = nil
        return .askAgain
      }
      self.prefix?.expectedByteCount = range.total ?? prefix.expectedByteCount
      return .append
    case 416 where prefix != nil:
      prefix = nil
      return .askAgain
    default: return .passOn
    }
  }

  /// Returns the validator with which the body can be resumed; `nil` where there is none.
  static func validator(in fields: HTTPFields) -> String? {
    guard (fields[.contentEncoding] ?? "identity") == "identity" else { return nil }
    if let tag = fields[.eTag] {
      return tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.count > 2 ? tag : nil
    }
    guard let modified = fields[.lastModified], let date = fields[.date],
      let modifiedAt = HTTPDate.parse(modified), let answeredAt = HTTPDate.parse(date),
      answeredAt.timeIntervalSince(modifiedAt) >= 60
    else { return nil }
    return modified
  }
}
