/// An entity tag (RFC 9110 §8.8.3), compared by its opaque part.
package struct EntityTag: Sendable, Hashable {
  /// With its quotes, where it has them.
  package let opaque: String
  let isWeak: Bool

  package init(_ text: String) {
    isWeak = text.hasPrefix("W/")
    opaque = isWeak ? String(text.dropFirst(2)) : text
  }

  /// Equal for the purpose of saving a transfer (§8.8.3.2): byte for byte, and not where bytes were
  /// replaced because they are not UTF-8.
  package func weaklyMatches(_ other: EntityTag) -> Bool {
    opaque.utf8.elementsEqual(other.opaque.utf8) && !opaque.unicodeScalars.contains("\u{FFFD}")
  }

  /// Equal and both strong.
  func stronglyMatches(_ other: EntityTag) -> Bool {
    !isWeak && !other.isWeak && weaklyMatches(other)
  }

  /// The tags of `If-None-Match`: commas inside quotes separate nothing. `*` stands for any.
  package static func list(_ lines: [String]) -> [EntityTag] {
    var tags: [EntityTag] = []
    for line in lines {
      var tag = ""
      var isQuoted = false
      for character in line + "," {
        if character == "\"" { isQuoted.toggle() }
        if character == ",", !isQuoted {
          let text = tag.trimmingBlanks
          if !text.isEmpty { tags.append(EntityTag(text)) }
          tag = ""
        } else {
          tag.append(character)
        }
      }
    }
    return tags
  }
}
