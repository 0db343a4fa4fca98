import ImageModel
import Testing

@testable import TerminalGraphics
@testable import TestSupport

/// The emulator that other tests rely on.
@Suite struct `The terminal emulator` {
  @Test func `without automatic wrapping the last cell is written over`() {
    var screen = TerminalScreen(columns: 4, rows: 2)

    screen.show("\u{1B}[?7labcdef\u{1B}[?7h")

    #expect(screen.texts == ["abcf"])
  }

  @Test func `a line that wrapped is wrapped again, with the cursor at its letter`() {
    var screen = TerminalScreen(columns: 8, rows: 4)
    screen.show("one\r\nabcdefghij")

    screen.resize(columns: 4, rows: 4)
    #expect(screen.texts == ["one", "abcd", "efgh", "ij"] && screen.row == 3 && screen.column == 2)
    screen.resize(columns: 3, rows: 3)
    #expect(screen.texts == ["def", "ghi", "j"] && screen.allTexts.first == "one")
    screen.resize(columns: 20, rows: 4)
    #expect(screen.texts == ["one", "abcdefghij"] && screen.row == 1 && screen.column == 10)
  }

  @Test func `characters that a terminal should not get are told`() {
    var screen = TerminalScreen()

    screen.show("a\u{202E}b\u{9B}2J\u{8}")

    #expect(screen.unknown == ["U+202E", "U+9B", "U+8"])
  }

  @Test func `output may arrive in any pieces`() {
    let output = Array(
      "ab\r\n\u{1B}[1;38;2;1;2;3m日🙂e\u{301}\u{1B}[0m\u{1B}[?25l\u{1B}_Ga=T;AAAA\u{1B}\\\u{1B}[Kend"
        .utf8)
    var whole = TerminalScreen(columns: 20, rows: 4)
    whole.show(output)

    var pieces = TerminalScreen(columns: 20, rows: 4)
    for byte in output { pieces.show([byte]) }

    #expect(whole.texts == ["ab", "日🙂e\u{301}end"] && whole.unknown == [])
    #expect(pieces.lines == whole.lines && pieces.commands == whole.commands)
    #expect(pieces.unknown == [] && !pieces.showsCursor && pieces.column == whole.column)
  }
}
