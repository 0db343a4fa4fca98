import TextEncodings

#if canImport(Darwin)
  import Foundation
#else
  @_spi(_Unicode) import Swift
#endif

/// Converts any text to a part of a file name that ext4, NTFS, FAT and APFS accept.
enum FileName {
  /// The most bytes of a name: 255 are allowed, and numbers, sizes and an extension follow.
  static let maximumByteCount = 200

  struct Part {
    var text: String
    /// Whether the text is of the template: others are shortened first.
    let isFixed: Bool

    init(_ text: String, isFixed: Bool) {
      self.text = FileName.clean(text)
      self.isFixed = isFixed
    }
  }

  /// Joins parts to a name; `nil` if nothing is left of them that could be seen.
  static func joined(_ parts: [Part]) -> String? {
    var parts = parts
    while true {
      let excess = parts.reduce(0) { $0 + $1.text.utf8.count } - maximumByteCount
      guard excess > 0,
        let longest = parts.indices.filter({ !parts[$0].isFixed && !parts[$0].text.isEmpty })
          .max(by: { parts[$0].text.utf8.count < parts[$1].text.utf8.count })
      else { break }
      let text = parts[longest].text
      parts[longest].text = prefix(of: text, byteCount: text.utf8.count - excess)
    }
    // Parts that meet may compose, and spaces and dots may now be at an end.
    let name = trimmed(prefix(of: clean(parts.map(\.text).joined()), byteCount: maximumByteCount))
    guard name.unicodeScalars.contains(where: isVisible) else { return nil }
    return isReserved(name) ? "_" + name : name
  }

  static func name(of url: String) -> String {
    let path = url.prefix { $0 != "?" && $0 != "#" }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    // Scheme, nothing, host; then the path.
    guard parts.count > 3, let last = parts.last else { return "" }
    let name = String(decoding: PercentEncoding.decoded(last).bytes, as: UTF8.self)
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name }
    return String(name[..<dot])
  }

  /// Replaces what a name cannot hold by spaces, and composes the rest (NFC).
  private static func clean(_ text: String) -> String {
    var kept = String.UnicodeScalarView()
    // Far more than a name can have, so that titles of any length cost the same.
    for scalar in text.unicodeScalars.prefix(8 * maximumByteCount) {
      if reserved.contains(scalar) || isSpace(scalar) {
        if kept.last != " " { kept.append(" ") }
      } else if isKept(scalar) {
        kept.append(scalar)
      }
    }
    return composed(String(kept))
  }

  private static let reserved: Set<Unicode.Scalar> = [
    "<", ">", ":", "\"", "/", "\\", "|", "?", "*",
  ]

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .spaceSeparator, .lineSeparator, .paragraphSeparator: true
    case .control: scalar.properties.isWhitespace
    default: false
    }
  }

  /// Whether a character stays. Of those that are not seen these do: what joins emoji and letters
  /// of Indic scripts, and the tags of flags. Direction marks and the like could disguise a name.
  private static func isKept(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .surrogate, .privateUse, .unassigned: false
    case .format:
      scalar == "\u{200C}" || scalar == "\u{200D}" || (0xE0020...0xE007F).contains(scalar.value)
    default: true
    }
  }

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .format, .spaceSeparator, .nonspacingMark, .spacingMark, .enclosingMark: false
    default: !scalar.properties.isDefaultIgnorableCodePoint
    }
  }

  private static func composed(_ text: String) -> String {
    #if canImport(Darwin)
      return text.precomposedStringWithCanonicalMapping
    #else
      // Foundation's would bring ICU along.
      var scalars = String.UnicodeScalarView()
      for scalar in text._nfc { scalars.append(scalar) }
      return String(scalars)
    #endif
  }

  private static func prefix(of text: String, byteCount: Int) -> String {
    var (end, count) = (text.startIndex, 0)
    while end < text.endIndex {
      count += text[end].utf8.count
      if count > byteCount { break }
      end = text.index(after: end)
    }
    return String(text[..<end])
  }

  /// Without dots, spaces and dashes at the beginning, which hide a file or make it an option, and
  /// dots and spaces at the end, which Windows removes.
  private static func trimmed(_ name: String) -> String {
    let start = name.drop { $0 == "." || $0 == " " || $0 == "-" }
    guard let last = start.lastIndex(where: { $0 != "." && $0 != " " }) else { return "" }
    return String(start[...last])
  }

  private static func isReserved(_ name: String) -> Bool {
    let device = name.prefix { $0 != "." }.uppercased().trimmingWhiteSpace()
    if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"].contains(device) { return true }
    guard device.count == 4, device.hasPrefix("COM") || device.hasPrefix("LPT") else {
      return false
    }
    return "0123456789¹²³".contains(device.suffix(1))
  }
}
