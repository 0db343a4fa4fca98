import NIOCore
import Testing

@testable import HTTPListening

@Suite struct `The bytes of a head` {
  private enum Found: Equatable {
    case complete(Int)
    case incomplete, malformed
  }

  private func method(_ line: String) -> Found {
    switch HeadBytes.method(in: ByteBuffer(string: line)) {
    case .complete(let count): .complete(count)
    case .incomplete: .incomplete
    case .malformed: .malformed
    }
  }

  @Test func `begin with a method of at most 64 characters, and survive the parser`() {
    // Begin with a method of at most 64 characters.
    let longest = String(repeating: "A", count: 64)
    #expect(method("GET / HTTP/1.1\r\n") == .complete(3))
    #expect(method("a!#$%&'*+-.^_`|~9 /") == .complete(17))
    #expect(method("\(longest) /") == .complete(64))
    #expect(method(longest) == .incomplete)
    #expect(method("\(longest)A") == .malformed)
    #expect(method("") == .incomplete)
    // Survive the way through the parser, whatever they are.
    let all = ByteBuffer(bytes: Array(UInt8.min...UInt8.max))
    let wide = HeadBytes.widened(all)
    #expect(wide.readableBytes == 128 + 2 * 128)
    #expect(String(validating: wide.readableBytesView, as: UTF8.self) != nil)
    #expect(HeadBytes.narrowed(wide) == all)
  }

  @Test(arguments: [
    ("GET /", 3, false), ("DELETE /", 6, false), ("OPTIONS *", 7, false), ("PATCH /", 5, false),
    ("get /", 3, true), ("PURGE /", 5, true), ("M-SEARCH *", 8, true), ("TRACE /", 5, true),
    ("GETS /", 4, true), ("GE /", 2, true),
  ])
  func `have a replaced method if the parser has another name for it`(
    line: String, count: Int, isReplaced: Bool
  ) {
    #expect(HeadBytes.isReplaced(ByteBuffer(string: line), count) == isReplaced)
  }

  @Test(arguments: [
    ("GET / HTTP/1.1\r\nA: b\r\n\r\nrest", 24), ("A\n\nrest", 3), ("A\r\n\nrest", 4),
    ("A\n\r\nrest", 4), ("\r\nrest", 2), ("A\r\nB", 4), ("A\r\r\nB", 5), ("", 0), ("\n", 1),
  ])
  func `end after the first blank line`(text: String, count: Int) {
    #expect(HeadBytes.end(in: ByteBuffer(string: text)) == count)
  }

  @Test(arguments: [("5\r\nhello", 3), ("5", 1), ("", 0), ("\n\n", 1)])
  func `of a chunk end with the line`(text: String, count: Int) {
    #expect(HeadBytes.endOfLine(in: ByteBuffer(string: text)) == count)
  }
}
