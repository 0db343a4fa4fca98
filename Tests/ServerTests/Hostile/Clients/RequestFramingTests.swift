import Foundation
import Testing

@testable import TestSupport

/// The end of a request is unambiguous; an ambiguous one gets one response, and reaches no
/// origin.
@Suite struct `A request with an ambiguous end` {
  private static let smuggled = "3\r\nabc\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"

  private static let unknownCodings = [
    "xchunked", "gzip, chunked", "identity", "chunked;q=1", "\"chunked\"",
  ].map { "Transfer-Encoding: \($0)\r\n" }

  private static let malformed = [
    "Transfer-Encoding: chunked, chunked\r\n", "Transfer-Encoding: chunked, gzip\r\n",
    "Content-Length: 3 4\r\n", "Content-Length: +3\r\n", "Content-Length: 3, 3\r\n",
    "Content-Length: 3, 4\r\n", "Content-Length: 3\r\nContent-Length: 4\r\n",
    "Content-Length: -3\r\n", "Content-Length: 0x3\r\n", "Content-Length: 18446744073709551619\r\n",
    "Content-Length : 3\r\n", "Content-Length: 3\r\n 4\r\n", "Transfer-Encoding : chunked\r\n",
    "Transfer-Encoding:\r\n chunked\r\n", "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "X: a\rContent-Length: 3\r\n",
  ]

  @Test func `gets one 400 or 501, and its connection is closed`() async throws {
    let (proxy, origin) = try await ProxyFixture.start(["/": [.text("ok")]])
    let rows =
      Self.unknownCodings.map { ("1.1", $0, [501]) }
      + Self.malformed.map { ("1.1", $0, [400, 501]) }
      + [("1.0", "Transfer-Encoding: chunked\r\n", [400])]

    for (version, lines, statuses) in rows {
      let client = try proxy.client(
        "POST / HTTP/\(version)\r\nHost: a\r\n\(lines)\r\n\(Self.smuggled)")
      let answers = try await OffPool.run { client.readToEnd() }

      let parts = answers.components(separatedBy: "HTTP/1.1 ")
      #expect(parts.count == 2, "\(lines): \(answers)")
      #expect(parts.last.flatMap { Int($0.prefix(3)) }.map(statuses.contains) == true, "\(answers)")
      #expect(statuses != [501] || answers.lowercased().contains("connection: close"), "\(lines)")
    }
    #expect(origin.requests.isEmpty)
  }
}
