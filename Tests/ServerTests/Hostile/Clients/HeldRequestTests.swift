import Foundation
import Testing

@testable import CachingProxy
@testable import HTTPListening
@testable import ImageModel
@testable import TestSupport

/// Requests whose responses the origin holds back, and the clients that request the same URL.
@Suite struct `A request that the origin holds` {
  private static let head =
    "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 4\r\n\r\n"

  /// Holds requests with `X-Hold` after some bytes, until the gate opens.
  private func origin(after bytes: String, _ gate: Gate) throws -> FaultyOrigin {
    try FaultyOrigin([
      "/a": [
        .custom { request, connection in
          guard request["x-hold"] != nil else { return connection.send(Self.head + "text") }
          connection.send(bytes)
          gate.block()
          return false
        }
      ]
    ])
  }

  private func client(_ proxy: ProxyFixture, _ lines: String = "") throws -> RawClient {
    try proxy.client("GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\(lines)\r\n")
  }

  @Test(arguments: ["", head], [false, true])
  func `does not hold equal requests, which go to the origin after a while`(
    bytes: String, isFirstGone: Bool
  ) async throws {
    let gate = Gate()
    let origin = try origin(after: bytes, gate)
    defer { gate.open() }
    let proxy = try await ProxyFixture(origin: origin.url("")) {
      $0.maximumSharedWait = .milliseconds(300)
    }

    let held = try client(proxy, "X-Hold: 1\r\n")
    await gate.arrivals(1)
    let others = try (0..<4).map { _ in try client(proxy) }
    if isFirstGone { held.end() }
    let answers = try await OffPool.run { try others.map { try $0.answer() } }
    gate.open()
    held.end()

    #expect(answers.map(\.status) == [200, 200, 200, 200])
    #expect(answers.allSatisfy { $0.text == "text" })
  }

  @Test func `or one whose body stopped is not joined after that`() async throws {
    let gate = Gate()
    let origin = try origin(after: Self.head + "te", gate)
    defer { gate.open() }
    let proxy = try await ProxyFixture(origin: origin.url("")) { $0.maximumSharedWait = .zero }

    let held = try client(proxy, "X-Hold: 1\r\n")
    _ = try await OffPool.run { held.read(until: "te") }
    let answer = try await OffPool.run { [self] in try RawAnswer(client(proxy).readBytesToEnd()) }
    gate.open()
    held.end()

    #expect(answer.status == 200 && answer.text == "text")
  }
}
