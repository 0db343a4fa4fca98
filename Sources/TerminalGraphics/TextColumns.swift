/// The width of text on a terminal, in cells.
public enum TextColumns {
  /// Returns the columns of a text without control characters: two for wide East Asian characters,
  /// none for combining ones.
  ///
  /// Source: Unicode Standard Annex #11; the blocks that matter, not its table.
  static func count(_ text: some StringProtocol) -> Int {
    text.unicodeScalars.reduce(0) { $0 + width($1) }
  }

  /// Returns the beginning of a text that fits so many columns.
  public static func prefix(_ text: some StringProtocol, _ columns: Int) -> String {
    var result = ""
    var used = 0
    for scalar in text.unicodeScalars {
      used += width(scalar)
      if used > columns { break }
      result.unicodeScalars.append(scalar)
    }
    return result
  }

  private static func width(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case 0x300...0x36F, 0x200B...0x200F, 0xFE00...0xFE0F: 0
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF,
      0x20000...0x3FFFD:
      2
    default: 1
    }
  }
}
