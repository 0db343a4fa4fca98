import Testing

@testable import HTTPCaching

@Suite struct `An entity tag` {
  private func tag(_ text: String) -> EntityTag { EntityTag(Array(text.utf8)) }

  /// The examples of RFC 9110 §8.8.3.2; a `W` in lower case, and one letter in two Unicode
  /// spellings.
  @Test(arguments: [
    ("W/\"1\"", "W/\"1\"", false, true), ("W/\"1\"", "W/\"2\"", false, false),
    ("W/\"1\"", "\"1\"", false, true), ("\"1\"", "\"1\"", true, true),
    ("w/\"1\"", "\"1\"", false, false), ("\"\u{E9}\"", "\"e\u{301}\"", false, false),
  ])
  func `is compared as RFC 9110 says, byte for byte`(
    one: String, other: String, strong: Bool, weak: Bool
  ) {
    #expect(tag(one).stronglyMatches(tag(other)) == strong)
    #expect(tag(other).stronglyMatches(tag(one)) == strong)
    #expect(tag(one).weaklyMatches(tag(other)) == weak)
    #expect(tag(other).weaklyMatches(tag(one)) == weak)
    // Bytes that are not UTF-8.
    let bytes = EntityTag([0x22, 0xFF, 0x22])
    #expect(bytes.stronglyMatches(bytes) && !bytes.weaklyMatches(EntityTag([0x22, 0xFE, 0x22])))
  }

  @Test(
    arguments: [
      (["\"a\", W/\"b\"", " \"c\"\t"], ["\"a\"", "W/\"b\"", "\"c\""]),
      (["\"a,b\",\"c\""], ["\"a,b\"", "\"c\""]), ([""], []), ([" "], []), ([","], []),
      ([" , ,\t"], []), (["\"*\""], ["\"*\""]),
    ] as [([String], [String])])
  func `is read from a list of one or several lines`(lines: [String], tags: [String]) {
    #expect(EntityTag.list(lines.map { Array($0.utf8) }) == tags.map(tag))
  }

  @Test func `of any response is an asterisk without quotes`() {
    #expect(EntityTag.list([Array("*".utf8)]) == [.any])
    #expect(tag("\"*\"") != .any)
  }
}
