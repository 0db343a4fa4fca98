import HTTPTypes
import ImageModel

/// Asking whether a stored answer still holds, and taking in the word that it does: RFC 9111 §4.3.
enum HTTPValidation {
  /// The fields of a conditional request for a stored answer; empty when it has no validator, or
  /// only an entity tag above 1 KiB, which an origin may refuse.
  static func conditions(for stored: HTTPFields) -> HTTPFields {
    var fields = HTTPFields()
    if let tag = stored.valueBytes(.eTag).first,
      tag.count <= HTTPRevalidation.maximumValidatorByteCount
    {
      fields.append(HTTPField(name: .ifNoneMatch, value: tag))
    }
    if let changed = stored[.lastModified] { fields[.ifModifiedSince] = changed }
    return fields
  }

  /// The validator that a later range request may rely on (RFC 9110 §13.1.5): a strong `ETag`, else
  /// a `Last-Modified` at least a second older than the answer's `Date`; `nil` when there is none.
  static func strongValidator(of stored: HTTPFields) -> String? {
    if let tag = stored[.eTag] { return tag.hasPrefix("\"") ? tag : nil }
    guard let changed = stored[.lastModified], let moment = HTTPDate.parse(changed),
      let date = stored[.date].flatMap({ HTTPDate.parse($0) }), date.timeIntervalSince(moment) >= 1
    else { return nil }
    return changed
  }

  /// Returns the nominated response that a 304 selects (RFC 9111 §4.3.4), and so confirms.
  static func selected(
    by notModified: HTTPFields, among stored: [StoredResponse], nominated: [Int]
  ) -> Int? {
    func newest(_ matches: (StoredResponse) -> Bool) -> Int? {
      nominated.filter { matches(stored[$0]) }.max { stored[$0].date < stored[$1].date }
    }
    if let tag = notModified.valueBytes(.eTag).first.map({ EntityTag($0) }) {
      return newest { answer in
        answer.entityTag.map { own in
          tag.isWeak ? own.weaklyMatches(tag) : own.stronglyMatches(tag)
        } ?? false
      }
    }
    if let changed = notModified[.lastModified],
      let found = newest({ $0.fields[.lastModified] == changed })
    {
      return found
    }
    // Without a validator it can only be about the one that was asked about.
    return nominated.count == 1 && notModified[.lastModified] == nil ? nominated[0] : nil
  }

  /// A stored answer's fields after a 304: those of the 304 replace their namesakes (RFC 9111
  /// §3.2), except those that describe the bytes at hand. The age is that of the 304 alone.
  ///
  /// Repeated, that could add fields without end: beyond 1,000 only new and kept ones are left.
  static func merge(_ stored: HTTPFields, with notModified: HTTPFields) -> HTTPFields {
    let new = notModified.filter { !kept.contains($0.name) }
    let replaced = Set(new.map(\.name))
    var rest = stored.filter { $0.name != .age && !replaced.contains($0.name) }
    if rest.count + new.count > maximumFieldCount { rest = rest.filter { kept.contains($0.name) } }
    return HTTPFields(rest + new)
  }

  private static let maximumFieldCount = 1000

  private static let kept: Set<HTTPField.Name> = [
    .contentLength, .contentEncoding, .contentType, .contentRange, .transferEncoding, .connection,
    .trailer, .upgrade,
  ]
}
