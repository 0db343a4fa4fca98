/// The width of text on a terminal, in cells.
public enum TextColumns {
  /// Returns the columns of a text without control characters: two for wide East Asian characters,
  /// none for combining ones.
  ///
  /// Source: Unicode Standard Annex #11; the blocks that matter, not its table.
  public static func count(_ text: some StringProtocol) -> Int {
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

  /// Returns the text, or its beginning and `…` if it does not fit so many columns.
  public static func cut(_ text: some StringProtocol, _ columns: Int) -> String {
    guard count(text) > columns else { return String(text) }
    return columns > 0 ? prefix(text, columns - 1) + "…" : ""
  }

  /// Returns the text, or its beginning, `…` and its end if it does not fit so many columns.
  public static func cutInside(_ text: some StringProtocol, _ columns: Int) -> String {
    guard count(text) > columns else { return String(text) }
    guard columns > 0 else { return "" }
    let end = suffix(text, (columns - 1) / 2)
    return prefix(text, columns - 1 - count(end)) + "…" + end
  }

  private static func suffix(_ text: some StringProtocol, _ columns: Int) -> String {
    var scalars: [Unicode.Scalar] = []
    var used = 0
    for scalar in text.unicodeScalars.reversed() {
      used += width(scalar)
      if used > columns { break }
      scalars.append(scalar)
    }
    return String(String.UnicodeScalarView(scalars.reversed()))
  }

  private static func width(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case 0x300...0x36F, 0x1AB0...0x1AFF, 0x200B...0x200F, 0x20D0...0x20FF, 0xFE00...0xFE0F,
      0xFE20...0xFE2F:
      0
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF,
      0x20000...0x3FFFD:
      2
    default: 1
    }
  }
}
