import Testing

@testable import ImageModel
@testable import TerminalGraphics
@testable import imgcache

@Suite struct `Text cut to a width` {
  private func text(_ random: inout SplitMix64) -> String {
    let signs = Array("abc de知乎日報한글e\u{301}👍".unicodeScalars)
    var text = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0..<30, using: &random) {
      text.append(signs.randomElement(using: &random) ?? "a")
    }
    return String(text)
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `is never wider, is whole where it fits, and wastes a column at most`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for round in 0..<300 {
      let text = text(&random)
      let columns = Int.random(in: -1...30, using: &random)
      let remark: Comment = "seed \(seed), round \(round): \(text.debugDescription) in \(columns)"
      let whole = TextColumns.count(text)

      let (cut, inside) = (TextColumns.cut(text, columns), TextColumns.cutInside(text, columns))

      guard whole > max(columns, 0) else {
        #expect(columns < 0 || (cut == text && inside == text), remark)
        continue
      }
      for result in [cut, inside] {
        #expect(TextColumns.count(result) <= max(0, columns), remark)
        #expect(columns <= 0 || TextColumns.count(result) >= columns - 1, remark)
        #expect(result.count { $0 == "…" } <= 1, remark)
      }
      #expect(Array(text.unicodeScalars).starts(with: cut.unicodeScalars.dropLast()), remark)
    }
  }

  @Test(arguments: [
    ("abcdefgh", 5, "ab…gh"), ("abcdefgh", 4, "ab…h"), ("abcdefgh", 2, "a…"),
    ("abcdefgh", 1, "…"), ("abcdefgh", 0, ""), ("知乎日报", 5, "知…报"), ("知乎日报", 4, "知…"),
  ])
  func `inside shows the beginning and the end`(text: String, columns: Int, cut: String) {
    #expect(TextColumns.cutInside(text, columns) == cut)
  }
}

@Suite struct `Names that are nearly right` {
  @Test func `are the nearest, of equals the first`() {
    #expect(NearName.of("lsit", among: ["last", "list", "lint"]) == "list")
    #expect(NearName.of("aa", among: ["ab", "ba"]) == "ab")
    for (word, name) in [
      ("prefech", "prefetch"), ("verfiy", "verify"), ("lur", "lru"), ("prefetch", "prefetch"),
      ("concurency", "concurrency"), ("xyzzy", nil), ("", nil), ("a", nil),
    ] {
      #expect(NearName.of(word, among: ["prefetch", "verify", "lru", "rm", "concurrency"]) == name)
    }
    #expect(NearName.of("list", among: [String]()) == nil)
    #expect(NearName.hint("lits", among: ["list"]) == "; did you mean \"list\"?")
  }
}
