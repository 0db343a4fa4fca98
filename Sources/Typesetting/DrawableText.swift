/// Text of unknown origin as what a canvas sets: one paragraph of bounded length.
enum DrawableText {
  /// The maximum number of characters (Unicode scalars). No line is that long, and the time to set a
  /// text grows with it.
  static let maximumCount = 600

  /// Returns a text with white space in place of control characters and line breaks, and without
  /// the characters that change the direction of what follows.
  static func cleaned(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    var count = 0
    for scalar in text.unicodeScalars {
      if count == maximumCount {
        result.append("…")
        break
      }
      switch scalar.value {
      case 0x200E, 0x200F, 0x061C, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF, 0xFFF9...0xFFFC:
        continue
      case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: result.append(" ")
      default: result.append(scalar)
      }
      count += 1
    }
    return String(result)
  }
}
