import Foundation
import Testing

@testable import CachingProxy
@testable import ImageModel
@testable import SampleFeed
@testable import TestSupport

/// An origin that closes a kept connection as the next request arrives.
private final class ClosingOrigin: Sendable {
  let origin: FaultyOrigin
  /// How often a request was swallowed.
  let swallowed: Locked<Int>

  /// - Parameters:
  ///   - byReset: Whether it closes by a reset.
  ///   - gate: The gate that responses for `/held` wait for.
  init(byReset: Bool = false, _ gate: Gate = Gate()) throws {
    let known = Locked<[LoopbackConnection]>([])
    let swallowed = Locked(0)
    self.swallowed = swallowed
    let answer = FaultyOrigin.Answer.custom { request, connection in
      let isFirst = known.withLock { known in
        if known.contains(where: { $0 === connection }) { return false }
        known.append(connection)
        return true
      }
      guard isFirst else {
        swallowed.withLock { $0 += 1 }
        if byReset { connection.reset() }
        return false
      }
      if request.path == "/held" { gate.block() }
      return connection.send(
        "HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: 4\r\n\r\ntext")
    }
    origin = try FaultyOrigin(["/a": [answer], "/held": [answer]])
  }
}

@Suite struct `A request that a closed connection swallowed` {
  @Test(arguments: [false, true])
  func `is sent again by the proxy, however often that happens`(byReset: Bool) async throws {
    let closing = try ClosingOrigin(byReset: byReset)
    let proxy = try await ProxyFixture(origin: closing.origin.url(""))

    let statuses = try (0..<20).map { _ in try proxy.get("/a").status }

    #expect(statuses == [Int](repeating: 200, count: 20))
    #expect(closing.swallowed.withLock { $0 } > 0)
  }

  @Test(arguments: ["GET", "HEAD", "DELETE"])
  func `by one kept connection after the other is sent over a new one`(
    method: String
  ) async throws {
    let gate = Gate()
    let closing = try ClosingOrigin(gate)
    let proxy = try await ProxyFixture(origin: closing.origin.url(""))
    let clients = try (0..<12).map { number in
      try proxy.client(
        "GET /held HTTP/1.1\r\nHost: a\r\nAuthorization: Basic \(number)\r\nConnection: close\r\n\r\n"
      )
    }
    await gate.arrivals(12)
    gate.open()
    _ = try await OffPool.run { clients.map { $0.readToEnd() } }

    let answer = try proxy.exchange(method, "/a")

    #expect(answer.status == 200)
    #expect(closing.swallowed.withLock { $0 } > 5)
  }

  @Test(arguments: ["POST", "PATCH", "PUT", "LOCK"])
  func `with a body or an effect was never sent over a kept connection`(
    method: String
  ) async throws {
    let closing = try ClosingOrigin()
    let proxy = try await ProxyFixture(origin: closing.origin.url(""))

    let statuses = try (0..<8).map { _ in try proxy.exchange(method, "/a", body: "body").status }

    #expect(statuses == [Int](repeating: 200, count: 8))
    #expect(closing.swallowed.withLock { $0 } == 0)
    #expect(closing.origin.requests.count == 8)
  }

  @Test func `is not sent again where a new connection is reset as well`() async throws {
    let (proxy, origin) = try await ProxyFixture.start(["/a": [.rawThenReset([])]])

    let answer = try proxy.get("/a")

    #expect(answer.status == 502)
    #expect(origin.requests.count == 1)
  }

  @Test func `is sent again by the fetcher without a retry of its own`() async throws {
    let closing = try ClosingOrigin()
    let fixture = try FetcherFixture()

    for _ in 0..<20 {
      #expect(try await fixture.fetch(closing.origin.url("/a")).body.text == "text")
    }

    #expect(closing.swallowed.withLock { $0 } > 0)
    #expect(fixture.delays.isEmpty)
  }
}
