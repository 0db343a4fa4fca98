import HTTPTypes
import Testing

@testable import DiskCaching

@Suite struct `Stored header fields` {
  private func fields(_ pairs: [(String, String)]) throws -> HTTPFields {
    var fields = HTTPFields()
    for (name, value) in pairs {
      fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
    }
    return fields
  }

  @Test func `are a line each, in their order, names in lower case`() throws {
    let text = HeaderText(
      try fields([
        ("ETag", "\"1\""), ("Cache-Tag", "a"), ("Content-Type", "image/png"), ("Cache-Tag", "b: c"),
      ]))

    #expect(
      text.text == "etag: \"1\"\ncache-tag: a\ncontent-type: image/png\ncache-tag: b: c\n")
    #expect(text.first("cache-tag") == "a")
    #expect(text.values("cache-tag") == ["a", "b: c"])
    #expect(text.first("Cache-Tag") == nil && text.values("age") == [])
  }

  @Test func `are read as they were written, bytes that are not UTF-8 among them`() throws {
    let name = try #require(HTTPField.Name("X-Name"))
    let bytes: [UInt8] = [0x22, 0xE9, 0xFF, 0x80, 0x22]
    var fields = try fields([("X-Plain", "é — ok"), ("X-Empty", "")])
    fields.append(HTTPField(name: name, value: bytes))

    let text = HeaderText(fields)

    #expect(text.text == "x-plain: é — ok\nx-empty: \nx-name: \u{1}\"éÿ\u{80}\"\n")
    let read = text.fields
    #expect(read.map { Array($0.value.utf8) }.prefix(2) == [Array("é — ok".utf8), []])
    let found = read[fields: name].map { $0.withUnsafeBytesOfValue { Array($0) } }
    #expect(found == [bytes])
  }

  @Test(arguments: ["", "no colon\n", "\n\n", "a b: c\n", ": value\n"])
  func `that are not legible are left out`(text: String) {
    #expect(HeaderText(text: text).fields.isEmpty)
  }

  @Test(arguments: [
    ("Cache-Control", "private", true), ("Cache-Control", "no-store", true),
    ("Cache-Control", "PRIVATE, max-age=60", true), ("Cache-Control", "max-age=60", false),
    ("Cache-Control", "public", false), ("X-Note", "private", false),
    ("X-Private", "no-store", false), ("Cache-Control", "privates", false), ("Age", "1", false),
  ])
  func `are private where Cache-Control says so`(name: String, value: String, isPrivate: Bool)
    throws
  {
    #expect(HeaderText(try fields([(name, value)])).saysPrivate == isPrivate)
    #expect(!HeaderText.empty.saysPrivate)
  }
}
