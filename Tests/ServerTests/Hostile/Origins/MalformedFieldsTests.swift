import Testing

@testable import CachingProxy
@testable import ImagePipeline
@testable import TestSupport

/// Heads that two parsers would interpret differently (RFC 9112 §5).
@Suite struct `An origin with malformed fields` {
  static let ok = "HTTP/1.1 200 OK\r\n"
  static let end = "Content-Length: 2\r\nConnection: close\r\n\r\nok"

  /// Lines after which a response for one client must not reach another.
  static let privateLines = [
    "Cache-Control: max-age=60,\r\n private\r\n", "Cache-Control: max-age=60,\r\n\tprivate\r\n",
    "Cache-Control:\r\n private\r\n", "Cache-Control : private\r\n",
    "Cache-Control\t: max-age=60, private\r\n", "Cache-Control: private\r\nHTTP/x: 1\r\n",
    "Connection: cache-control\r\nCache-Control: max-age=60, private\r\n",
    "Connection: close, Cache-Control\r\nCache-Control: no-store\r\n",
    "Cache-Control: max-age=60, ext=\"a, private\r\n",
    "Cache-Control: max-age=60, ext=\"a\r\nCache-Control: b\", private\r\n",
    "Cache-Control: max-age=60 private\r\n", "Cache-Control: max-age=60; private\r\n",
    "Cache-Control: max-age=60, \"private\"\r\n", "Cache-Control: max-age=60, private=yes\r\n",
    "Cache-Control: max-age=60, private=\"a b\"\r\n",
    "Cache-Control: public, max-age=60, no-store\"\r\n",
    "Cache-Control: private, max-age=60\r\n : \r\n", "Cache-Control: private\r\n:\nX: y\r\n",
  ]

  @Test(arguments: privateLines)
  func `has no private response shared`(lines: String) async throws {
    let origin = try HostileOrigin(Self.ok + lines + Self.end)

    let answers = try await origin.proxied(times: 2)

    #expect(origin.requests.count == 2)
    #expect(answers.allSatisfy { $0["cache-status"]?.contains("stored") != true })
    #expect(answers.allSatisfy { $0.status == 502 || $0.text == "ok" })
  }

  @Test(arguments: [
    "Cache-Control: max-age=60,\r\n public\r\n", "Cache-Control : max-age=60\r\n",
    "X-Folded: a\r\n\t b\r\nCache-Control: max-age=60\r\n",
  ])
  func `has folded lines joined and white space before a colon removed`(
    lines: String
  ) async throws {
    let origin = try HostileOrigin(Self.ok + lines + Self.end)

    let answers = try await origin.proxied(times: 2)

    #expect(origin.requests.count == 1)
    #expect(
      answers.allSatisfy { $0.text == "ok" && $0["cache-control"]?.hasPrefix("max-age=60") == true }
    )
    #expect(answers.allSatisfy { $0["x-folded"].map { $0 == "a b" } ?? true })
  }

  /// Ambiguous heads.
  static let malformed = [
    "X: a\rCache-Control: public\r\n", "X: a\r\n\rContent-Length: 9\r\n", "HTTP/1.1: 1\r\n",
    "HTTP/1.1 200 OK: x\r\n", "No Token: 1\r\n", ": empty\r\n", "Caf\u{e9}: 1\r\n",
    " X: folded\r\n", "X\u{1}: 1\r\n", "no colon\r\n",
  ]

  @Test(arguments: malformed)
  func `is an error`(lines: String) async throws {
    let origin = try HostileOrigin(Self.ok + lines + Self.end)

    let (error, status) = try await origin.refusals()

    #expect(error?.code == .protocolError, "\(error?.message ?? "no error")")
    #expect(status == 502)
  }

  @Test(arguments: ["a:\n", "a:\r\n"])
  func `is an error where it has more fields than any response needs`(line: String) async throws {
    let origin = try HostileOrigin(Self.ok + String(repeating: line, count: 40_000) + Self.end)

    let (error, status) = try await origin.refusals()

    #expect(error?.code == .protocolError)
    #expect(error?.message.contains("1000 header fields") == true)
    #expect(status == 502)
  }

  @Test func `is not followed where its redirect is malformed`() async throws {
    let origin = try HostileOrigin(
      "HTTP/1.1 302 Found\r\nLocation: /other\r\nHTTP/1.1: 1\r\nContent-Length: 0\r\n\r\n")

    let error = try await FetcherFixture().failure(of: origin.url())

    #expect(error?.code == .protocolError)
    #expect(origin.requests.count == 1)
  }

  @Test func `is not waited for when it switches protocols unasked`() async throws {
    let origin = try HostileOrigin { _, client in
      client.send("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")
      client.waitForClose()
    }

    let (error, status) = try await origin.refusals()

    #expect(error?.code == .protocolError)
    #expect(error?.message.contains("101") == true)
    #expect(status == 502)
  }
}
