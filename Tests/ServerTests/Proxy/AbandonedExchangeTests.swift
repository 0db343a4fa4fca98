import Foundation
import NIOHTTP1
import Testing

@testable import CachingProxy
@testable import HTTPCaching
@testable import HTTPListening
@testable import TestSupport

/// Requests to the origin whose clients disconnect, fail or differ, through a running proxy.
@Suite struct `Requests of the proxy that others wait for` {
  private func request(_ target: String, _ lines: [String] = []) -> String {
    "GET \(target) HTTP/1.1\r\nHost: a.test\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"
  }

  /// Sends nothing more, and opens a gate once the proxy has closed the connection.
  private func silence(
    after bytes: String = "", _ closed: Gate
  ) -> FaultyOrigin.Answer {
    .custom { _, connection in
      if !bytes.isEmpty { connection.send(bytes) }
      while connection.nextRequest() != nil {}
      closed.open()
      return false
    }
  }

  @Test(arguments: [
    "", "HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: 9\r\n\r\nab",
  ])
  func `end when the last client has left, before and after the head`(bytes: String) async throws {
    let closed = Gate()
    let (fixture, origin) = try await ProxyFixture.start(["/a": [silence(after: bytes, closed)]])
    let clients = try [RawClient(port: fixture.port), RawClient(port: fixture.port)]

    clients[0].send(request("/a"))
    await Condition.until { origin.requests.count == 1 }
    if bytes.isEmpty {
      clients[1].send(request("/a"))
      await Condition.until { fixture.waiterCount == 1 }
    } else {
      _ = try await OffPool.run { clients[0].read(until: "ab") }
    }
    for client in clients { client.end() }

    await closed.wait()
  }

  @Test func `leave nothing in memory once they are answered`() async throws {
    let fields = ["Cache-Control: max-age=60"]
    let (fixture, _) = try await ProxyFixture.start(["/a": [.text("a", fields: fields)]])
    let services = fixture.proxy.services
    weak var former: Flight?
    do {
      let head = HTTPRequestHead(
        version: .http1_1, method: .GET, uri: "/a", headers: ["Host": "a.test"])
      let request = ProxyRequest(
        head, body: RequestBody {}, services.keys, services.forwarded, from: nil)
      let url = request.url
      let flight = services.flights.beginAlone(url)
      former = flight
      await Exchange(
        services: services, request: request,
        question: HTTPCache<StreamingEntry>.Question(request.forCache, url: url), flight: flight,
        hasOwner: false
      ).run()
      guard case .response? = try? await flight.outcome(for: nil) else {
        Issue.record("no response")
        return
      }
    }

    #expect(former == nil)
  }

  @Test func `that changes something is sent whole without its client`() async throws {
    let (arrived, gate) = (Gate(), Gate())
    let (fixture, origin) = try await ProxyFixture.start([
      "/a": [
        .custom { _, connection in
          arrived.open()
          gate.block()
          return connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
      ]
    ])
    let client = try fixture.client(
      "POST /a HTTP/1.1\r\nHost: a.test\r\nContent-Length: 2\r\n\r\nhi")
    await arrived.wait()

    client.end()
    await Condition.until { fixture.connectionCount == 0 }
    gate.open()

    #expect(origin.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["hi"])
  }

  @Test func `and fail for their own reason do not fail the others`() async throws {
    let gate = Gate()
    let (fixture, origin) = try await ProxyFixture.start([
      "/a": [
        .custom { _, _ in
          gate.block()
          return false
        }, .text("a", fields: ["Cache-Control: max-age=60"]),
      ]
    ])
    let clients = try (0..<4).map { _ in try RawClient(port: fixture.port) }
    for (number, client) in clients.enumerated() {
      client.send(request("/a", ["X-Number: \(number)", "Connection: close"]))
      await Condition.until { origin.requests.count == 1 && fixture.waiterCount == number }
    }

    gate.open()
    var statuses: [Int] = []
    for client in clients {
      let bytes = try await OffPool.run { client.readBytesToEnd() }
      statuses.append(try RawAnswer(bytes).status)
    }

    #expect(statuses == [502, 200, 200, 200])
    #expect(origin.requests.count == 2)
  }
}
