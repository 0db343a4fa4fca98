import Foundation
import Testing

@testable import TestSupport

/// A method is a token (RFC 9110 §9.1), and any method is forwarded.
@Suite struct `Methods that the parser does not know` {
  static func talk(
    _ pieces: [String]
  ) async throws -> (answers: String, requests: [(method: String, body: String)]) {
    let (proxy, origin) = try await ProxyFixture.start(["/a": [.text("ok")]])
    let client = try RawClient(port: proxy.port)
    let answers = try await OffPool.run {
      for piece in pieces {
        client.send(piece)
        // So that the pieces arrive separately.
        usleep(useconds_t(max(2000, 60_000 / pieces.count)))
      }
      return client.readToEnd()
    }
    return (answers, origin.requests.map { ($0.method, String(decoding: $0.body, as: UTF8.self)) })
  }

  static let end = " /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

  @Test(arguments: [
    "M-SEARCH", "MSEARCH", "FOO", "get", "Post", "PROPFIND", "X", "a!#$%&'*+-.^_`|~9",
    String(repeating: "M", count: 64), "GETS", "TRACE", "QUERY",
  ])
  func `reach the origin unchanged`(method: String) async throws {
    let (answers, requests) = try await Self.talk([method + Self.end])

    #expect(requests.map(\.method) == [method])
    #expect(answers.hasPrefix("HTTP/1.1 200 "))
  }

  @Test(arguments: [
    ["M", "-SEARCH" + end], ["M-SEARCH", end], ["\r\n\r\n", "\r\nM-SEARCH" + end],
    ["\r\nM", "-SEAR", "CH /", "a HTTP/1.1\r", "\nHost: a\r\nConnection: close\r\n\r", "\n"],
    ["\n", "M-SEARCH /a HTTP/1.1\r\nHost: a\r\n", "Connection: close\r\n", "\r\n"],
  ])
  func `may arrive in pieces and after blank lines`(pieces: [String]) async throws {
    let (answers, requests) = try await Self.talk(pieces)

    #expect(requests.map(\.method) == ["M-SEARCH"])
    #expect(answers.hasPrefix("HTTP/1.1 200 "))
  }

  @Test(arguments: [
    String(repeating: "M", count: 65), String(repeating: "M", count: 100_000), "M(", "M\u{e9}",
    "M\"", " GET", "M\t", "",
  ])
  func `are refused where they are long or not tokens`(method: String) async throws {
    let (answers, requests) = try await Self.talk([method + Self.end + "GET" + Self.end])

    #expect(requests.isEmpty)
    #expect(answers.hasPrefix("HTTP/1.1 400 "))
    #expect(answers.components(separatedBy: "HTTP/1.1 ").count == 2)
  }

  @Test func `are found in pipelined requests, and not in bodies`() async throws {
    let body = "FOO /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"
    let row = [
      "FOO /a HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)",
      "BAR /a HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)",
      // Answered by the proxy, which reads the chunks.
      "OPTIONS /a HTTP/1.1\r\nHost: a\r\nMax-Forwards: 0\r\nTransfer-Encoding: chunked\r\n\r\n",
      "\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n0\r\nFOO: a\r\n\r\n",
      "GET /a HTTP/1.1\r\nHost: a\r\nX: M-SEARCH / HTTP/1.1\r\n\r\n",
      "BAZ /a HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", "QUX" + Self.end,
    ]
    let expected = ["FOO", "BAR", "GET", "BAZ", "QUX"]

    for pieces in [[row.joined()], row, row.joined().map { String($0) }.chunked(by: 7)] {
      let (answers, requests) = try await Self.talk(pieces)
      #expect(requests.map(\.method) == expected)
      #expect(requests.prefix(2).map(\.body) == [body, body])
      #expect(answers.components(separatedBy: "HTTP/1.1 200 ").count == 7)
    }
  }
}

extension [String] {
  fileprivate func chunked(by count: Int) -> [String] {
    stride(from: 0, to: self.count, by: count).map {
      self[$0..<Swift.min($0 + count, self.count)].joined()
    }
  }
}
