import Testing

@testable import HTTPListening
@testable import ImageFeeds
@testable import ThumbnailServer

@Suite struct `The search of titles` {
  private func folded(_ text: String) -> String {
    String(decoding: FoldedText.folded(text), as: UTF8.self)
  }

  @Test(arguments: [
    ("ABC", "abc"), ("ＡＢＣ１２３！", "abc123!"), ("ÄÖÜ", "äöü"), ("今天 Today", "今天 today"),
    ("a  \t\n b", "a b"), ("  a", "a"), ("a　b", "a b"), ("a\u{0}\u{1}b", "a b"),
    ("a\u{A0}b", "a b"), ("", ""), (" \t", ""), ("ＺＺ～", "zz~"),
  ])
  func `ignores case, width and the kind of white space`(text: String, result: String) {
    #expect(folded(text) == result)
  }

  @Test func `reads at most 1,000 characters of a title, and words of a text`() {
    // Reads at most 1,000 characters of a title.
    let title = String(repeating: "a", count: 1000) + "b"
    #expect(folded(title) == String(repeating: "a", count: 1000))
    // Splits the text into words.
    #expect(FoldedText.terms(of: " Two　WORDS\n") == [Array("two".utf8), Array("words".utf8)])
    #expect(FoldedText.terms(of: " \n ").isEmpty)
    #expect(FoldedText.folded(title, maximumScalarCount: 2000).count == 1001)
  }

  @Test(arguments: [
    ("abc", "abc", true), ("bc", "abc", true), ("a", "abc", true), ("", "abc", true),
    ("", "", true),
    ("abcd", "abc", false), ("ac", "abc", false), ("aab", "aaab", true), ("x", "", false),
    ("天", "今天", true), ("ba", "ab", false), ("12345678", "012345678", true),
    ("123456789", "0123456789", true), ("123456789", "12345678", false),
    ("123456789", "12345678x 1234567890", true), ("1234567890", "123456789 ", false),
  ])
  func `finds a word anywhere in a title`(part: String, text: String, isFound: Bool) {
    let found = Array(text.utf8).withUnsafeBytes {
      FoldedText.contains(Array(part.utf8), in: $0)
    }
    #expect(found == isFound)
  }

  @Test func `takes a text of 200 characters`() throws {
    let longest = String(repeating: "题", count: 200)

    #expect(try DaySearch(longest, limit: 7).text == longest)
  }

  @Test(arguments: [(nil, 20), ("1", 1), ("100", 100), ("007", 7)])
  func `has a limit of 1 through 100, by default 20`(text: String?, limit: Int) throws {
    #expect(try DaySearch.limit(text) == limit)
  }

  @Test(
    arguments: ["", " ", "\n\t", "　"].map { ("q", $0, "blank") }
      + [("q", String(repeating: "题", count: 200) + "a", "longer than 200 characters")]
      + ["0", "101", "-1", "", "ten", "1.5", " 1", "99999999999999999999"]
      .map { ("limit", $0, "not 1 through 100") })
  func `refuses a blank or long text, and another limit`(
    name: String, value: String, reason: String
  ) {
    let problem = #expect(throws: Problem.self) {
      if name == "q" { _ = try DaySearch(value, limit: 1) } else { _ = try DaySearch.limit(value) }
    }

    #expect(
      problem
        == Problem(.badRequest, "bad_parameter", "The value of the parameter \(name) is \(reason).")
        .about(name))
  }
}
