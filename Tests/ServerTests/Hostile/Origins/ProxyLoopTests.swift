import Foundation
import Testing

@testable import CachingProxy
@testable import ImageFeeds
@testable import ImagePipeline
@testable import TestSupport

@Suite struct `Proxies in a loop` {
  static func origin(_ port: ReservedPort) -> String { "http://127.0.0.1:\(port.number)" }

  @Test(arguments: ["GET", "HEAD", "POST"])
  func `end at once where a proxy is its own origin`(method: String) async throws {
    let port = try ReservedPort()
    let proxy = try await ProxyFixture(origin: Self.origin(port), port: port.number)

    let answer = try proxy.exchange(method, "/a", body: method == "POST" ? "body" : nil)

    #expect(answer.status == 508)
    #expect(answer["cache-control"] == "no-store")
  }

  @Test(arguments: ["GET", "HEAD", "POST"])
  func `end at once where two are each other's origin, for all clients`(method: String)
    async throws
  {
    let (one, two) = (try ReservedPort(), try ReservedPort())
    let first = try await ProxyFixture(origin: Self.origin(two), port: one.number)
    let second = try await ProxyFixture(origin: Self.origin(one), port: two.number)

    let body = method == "POST" ? "Content-Length: 4\r\n\r\nbody" : "\r\n"
    let clients = try [one, two, one, two, one].map { port in
      let client = try RawClient(port: port.number)
      client.send("\(method) /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\(body)")
      return client
    }
    let answers = try clients.map { try $0.answer() }
    try await first.stop()
    try await second.stop()

    #expect(answers.allSatisfy { $0.status == 508 }, "\(answers.map(\.status))")
  }

  @Test func `are not reported in a chain of proxies`() async throws {
    let origin = try FaultyOrigin(["/a": [.text("page")]])
    let near = try await ProxyFixture(origin: origin.url(""))
    let far = try await ProxyFixture(origin: "http://127.0.0.1:\(near.port)")

    let answer = try far.get("/a", ["Via: 1.1 imgcache (an older version), 1.0 fred"])

    #expect(answer.text == "page")
    let hops = try #require(origin.requests.first?["via"]).split(separator: ",")
    #expect(hops.count == 4)
    #expect(Set(hops).count == 4)
  }

  @Test func `do not make the requests of a chain wait for each other`() async throws {
    let gate = Gate()
    let fields = ["Cache-Control: max-age=60"]
    let origin = try FaultyOrigin([
      "/a": [
        .held([], gate, FaultyOrigin.head(length: 5, fields: fields) + Array("first".utf8)),
        .text("second", fields: fields),
      ]
    ])
    let near = try await ProxyFixture(origin: origin.url(""))
    let far = try await ProxyFixture(origin: "http://127.0.0.1:\(near.port)")
    let client = try near.client("GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    await gate.arrivals(1)

    // The proxy in front does not join the request that the other one has in flight.
    let second = try await OffPool.run { try far.get("/a") }
    gate.open()
    let first = try await OffPool.run { try client.answer() }

    #expect(second.text == "second")
    #expect(first.text == "first")
    #expect(origin.requests.count == 2)
  }

  @Test func `cannot be faked for other clients by a forged Via`() async throws {
    let gate = Gate()
    let head = FaultyOrigin.head(length: 4, fields: ["Cache-Control: max-age=60"])
    let (proxy, _) = try await ProxyFixture.start([
      "/held": [.held([], gate, head + Array("page".utf8))],
      "/a": [.text("page", fields: ["Cache-Control: max-age=60"])],
    ])

    let via = try #require(try proxy.get("/other")["via"])
    let forged = try proxy.get("/a", ["Via: \(via.uppercased())"])
    let next = try proxy.get("/a")
    let waiting = try proxy.client("GET /held HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    await gate.arrivals(1)
    // While an equal request is in flight, the forged one is refused before it could join.
    let joining = try proxy.get("/held", ["Via: \(via)"])
    gate.open()
    let held = try waiting.answer()

    #expect(forged.status == 508)
    #expect(next.text == "page")
    #expect(joining.status == 508)
    #expect(held.text == "page")
  }
}
