import HTTPTypes
import Testing

@testable import ImageFetching
@testable import ImageModel
@testable import TestSupport

/// Gates that set a cookie and redirect to the same URL.
@Suite struct `A cookie of a redirect` {
  private static func gate(_ lines: [String], to place: String = "/") -> FaultyOrigin.Answer {
    .whole([], status: 302, fields: lines.map { "Set-Cookie: \($0)" } + ["Location: \(place)"])
  }

  /// Lets those in that have the cookie.
  private static func gated(by cookie: String) -> FaultyOrigin.Answer {
    .custom { request, connection in
      let isIn = request["cookie"]?.contains(cookie) ?? false
      let head =
        isIn
        ? "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nin"
        : "HTTP/1.1 302 Found\r\nSet-Cookie: \(cookie)\r\nLocation: /\r\nContent-Length: 0\r\n\r\n"
      return connection.send(head)
    }
  }

  @Test func `is sent once more for each fetch, and in no other one`() async throws {
    let origin = try FaultyOrigin([
      "/": [Self.gated(by: "seen=1")], "/other": [.whole([1])],
    ])
    let fixture = try FetcherFixture()

    _ = try await fixture.fetch(origin.url("/"))
    _ = try await fixture.fetch(origin.url("/other"))
    _ = try await fixture.fetch(origin.url("/"))

    #expect(origin.requests.map { $0["cookie"] } == [nil, "seen=1", nil, nil, "seen=1"])
  }

  @Test func `and those before it are one field, the request's own among them`() async throws {
    let origin = try FaultyOrigin([
      "/": [Self.gate(["a=1; Path=/", "b=2; HttpOnly"], to: "/next")],
      "/next": [Self.gate(["a=; Max-Age=0; Path=/", "c=3"], to: "/end")], "/end": [.whole([1])],
    ])

    _ = try await FetcherFixture().fetch(origin.url("/")) { $0.headers[.cookie] = "own=0" }

    let sent = origin.requests.map { request in
      Set((request["cookie"] ?? "").split(separator: ";").map { $0.trimmingBlanks })
    }
    #expect(sent == [["own=0"], ["own=0", "a=1", "b=2"], ["own=0", "b=2", "c=3"]])
    #expect(
      origin.requests.allSatisfy { $0.headers.count { $0.name.lowercased() == "cookie" } <= 1 })
  }

  @Test func `goes only where its path leads`() async throws {
    let origin = try FaultyOrigin([
      "/in/a": [Self.gate(["a=1"], to: "/out")], "/out": [Self.gate(["b=1; Path=/x"], to: "/in/b")],
      "/in/b": [.whole([1])],
    ])

    _ = try await FetcherFixture().fetch(origin.url("/in/a"))

    #expect(origin.requests.map { $0["cookie"] } == [nil, nil, "a=1"])
  }

  @Test(arguments: ["a=1", "a=1; Domain=localhost", "a=1; Domain=0.0.1", "a=1; Domain=com"])
  func `goes to no other host or port`(cookie: String) async throws {
    let other = try FaultyOrigin(.whole([1]))
    let origin = try FaultyOrigin(.whole([1]))
    origin["/port"] = [Self.gate([cookie], to: other.url("/"))]
    origin["/host"] = [Self.gate([cookie], to: "http://localhost:\(origin.port)/")]
    let fixture = try FetcherFixture()

    _ = try await fixture.fetch(origin.url("/port"))
    _ = try await fixture.fetch(origin.url("/host"))

    #expect(other.requests.map { $0["cookie"] } == [nil])
    #expect(origin.requests.map(\.path) == ["/port", "/host", "/"])
    #expect(origin.requests.allSatisfy { $0["cookie"] == nil })
  }
}

@Suite struct `The Location of a redirect` {
  private static func redirect(_ lines: [String]) -> FaultyOrigin.Answer {
    .whole([], status: 302, fields: lines.map { "Location: \($0)" })
  }

  @Test func `counts once where it is sent twice`() async throws {
    let origin = try FaultyOrigin([
      "/": [Self.redirect(["/a,b", "/a,b"])], "/a,b": [.whole(Array("here".utf8))],
    ])

    #expect(try await FetcherFixture().fetch(origin.url("/")).body.text == "here")
  }

  @Test func `is an error where several differ`() async throws {
    let origin = try FaultyOrigin(["/": [Self.redirect(["/a", "/b"])], "/a": [.whole([1])]])

    let error = try await FetcherFixture().failure(of: origin.url("/"))

    #expect(error?.code == .protocolError)
    #expect(origin.requests.map(\.path) == ["/"])
  }

  static let names: [([UInt8], String)] = [
    ([0xE9], "/%E9.jpg"), ([0xC3, 0xA9], "/%C3%A9.jpg"), ([0xE4, 0xBD], "/%E4%BD.jpg"),
    (Array("%E9".utf8) + [0xE9, 0x20], "/%E9%E9%20.jpg"),
  ]

  @Test(arguments: names)
  func `keeps its bytes beyond ASCII`(bytes: [UInt8], target: String) async throws {
    let head = Array("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /".utf8)
    let origin = try FaultyOrigin([
      "/": [.raw(head + bytes + Array(".jpg\r\n\r\n".utf8))],
      target: [.whole(Array("here".utf8))],
    ])

    let response = try await FetcherFixture().fetch(origin.url("/"))

    #expect(response.body.text == "here")
    #expect(response.head.url == origin.url(target))
  }
}
