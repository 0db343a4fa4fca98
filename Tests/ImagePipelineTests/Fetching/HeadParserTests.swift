import HTTPTypes
import Testing

@testable import ImageFetching

@Suite struct `The head of a response` {
  private func fields(_ lines: String...) -> HTTPFields {
    HeadParser.fields(
      of: Array("HTTP/1.1 200 OK\r\n\(lines.joined(separator: "\r\n"))\r\n\r\n".utf8))
  }

  @Test func `has its fields in order, repeated ones included`() {
    let fields = fields("Set-Cookie: a=1", "ETag: \"1\"", "set-cookie:b=2")

    #expect(fields.map(\.name) == [.setCookie, .eTag, .setCookie])
    #expect(fields.map(\.value) == ["a=1", "\"1\"", "b=2"])
  }

  @Test func `is read without white space around names and values`() {
    #expect(fields("ETag :\t \"1\" \t") == [.eTag: "\"1\""])
  }

  @Test func `may end its lines with a line feed alone`() {
    let head = Array("HTTP/1.1 200 OK\nAge: 1\nETag: \"1\"\n\n".utf8)

    #expect(HeadParser.fields(of: head) == [.age: "1", .eTag: "\"1\""])
  }

  @Test func `has folded lines joined by one space`() {
    #expect(
      fields("Vary: Accept,", "\t  Cookie", "Age: 1") == [.vary: "Accept, Cookie", .age: "1"])
    #expect(fields("Vary:", " Accept") == [.vary: "Accept"])
    #expect(fields("Vary: Accept", " ", "Age: 1") == [.vary: "Accept", .age: "1"])
  }

  @Test func `loses lines without a colon or with a malformed name`() {
    #expect(fields("nonsense", "a b: 1", ": 2", "Age: 1") == [.age: "1"])
  }

  @Test func `has one Content-Length where the members are equal`() {
    #expect(fields("Content-Length: 10, 10") == [.contentLength: "10"])
    #expect(fields("Content-Length: 10", "Content-Length: 10") == [.contentLength: "10"])
  }

  @Test func `has no Content-Length beside Transfer-Encoding`() {
    #expect(
      fields("Content-Length: 10", "Transfer-Encoding: chunked") == [.transferEncoding: "chunked"])
  }

  @Test func `has no fields without lines after the status`() {
    #expect(HeadParser.fields(of: []).isEmpty)
    #expect(HeadParser.fields(of: Array("HTTP/1.1 200 OK".utf8)).isEmpty)
  }

  @Test func `follows interim heads, each with its own fields`() {
    let heads = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nETag: \"1\"\r\n\r\n"

    let interim = HeadParser.interim(Array(heads.utf8))

    #expect(interim.map(\.status) == [100, 103])
    #expect(interim.map(\.fields) == [[:], [.eTag: "\"1\""]])
  }

  @Test func `that is interim and cut short is not reported`() {
    #expect(HeadParser.interim(Array("HTTP/1.1 103 Early Hints\r\nETag: \"1\"".utf8)).isEmpty)
    #expect(HeadParser.interim([]).isEmpty)
  }
}
