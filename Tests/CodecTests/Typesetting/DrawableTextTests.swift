import CTypesetting
import ImageCodecs
import Testing

@testable import Typesetting

@Suite struct `Text of unknown origin` {
  @Test(arguments: [
    ("a\u{0}b\u{1F}c\u{7F}d\u{9F}e", "a b c d e"), ("a\r\nb\tc", "a  b c"),
    ("a\u{2028}b\u{2029}c", "a b c"), ("a\u{202E}b\u{2066}c\u{61C}d\u{200F}", "abcd"),
    ("\u{FEFF}a\u{FFFC}", "a"), ("知乎 e\u{301} 👩‍👧", "知乎 e\u{301} 👩‍👧"), ("", ""),
  ])
  func `is one paragraph in the direction of its letters`(text: String, drawn: String) {
    let cleaned = DrawableText.cleaned(text)

    #expect(Array(cleaned.unicodeScalars) == Array(drawn.unicodeScalars))
  }

  @Test func `is cut after 600 characters, with an ellipsis`() {
    let most = String(repeating: "a", count: 600)

    #expect(DrawableText.cleaned(most) == most)
    #expect(DrawableText.cleaned(most + "b") == most + "…")
  }

  @Test func `is not cut for characters that are left out`() {
    let most = String(repeating: "\u{200E}a", count: 600)

    #expect(DrawableText.cleaned(most) == String(repeating: "a", count: 600))
  }
}

@Suite struct `The style of a text` {
  @Test func `is bounded, and does not trap for numbers beyond those of C`() {
    var style = TextStyle(size: 12, weight: .max)
    style.lines = .min
    let without = style.bridged.width
    style.width = -3

    #expect(without == 0 && style.bridged.width == 1)
    #expect(style.bridged.weight == .max && style.bridged.lines == .min)
    #expect([-5, 0.5, 1e9].map { TextStyle(size: $0).bridged.size } == [1, 1, 1000])
  }
}

@Suite struct `Characters that no font has` {
  @Test(arguments: [
    ("知", true), ("あ", true), ("한", true), ("！", true), ("\u{20000}", true), ("a", false),
    ("é", false), ("😀", false), ("\u{10FF}", false), ("\u{323B0}", false),
  ])
  func `are East Asian or others`(text: String, isEastAsian: Bool) throws {
    let scalar = try #require(text.unicodeScalars.first)

    #expect(MissingGlyphs.isEastAsian(scalar) == isEastAsian)
  }

  @Test func `are counted in the hint, the East Asian ones before others`() {
    #expect(
      MissingGlyphs(eastAsianCount: 1, otherCount: 9).hint?
        .hasPrefix("no installed font has 1 Chinese, Japanese or Korean character of the texts;")
        == true)
    #expect(MissingGlyphs(eastAsianCount: 2).hint?.contains("fonts-noto-cjk") == true)
    #expect(
      MissingGlyphs(otherCount: 2).hint
        == "no installed font has 2 characters of the texts; "
        + "fonts-noto-color-emoji (Debian, Ubuntu) has emoji")
  }
}
