/// The rows of a terminal that one image covers, at the left, with the cursor at their beginning.
///
/// Where a protocol leaves the cursor does not matter: it is saved before and restored after, and
/// the rows are made beforehand, so that nothing scrolls in between.
package struct ScreenArea: Sendable, Hashable {
  /// The number of rows; fewer than the terminal has.
  package let rows: Int

  package init(rows: Int) { self.rows = max(1, rows) }

  /// Makes the rows and moves to their beginning.
  package var opening: [UInt8] {
    Array((String(repeating: "\r\n", count: rows) + "\u{1B}[\(rows)A").utf8)
  }

  /// Draws on the rows, at once where the terminal supports it (mode 2026), and returns to their
  /// beginning.
  package func frame(_ image: [UInt8]) -> [UInt8] {
    Array("\u{1B}[?2026h\u{1B}7".utf8) + image + Array("\u{1B}8\u{1B}[?2026l".utf8)
  }

  /// Moves to the row below.
  package var closing: [UInt8] { Array("\u{1B}[\(rows)B\r".utf8) }

  /// Erases the rows and everything below; the cursor stays at their beginning.
  package static let erasing = Array("\r\u{1B}[J".utf8)
}
