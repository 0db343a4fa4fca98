import HTTPTypes
import Testing

@testable import ImageFetching

@Suite struct `The head of a response` {
  static let cases: [(lines: [String], fields: HTTPFields)] = [
    // White space around names and values.
    (["ETag :\t \"1\" \t"], [.eTag: "\"1\""]),
    // Folded lines.
    (["Vary: Accept,", "\t  Cookie", "Age: 1"], [.vary: "Accept, Cookie", .age: "1"]),
    (["Vary:", " Accept"], [.vary: "Accept"]),
    (["Vary: Accept", " ", "Age: 1"], [.vary: "Accept", .age: "1"]),
    // Lines without a colon or with a malformed name.
    (["nonsense", "a b: 1", ": 2", "Age: 1"], [.age: "1"]),
    // One Content-Length where the members are equal, and none beside Transfer-Encoding.
    (["Content-Length: 10, 10"], [.contentLength: "10"]),
    (["Content-Length: 10", "Content-Length: 10"], [.contentLength: "10"]),
    (["Content-Length: 10", "Transfer-Encoding: chunked"], [.transferEncoding: "chunked"]),
    ([], [:]),
  ]

  @Test(arguments: cases.indices, ["\r\n", "\n"])
  func `is read as HTTP defines it, and ends its lines as it likes`(index: Int, end: String) {
    let (lines, fields) = Self.cases[index]
    let head = (["HTTP/1.1 200 OK"] + lines).map { $0 + end }.joined() + end
    #expect(HeadParser.fields(of: Array(head.utf8)) == fields)
  }

  @Test func `has its fields in order, repeated ones included`() {
    let head = "HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nETag: \"1\"\r\nset-cookie:b=2\r\n\r\n"
    let fields = HeadParser.fields(of: Array(head.utf8))

    #expect(fields.map(\.name) == [.setCookie, .eTag, .setCookie])
    #expect(fields.map(\.value) == ["a=1", "\"1\"", "b=2"])
    #expect(HeadParser.fields(of: []).isEmpty)
    #expect(HeadParser.fields(of: Array("HTTP/1.1 200 OK".utf8)).isEmpty)
  }

  @Test func `follows interim heads, each with its own fields, if they are whole`() {
    let heads = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nETag: \"1\"\r\n\r\n"
    let interim = HeadParser.interim(Array(heads.utf8))

    #expect(interim.map(\.status) == [100, 103])
    #expect(interim.map(\.fields) == [[:], [.eTag: "\"1\""]])
    #expect(HeadParser.interim(Array("HTTP/1.1 103 Early Hints\r\nETag: \"1\"".utf8)).isEmpty)
    #expect(HeadParser.interim([]).isEmpty)
  }
}
