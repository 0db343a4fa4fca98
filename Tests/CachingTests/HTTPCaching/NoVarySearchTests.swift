import HTTPTypes
import Testing

@testable import HTTPCaching

/// `No-Vary-Search`, by the examples of draft-ietf-httpbis-no-vary-search-10.
@Suite struct `No-Vary-Search` {
  private func read(_ text: String) throws -> NoVarySearch? {
    NoVarySearch([try #require(HTTPField.Name("No-Vary-Search")): text])
  }

  private func canonical(_ text: String, _ query: String) throws -> String {
    try #require(try read(text)).canonical("https://a.test/p\(query)")
      .replacing("https://a.test/p", with: "")
  }

  @Test(arguments: [
    #"key-order="not a boolean""#, #"params="not an inner list""#, "params=(not-a-string)",
    "params=?0", "params=?1", #"params=?1, except=("x")"#, #"params=("a"), except=("x")"#,
    "params=(), except=()", #"except="not an inner list""#, "except=(not-a-string)", "except=?1",
    "params=()", "key-order=?0", "", "params=(", #"params=("a" 1)"#, "key-order=()", "other=1",
    #"key-order=1, params=("a")"#,
  ])
  func `counts as none where it says nothing, or nothing valid`(text: String) throws {
    #expect(try read(text) == nil)
  }

  @Test(arguments: [
    (#"params=("utm")"#, "?utm=1&a=2&utm=3", "?a=2"), (#"params=("a")"#, "?a=1", ""),
    (#"params=("a")"#, "?", ""), (#"params=("a")"#, "", ""),
    (#"except=("id")"#, "?x=1&id=2&y=3", "?id=2"), ("except=()", "?x=1&y", ""),
    ("key-order", "?b=1&a=2&b=0", "?a=2&b=1&b=0"), ("key-order=?1", "?b&a", "?a=&b="),
    (#"except=("x"), key-order"#, "?x=2&y=1&x=1", "?x=2&x=1"),
    (#"params=("%C3%A9+%E6%B0%97")"#, "?%C3%A9%20%E6%B0%97=3&a", "?a="),
    (#"params=("a"), unknown=1"#, "?a&b", "?b="), (#"params=("x")"#, "?a=x", "?a=x"),
    (#"params=("x")"#, "?%61=%78", "?a=x"), (#"params=("x")"#, "?a=%f6", "?a=%EF%BF%BD"),
    (#"params=("x")"#, "?a=x&&&&", "?a=x"), (#"params=("x")"#, "?a", "?a="),
    (#"params=("x")"#, "?a=+&b=%20", "?a=%20&b=%20"), (#"params=("x")"#, "?a=1=2", "?a=1%3D2"),
    // Two spellings of é in Unicode are two names.
    (#"params=("%C3%A9")"#, "?e%CC%81=1&%C3%A9=2", "?e%CC%81=1"),
  ])
  func `has one URL for all those that the response answers`(
    text: String, query: String, expected: String
  ) throws {
    let url = try canonical(text, query)
    #expect(url == expected)
    #expect(try canonical(text, expected) == expected)
  }

  @Test func `is none where it is long`() throws {
    let names = (0..<2000).map { "\"n\($0)\"" }.joined(separator: " ")
    #expect(try read("params=(\(names))") == nil)
  }
}
