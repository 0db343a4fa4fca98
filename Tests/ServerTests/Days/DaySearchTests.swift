import Testing

@testable import HTTPListening
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
  }

  @Test(arguments: [
    ("abc", "abc", true), ("bc", "abc", true), ("a", "abc", true), ("", "abc", true),
    ("", "", true),
    ("abcd", "abc", false), ("ac", "abc", false), ("aab", "aaab", true), ("x", "", false),
    ("天", "今天", true), ("ba", "ab", false),
  ])
  func `finds a word anywhere in a title`(part: String, text: String, isFound: Bool) {
    #expect(FoldedText.contains(Array(part.utf8), in: Array(text.utf8)) == isFound)
  }

  @Test(arguments: ["", " ", "\n\t", "　"])
  func `needs a word`(text: String) {
    let problem = #expect(throws: Problem.self) { try DaySearch(text, limit: 1) }

    #expect(
      problem == Problem(.badRequest, "bad_parameter", "The value of the parameter q is blank."))
  }

  @Test func `takes a text of 200 characters, not of 201`() throws {
    let longest = String(repeating: "题", count: 200)

    let problem = #expect(throws: Problem.self) { try DaySearch(longest + "a", limit: 1) }

    #expect(try DaySearch(longest, limit: 7).terms == [Array(longest.utf8)])
    #expect(
      problem
        == Problem(
          .badRequest, "bad_parameter",
          "The value of the parameter q is longer than 200 characters."))
  }

  @Test(arguments: [(nil, 20), ("1", 1), ("100", 100), ("007", 7)])
  func `has a limit of 1 through 100, by default 20`(text: String?, limit: Int) throws {
    #expect(try DaySearch.limit(text) == limit)
  }

  @Test(arguments: ["0", "101", "-1", "", "ten", "1.5", " 1", "99999999999999999999"])
  func `refuses another limit`(text: String) {
    let problem = #expect(throws: Problem.self) { try DaySearch.limit(text) }

    #expect(
      problem
        == Problem(
          .badRequest, "bad_parameter", "The value of the parameter limit is not 1 through 100."))
  }
}
