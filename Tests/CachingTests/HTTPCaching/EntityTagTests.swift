import Testing

@testable import HTTPCaching

@Suite struct `An entity tag` {
  private func tag(_ text: String) -> EntityTag { EntityTag(Array(text.utf8)) }

  private func list(_ lines: String...) -> [EntityTag] {
    EntityTag.list(lines.map { Array($0.utf8) })
  }

  /// The examples of RFC 9110 §8.8.3.2.
  @Test(arguments: [
    ("W/\"1\"", "W/\"1\"", false, true), ("W/\"1\"", "W/\"2\"", false, false),
    ("W/\"1\"", "\"1\"", false, true), ("\"1\"", "\"1\"", true, true),
  ])
  func `is compared as RFC 9110 says`(one: String, other: String, strong: Bool, weak: Bool) {
    #expect(tag(one).stronglyMatches(tag(other)) == strong)
    #expect(tag(other).stronglyMatches(tag(one)) == strong)
    #expect(tag(one).weaklyMatches(tag(other)) == weak)
    #expect(tag(other).weaklyMatches(tag(one)) == weak)
  }

  @Test func `is weak only after a W in upper case`() {
    #expect(tag("W/\"1\"").isWeak)
    #expect(!tag("w/\"1\"").isWeak)
    #expect(!tag("w/\"1\"").weaklyMatches(tag("\"1\"")))
  }

  @Test func `is compared byte for byte, whether or not it is UTF-8`() {
    let one = EntityTag([0x22, 0xFF, 0x22])
    let other = EntityTag([0x22, 0xFE, 0x22])

    #expect(one.stronglyMatches(EntityTag([0x22, 0xFF, 0x22])))
    #expect(!one.weaklyMatches(other))
    // One letter in two Unicode spellings.
    #expect(!tag("\"\u{E9}\"").weaklyMatches(tag("\"e\u{301}\"")))
  }

  @Test func `is read from a list of one or several lines`() {
    #expect(list("\"a\", W/\"b\"", " \"c\"\t") == [tag("\"a\""), tag("W/\"b\""), tag("\"c\"")])
  }

  @Test func `may contain a comma inside its quotes`() {
    #expect(list("\"a,b\",\"c\"") == [tag("\"a,b\""), tag("\"c\"")])
  }

  @Test(arguments: ["", " ", ",", " , ,\t"])
  func `is absent from a list without members`(line: String) {
    #expect(list(line) == [])
  }

  @Test func `of any response is an asterisk without quotes`() {
    #expect(list("*") == [.any])
    #expect(list("\"*\"") != [.any])
  }
}
