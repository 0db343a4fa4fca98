import Foundation
import Testing

@testable import CachingProxy
@testable import ImageFeeds
@testable import ImagePipeline
@testable import TestSupport

/// The end of a request is unambiguous; an ambiguous one gets one response, and reaches no
/// origin.
@Suite struct `A request with an ambiguous end` {
  static let smuggled = "3\r\nabc\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"

  static func talk(_ lines: String, version: String = "1.1") async throws
    -> (answers: String, requestCount: Int)
  {
    let (proxy, origin) = try await ProxyFixture.start(["/": [.text("ok")]])
    let client = try RawClient(port: proxy.port)
    let answers = try await OffPool.run {
      client.send("POST / HTTP/\(version)\r\nHost: a\r\n\(lines)\r\n\(smuggled)")
      return client.readToEnd()
    }
    try await proxy.stop()
    return (answers, origin.requests.count)
  }

  @Test(arguments: [
    "xchunked", "gzip, chunked", "identity", "chunked;q=1", "\"chunked\"",
  ])
  func `gets one 501, and its connection is closed`(coding: String) async throws {
    let (answers, requestCount) = try await Self.talk("Transfer-Encoding: \(coding)\r\n")

    #expect(answers.hasPrefix("HTTP/1.1 501 "))
    #expect(answers.lowercased().contains("connection: close"))
    #expect(answers.components(separatedBy: "HTTP/1.1").count == 2, "\(answers)")
    #expect(requestCount == 0)
  }

  @Test(arguments: [
    "Transfer-Encoding: chunked, chunked\r\n", "Transfer-Encoding: chunked, gzip\r\n",
    "Content-Length: 3 4\r\n", "Content-Length: +3\r\n", "Content-Length: 3, 3\r\n",
    "Content-Length: 3, 4\r\n", "Content-Length: 3\r\nContent-Length: 4\r\n",
    "Content-Length: -3\r\n", "Content-Length: 0x3\r\n", "Content-Length: 18446744073709551619\r\n",
    "Content-Length : 3\r\n", "Content-Length: 3\r\n 4\r\n", "Transfer-Encoding : chunked\r\n",
    "Transfer-Encoding:\r\n chunked\r\n", "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "X: a\rContent-Length: 3\r\n",
  ])
  func `gets one 400 or 501, and its connection is closed`(lines: String) async throws {
    let (answers, requestCount) = try await Self.talk(lines)

    #expect(answers.hasPrefix("HTTP/1.1 400 ") || answers.hasPrefix("HTTP/1.1 501 "), "\(answers)")
    #expect(answers.components(separatedBy: "HTTP/1.1").count == 2, "\(answers)")
    #expect(requestCount == 0)
  }

  @Test func `has no chunks in HTTP/1.0`() async throws {
    let (answers, requestCount) = try await Self.talk(
      "Transfer-Encoding: chunked\r\n", version: "1.0")

    #expect(answers.hasPrefix("HTTP/1.1 400 "))
    #expect(requestCount == 0)
  }
}
