import Foundation
import Testing

@testable import CachingProxy
@testable import HTTPListening
@testable import ImageModel
@testable import TestSupport

/// Clients of the proxy that hold requests to the origin by sending or reading slowly.
@Suite(.timeLimit(.minutes(5))) struct `Stalled clients of the proxy` {
  /// Answers `GET /a`; sends 9 MB for `/large`, and nothing for an upload.
  private static func origin() throws -> HostileOrigin {
    try HostileOrigin { head, client in
      if head.hasPrefix("GET /large") {
        let body = [UInt8](repeating: 0x55, count: 9 << 20)
        client.send("HTTP/1.1 200 OK\r\nCache-Control: no-store\r\n\r\n")
        client.send(body)
      } else if head.hasPrefix("GET ") {
        client.send(
          "HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: 4\r\n"
            + "Connection: close\r\n\r\nmade")
      } else {
        client.waitForClose()
      }
    }
  }

  private static func proxy(_ origin: HostileOrigin) async throws -> ProxyFixture {
    try await ProxyFixture(origin: origin.url("")) {
      $0.originLimits.maximumExchanges = 4
      $0.originLimits.reservedWithoutBody = 2
      $0.originLimits.waitTime = .milliseconds(100)
    }
  }

  private static func client(_ request: String, _ proxy: ProxyFixture) throws -> RawClient {
    try proxy.client(request, isNarrow: true)
  }

  @Test(arguments: ["Content-Length: 1000", "Transfer-Encoding: chunked"])
  func `leave requests without a body their share of the origin`(frame: String) async throws {
    let origin = try Self.origin()
    let proxy = try await Self.proxy(origin)
    let upload = "POST /upload HTTP/1.1\r\nHost: a\r\n\(frame)\r\n\r\n"
    let held = try (0..<2).map { _ in try Self.client(upload, proxy) }
    await Condition.until { origin.requests.count == 2 }

    let refused = try Self.client(upload, proxy)
    let refusal = try await OffPool.run { refused.read(until: "\r\n\r\n") }
    let read = try await OffPool.run { try proxy.get("/a") }
    for client in held + [refused] { client.end() }
    await Condition.until { proxy.connectionCount == 0 }
    let later = try Self.client(upload, proxy)
    await Condition.until { origin.requests.count == 4 }
    later.end()

    #expect(refusal.hasPrefix("HTTP/1.1 503 "))
    #expect(refusal.lowercased().contains("retry-after: 1\r\n"))
    #expect(refusal.lowercased().contains("cache-control: no-store\r\n"))
    #expect(read.text == "made")
  }

  @Test func `that take all of the origin get others a 503, until they leave`() async throws {
    let origin = try Self.origin()
    let proxy = try await Self.proxy(origin)
    let held = try (0..<4).map {
      try Self.client("GET /large?\($0) HTTP/1.1\r\nHost: a\r\n\r\n", proxy)
    }
    await Condition.until { origin.requests.count == 4 }

    let refused = try await OffPool.run { try ["/a", "/a", "/b"].map { try proxy.get($0) } }
    for client in held { client.end() }
    await Condition.until { proxy.connectionCount == 0 }
    let later = try await OffPool.run { try proxy.get("/a") }

    #expect(refused.map(\.status) == [503, 503, 503])
    #expect(refused.allSatisfy { $0["retry-after"] == "1" })
    #expect(later.text == "made")
  }

  @Test func `get a 504 when the origin takes nothing of what they send`() async throws {
    let gate = Gate()
    let origin = try HostileOrigin { _, _ in gate.block() }
    defer { gate.open() }
    let proxy = try await ProxyFixture(origin: origin.url("")) {
      $0.originLimits.silence = .milliseconds(500)
    }
    let client = try Self.client(
      "POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 50000000\r\n\r\n", proxy)

    async let sending: Void = OffPool.run { client.send(String(repeating: "U", count: 50_000_000)) }
    let answer = try await OffPool.run { client.read(until: "\r\n\r\n") }
    client.end()
    try await sending
    try await proxy.stop()

    #expect(answer.hasPrefix("HTTP/1.1 504 "))
  }

  @Test func `are cut off when they send too slowly`() async throws {
    let origin = try Self.origin()
    let proxy = try await ProxyFixture(origin: origin.url("")) {
      $0.listener.limits.idleTime = .milliseconds(1100)
      $0.listener.limits.minimumByteRate = 1 << 30
    }
    let slow = try Self.client(
      "POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n", proxy)

    // It sends something all the time.
    await Condition.until {
      _ = slow.sendWhatFits([0x55])
      return proxy.connectionCount == 0
    }
  }

  @Test func `are cut off when they read too slowly`() async throws {
    let origin = try Self.origin()
    let proxy = try await ProxyFixture(origin: origin.url("")) {
      $0.listener.limits.writeTime = .milliseconds(1100)
      $0.listener.limits.minimumByteRate = 1 << 30
    }
    let slow = try Self.client("GET /large HTTP/1.0\r\nHost: a\r\n\r\n", proxy)
    let got = Locked((count: 0, isReset: false))

    // It reads something all the time.
    await Condition.until {
      got.withLock { got in
        let (bytes, isReset) = slow.readToReset(atMost: 1000)
        got.count += bytes.count
        got.isReset = got.isReset || isReset
      }
      return proxy.connectionCount == 0
    }
    let (rest, isReset) = try await OffPool.run { slow.readToReset() }
    try await proxy.stop()

    #expect(isReset || got.withLock { $0.isReset })
    #expect(got.withLock { $0.count } + rest.count < 9 << 20)
  }
}
