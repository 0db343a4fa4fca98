import ImageModel
import Testing

@testable import TerminalGraphics
@testable import TestSupport

/// The emulator that other tests rely on.
@Suite struct `The terminal emulator` {
  @Test func `wide letters take two cells, combining marks none`() {
    var screen = TerminalScreen(columns: 5, rows: 3)

    screen.show("日e\u{301}报加")

    #expect(screen.texts == ["日e\u{301}报", "加"] && screen.column == 2 && screen.unknown == [])
  }

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

  @Test func `where lines are not wrapped again they are cut`() {
    var screen = TerminalScreen(columns: 8, rows: 3)
    screen.show("one\r\nabcdefgh\r\nx")

    screen.resize(columns: 4, rows: 2, reflows: false)

    #expect(screen.texts == ["abcd", "x"] && screen.row == 1)
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

  @Test func `HTML has a span for each run, with its colours, and images`() throws {
    var screen = TerminalScreen(columns: 10, rows: 2)
    screen.showsCursor = false
    screen.show("\u{1B}[1;32ma<b\u{1B}[0m \u{1B}[38;2;1;2;3;48;5;196m▀\u{1B}[0m日\r\n")
    let profile = TerminalProfile(columns: 10, rows: 2, method: .kitty)
    let image = SampleImages.gradient(4, 4)
    screen.show(
      try ImageWriter(profile).bytes(
        image, ImageLayout(image.size, columns: 4, rows: 1, on: profile)))

    let html = screen.html()

    #expect(html.contains("color:#7fc66e;font-weight:bold;\">a&lt;b</span>"))
    #expect(html.contains("linear-gradient(#010203 50%,#ff0000 50%)"))
    #expect(html.contains("<span style=\"width:20px;\">日</span>"))
    #expect(html.contains("<img style=\"left:12px;top:32px;height:20px\" src=\"data:image/png"))
    #expect(!html.contains("\u{1B}"))
  }
}
