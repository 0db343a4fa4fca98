import HTTPTypes
import ImageModel

/// An entity tag (RFC 9110 §8.8.3): its opaque bytes are compared, which need not be UTF-8.
package struct EntityTag: Sendable, Hashable {
  /// `*` of `If-Match` and `If-None-Match`.
  package static let any = EntityTag([UInt8(ascii: "*")])

  package let opaque: [UInt8]
  let isWeak: Bool

  package init(_ bytes: some Collection<UInt8>) {
    isWeak = bytes.starts(with: "W/".utf8)
    opaque = Array(bytes.dropFirst(isWeak ? 2 : 0))
  }

  /// Equal for the purpose of saving a transfer (§8.8.3.2).
  package func weaklyMatches(_ other: EntityTag) -> Bool { opaque == other.opaque }

  func stronglyMatches(_ other: EntityTag) -> Bool {
    !isWeak && !other.isWeak && weaklyMatches(other)
  }

  /// The tags of `If-Match` or `If-None-Match`: commas inside quotes separate nothing.
  package static func list(_ lines: [[UInt8]]) -> [EntityTag] {
    lines.flatMap { line in
      var isQuoted = false
      return line.split { byte in
        if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
        return byte == UInt8(ascii: ",") && !isQuoted
      }.map { HTTPText.withoutBlanks($0) }.filter { !$0.isEmpty }.map { EntityTag($0) }
    }
  }
}

extension StoredResponse {
  var entityTag: EntityTag? { fields.valueBytes(.eTag).first.map { EntityTag($0) } }

  /// Whether one of the tags of `If-Match` or `If-None-Match` matches; `nil` without any tag.
  func matches(
    _ request: HTTPCacheRequest, _ field: HTTPField.Name, _ isEqual: (EntityTag, EntityTag) -> Bool
  ) -> Bool? {
    let tags = EntityTag.list(request.fields.valueBytes(field))
    if tags.isEmpty { return nil }
    return tags.contains(.any)
      || entityTag.map { own in tags.contains { isEqual($0, own) } } ?? false
  }
}
