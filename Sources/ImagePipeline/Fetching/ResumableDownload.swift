#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HTTPTypes

/// Decides how a body that broke off is continued: a pure state machine (RFC 9110 §13.1.5, §14).
///
/// Only a strong validator names a version so well that its parts may be joined: a strong `ETag`, or a
/// `Last-Modified` at least a minute older than the answer's `Date` where there is no `ETag`.
struct ResumableDownload: Sendable {
  /// The kept beginning of a body.
  struct Prefix: Sendable, Hashable {
    /// As it stood in the answer.
    var validator: String
    var byteCount: Int
    /// Bytes of the whole; `nil` when unknown.
    var expectedByteCount: Int?
  }

  /// What to do with the body of an answer.
  enum Action: Sendable, Hashable {
    /// It continues the kept beginning.
    case append
    /// It is the whole, of this version; with `nil` its beginning is worth nothing later.
    case restart(validator: String?)
    /// Neither it nor the beginning is of use: forget both, ask for the whole.
    case askAgain
    /// It is not the picture but some other answer; the beginning stays.
    case passOn
  }

  /// What is kept now.
  private(set) var prefix: Prefix?

  /// Begins with what is kept; an empty beginning is none.
  init(prefix: Prefix?) {
    self.prefix = prefix.flatMap { $0.byteCount > 0 && !$0.validator.isEmpty ? $0 : nil }
  }

  /// The bytes asked for, and under which condition; empty without a beginning.
  var requestFields: HTTPFields {
    guard let prefix else { return [:] }
    return [.range: "bytes=\(prefix.byteCount)-", .ifRange: prefix.validator]
  }

  /// Judges an answer by its head.
  mutating func judge(status: Int, fields: HTTPFields) -> Action {
    switch status {
    case 200:
      prefix = nil
      return .restart(validator: Self.validator(in: fields))
    case 206:
      guard let prefix, let range = ContentRange(fields[.contentRange] ?? ""),
        range.first == prefix.byteCount,
        range.total == nil || prefix.expectedByteCount == nil
          || range.total == prefix.expectedByteCount,
        fields[.eTag].map({ $0 == prefix.validator || !prefix.isEntityTag }) ?? true
      else {
        self.prefix = nil
        return .askAgain
      }
      self.prefix?.expectedByteCount = range.total ?? prefix.expectedByteCount
      return .append
    case 416 where prefix != nil:
      prefix = nil
      return .askAgain
    default:
      return .passOn
    }
  }

  /// The validator that a later continuation may rest on; `nil` when there is none.
  static func validator(in fields: HTTPFields) -> String? {
    guard fields[.contentEncoding] == nil || fields[.contentEncoding] == "identity" else {
      return nil
    }
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

extension ResumableDownload.Prefix {
  fileprivate var isEntityTag: Bool { validator.hasPrefix("\"") }
}

/// A `Content-Range` of bytes (RFC 9110 §14.4).
struct ContentRange: Sendable, Hashable {
  /// Positions of the first and the last byte.
  let first: Int
  let last: Int
  /// `nil` for `*`.
  let total: Int?

  /// Reads `bytes 5-9/10`; `nil` for all else.
  init?(_ text: String) {
    let words = text.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let parts = words[1].split(separator: "/")
    guard parts.count == 2 else { return nil }
    let ends = parts[0].split(separator: "-")
    guard ends.count == 2, let first = Int(ends[0]), let last = Int(ends[1]), first <= last,
      parts[1] == "*" || Int(parts[1]).map({ last < $0 }) == true
    else { return nil }
    self.first = first
    self.last = last
    total = Int(parts[1])
  }
}
