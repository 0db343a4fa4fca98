/// The characters of drawn texts that no installed font has.
public struct MissingGlyphs: Sendable, Hashable {
  /// The number of Chinese, Japanese and Korean ones.
  public internal(set) var eastAsianCount = 0
  /// The number of others, such as emoji.
  public internal(set) var otherCount = 0

  /// A suggestion of fonts to install, as a sentence; `nil` if nothing is missing.
  public var hint: String? {
    if eastAsianCount > 0 {
      return
        "no installed font has \(Self.count(eastAsianCount, "Chinese, Japanese or Korean character")) of the texts; install fonts-noto-cjk or fonts-wqy-microhei (Debian, Ubuntu) or another font that has them"
    }
    if otherCount > 0 {
      return
        "no installed font has \(Self.count(otherCount, "character")) of the texts; fonts-noto-color-emoji (Debian, Ubuntu) has emoji"
    }
    return nil
  }

  private static func count(_ count: Int, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
  }

  /// Whether a character is one that fonts for Chinese, Japanese and Korean have.
  static func isEastAsian(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x11FF, 0x2E80...0x9FFF, 0xAC00...0xD7AF, 0xF900...0xFAFF, 0xFF00...0xFFEF,
      0x20000...0x323AF:
      true
    default: false
    }
  }
}
