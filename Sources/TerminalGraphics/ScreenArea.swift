/// The rows of a terminal that one picture stands on, at the left, with the cursor at their beginning.
///
/// What cannot be said of a protocol, where it leaves the cursor, does not matter: it is saved before and restored
/// after, and the room is made beforehand, so that nothing scrolls in between.
package struct ScreenArea: Sendable, Hashable {
  /// How many rows; fewer than the terminal has.
  package let rows: Int

  package init(rows: Int) { self.rows = max(1, rows) }

  /// Makes the room and goes to its beginning.
  package var opening: [UInt8] {
    Array((String(repeating: "\r\n", count: rows) + "\u{1B}[\(rows)A").utf8)
  }

  /// Draws on it, all at once where the terminal can (mode 2026), and comes back to the beginning.
  package func frame(_ picture: [UInt8]) -> [UInt8] {
    Array("\u{1B}[?2026h\u{1B}7".utf8) + picture + Array("\u{1B}8\u{1B}[?2026l".utf8)
  }

  /// Goes to the row below.
  package var closing: [UInt8] { Array("\u{1B}[\(rows)B\r".utf8) }

  /// Removes it, and what is below; the cursor stays at its beginning.
  package static let erasing = Array("\r\u{1B}[J".utf8)
}
