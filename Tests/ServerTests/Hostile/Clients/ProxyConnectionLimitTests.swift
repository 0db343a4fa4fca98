import Foundation
import Testing

@testable import CachingProxy
@testable import ImagePipeline
@testable import TestSupport

/// Slow clients of the proxy, clients that read nothing, and many at once.
@Suite(.timeLimit(.minutes(15))) struct `Connection limits of the proxy` {
  private let short = Duration.milliseconds(300)

  @Test func `a slow head, a stalled body and an idle connection are closed`() async throws {
    let (proxy, _) = try await ProxyFixture.start(["/a": [.text("made")]]) { [short] in
      $0.listener.limits.headTime = short
      $0.listener.limits.idleTime = short
    }
    let trickle = try proxy.client("GET /a HTTP/1.1\r\nHo")
    let stalled = try proxy.client(
      "POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nbegin")
    let idle = try RawClient(port: proxy.port)
    let served = try proxy.client("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")

    let rests = try await OffPool.run { [trickle, stalled, idle].map { $0.readToEnd() } }
    let answer = try await OffPool.run { served.readToEnd() }
    // Nor does the origin wait for the rest of the body.
    try await proxy.stop()

    #expect(rests[0].isEmpty && rests[2].isEmpty)
    #expect(!rests[1].hasPrefix("HTTP/1.1 200"))
    #expect(answer.hasPrefix("HTTP/1.1 200"))
  }

  @Test(arguments: ["HTTP/1.1\r\nHost: a\r\nExpect: x", "HTTP/1.0\r\nExpect: 100-continue"])
  func `Expect: 100-continue does not extend the wait for a body`(line: String) async throws {
    let (proxy, _) = try await ProxyFixture.start(["/upload": [.held([], Gate())]]) { [short] in
      $0.listener.limits.idleTime = short
    }
    let stalled = try RawClient(port: proxy.port)

    stalled.send("POST /upload \(line)\r\nContent-Length: 10\r\n\r\n")
    let rest = try await OffPool.run { stalled.readToEnd() }

    #expect(!rest.contains(" 200 "))
  }

  @Test func `a head of more than 128 KiB is refused`() async throws {
    let (proxy, origin) = try await ProxyFixture.start(["/a": [.text("made")]])
    @Sendable func lines(_ count: Int) -> [String] {
      (0..<count).map { "X-\($0): \(String(repeating: "x", count: 1000))" }
    }

    let long = try await OffPool.run { try proxy.get("/a", lines(100)) }
    let tooLong = try RawClient(port: proxy.port)
    let head = lines(200).map { $0 + "\r\n" }.joined()
    tooLong.send("GET /a HTTP/1.1\r\nHost: a\r\n\(head)\r\n")
    let refused = try await OffPool.run { tooLong.readToEnd() }
    try await proxy.stop()

    #expect(long.status == 200)
    #expect(!refused.contains(" 200 "))
    #expect(origin.requests.count == 1)
  }

  @Test func `a response that no client waits for ends with the drain timeout`() async throws {
    let gate = Gate()
    let body = [UInt8](repeating: 0x55, count: 1000)
    let head = FaultyOrigin.head(length: 2000, fields: ["Cache-Control: max-age=100"])
    let (proxy, _) = try await ProxyFixture.start(["/long": [.held(head + body, gate, body)]]) {
      [short] in
      $0.listener.drainTime = short
    }
    let client = try proxy.client("GET /long HTTP/1.1\r\nHost: a\r\n\r\n")
    _ = try await OffPool.run { client.read(until: "UUUU") }
    client.end()
    await Condition.until { proxy.connectionCount == 0 }

    // The origin sends the rest only after the proxy has ended.
    let ending = try await proxy.stop()

    #expect(ending == .drained)
  }

  @Test func `a client that waits for 100 Continue or a slow origin is not cut off`() async throws {
    let gate = Gate()
    let head = FaultyOrigin.head(length: 4)
    let (proxy, _) = try await ProxyFixture.start([
      "/slow": [.held([], gate, head + Array("made".utf8))],
      "/upload": [.held([], gate, head + Array("kept".utf8))],
    ]) { [short] in
      $0.listener.limits.headTime = short
      $0.listener.limits.idleTime = short
    }
    let slow = try proxy.client("GET /slow HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    let upload = try proxy.client(
      "POST /upload HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-continue\r\n"
        + "Content-Length: 5\r\n\r\n")
    let interim = try await OffPool.run {
      let interim = upload.read(until: "100 Continue\r\n\r\n")
      upload.send("bytes")
      return interim
    }
    await gate.arrivals(2)

    // An idle connection that came later has been closed: the others had the same time.
    let idle = try RawClient(port: proxy.port)
    _ = try await OffPool.run { idle.readToEnd() }
    gate.open()
    let answers = try await OffPool.run { [slow.readToEnd(), upload.readToEnd()] }
    try await proxy.stop()

    #expect(interim.hasPrefix("HTTP/1.1 100 "))
    #expect(answers[0].hasSuffix("made"))
    #expect(answers[1].hasSuffix("kept"))
  }
}
