import Testing

@testable import ImageFeeds
@testable import ImageModel

@Suite struct `JSON of any shape` {
  @Test(arguments: [
    ("", "the response is empty, not JSON"),
    (" \r\n\t", "the response is empty, not JSON"),
    ("<!DOCTYPE html><p>", "the response is HTML, not JSON"),
    ("\u{FEFF}\n<HTML>", "the response is HTML, not JSON"),
    ("<?xml version='1.0'?>", "the response is XML, not JSON"),
    ("<rss></rss>", "the response is XML, not JSON"),
    ("<p>", "the response is markup, not JSON"),
    ("{\"a\":", "the response is damaged or incomplete JSON, not JSON"),
    ("[1, 2", "the response is damaged or incomplete JSON, not JSON"),
    ("a\u{1}b", "the response is binary data, not JSON"),
    (
      "Too many \"requests\"",
      "the response is text that begins with \"Too many \\\"requests\\\"\", not JSON"
    ),
    // At most 32 characters are quoted.
    (
      String(repeating: "x", count: 33),
      "the response is text that begins with \"\(String(repeating: "x", count: 32))\", not JSON"
    ),
  ])
  func `the error describes a response that is not JSON`(text: String, message: String) {
    let error = #expect(throws: ImageError.self) { try ParsedJSON(parsing: Array(text.utf8)) }

    #expect(error?.code == .notJSON)
    #expect(error?.message == message)
  }

  @Test func `invalid UTF-8 becomes a replacement character, and null counts as missing`() throws {
    let bytes = Array(#"{"a":null,"b":false,"title":"a"#.utf8) + [0xFF] + Array("b\"}".utf8)

    let value = try ParsedJSON(parsing: bytes)

    #expect(value["title"]?.text == "a\u{FFFD}b")
    #expect(value["a"] == nil && value["b"] == .bool(false) && value["c"] == nil)
  }

  @Test(
    arguments: [
      ("9722986", "9722986"), (#""9722986""#, "9722986"), ("9722986.0", "9722986"),
      (#""a1""#, "a1"), ("1.5", nil), (#""""#, nil), ("true", nil), ("[1]", nil), ("null", nil),
    ] as [(String, String?)])
  func `a whole number and its text are the same identifier`(json: String, identifier: String?)
    throws
  {
    #expect(try ParsedJSON(parsing: Array(json.utf8)).identifier == identifier)
  }

  @Test(arguments: [
    ("true", true), ("1", true), (#""true""#, true), (#""1""#, true), ("false", false),
    ("0", false), ("2", false), (#""yes""#, false), ("null", false), ("[true]", false),
  ])
  func `only true and 1, also as strings, are true`(json: String, isTrue: Bool) throws {
    #expect(try ParsedJSON(parsing: Array(json.utf8)).isTrue == isTrue)
  }
}
