import Foundation
import NIOCore
import Testing

@testable import CachingProxy
@testable import HTTPListening
@testable import ImageModel
@testable import ThumbnailServer
@testable import TestSupport

/// DNS rebinding: to the browser, a page whose name resolves to this machine has the server's
/// origin.
@Suite struct `Host names` {
  private static let fields = ["Cache-Control: max-age=1000"]

  private func server(
    _ names: [String] = [],
    serving change: (inout ThumbnailServer.Configuration) -> Void = { _ in }
  ) async throws -> ServerFixture {
    let names = try HostAllowList(names)
    return try await ServerFixture(
      ["/a.jpg": [.whole(SampleImages.widePhoto, fields: Self.fields)]],
      serving: {
        $0.listener.serverNames = names
        change(&$0)
      })
  }

  /// The status of a request with its own `Host`.
  private func status(
    _ server: ServerFixture, _ host: String, _ line: String = "GET /healthz"
  ) async throws -> Int {
    let text = try await server.talk(
      "\(line) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
    return try RawAnswer(Array(text.utf8)).status
  }

  @Test func `only loopback names and addresses are answered, at any port`() async throws {
    let server = try await server()
    let fine = [
      "localhost", "LOCALHOST", "localhost.", "localhost:8780", "localhost:", "a.localhost",
      "a.b.localhost.:1", "127.0.0.1", "127.0.0.1:\(server.port)", "127.255.0.3", "[::1]",
      "[::1]:8780", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]",
    ]
    let other = [
      "evil.example", "evil.example:\(server.port)", "localhost.evil.example", "notlocalhost",
      "127.0.0.1.evil.example", "128.0.0.1", "0.0.0.0", "10.0.0.1", "127.1", "0x7f.0.0.1",
      "[::2]", "[::]", "[::ffff:10.0.0.1]", "[::1", "[]", "::1", "localhost:x", "localhost:1:2",
      "localhost:123456", "", ":80",
    ]

    for host in fine { #expect(try await status(server, host) == 200, "\(host)") }
    for host in other { #expect(try await status(server, host) == 421, "\(host)") }
  }

  @Test func `no route answers another name, cached or not, and no work is started`() async throws {
    let lines = Locked<[String]>([])
    let server = try await server {
      $0.accessLog = .init { line in lines.withLock { $0.append(line) } }
    }
    let thumb = server.thumb("/a.jpg")
    _ = try await server.get(thumb)
    let hot = try await server.get(thumb)
    let requested = server.origin.requests.count
    let rows = [
      "GET \(thumb)", "HEAD \(thumb)", "GET /", "GET /days", "GET /days/latest", "GET /metrics",
      "GET /stats", "GET /readyz", "GET /reader/app.js", "POST /days/latest/refresh",
      "GET \(server.image("/b.jpg"))", "DELETE /days/latest", "OPTIONS /days", "GET /none",
      // The authority counts, not the field, and vice versa.
      "GET http://evil.example/healthz",
    ]

    for row in rows {
      let host = row.contains("http://evil.example/") ? "localhost" : "evil.example"
      #expect(try await status(server, host, row) == 421, "\(row)")
    }
    let absolute = try await status(server, "evil.example", "GET http://localhost/healthz")
    let answer = try RawAnswer(
      Array(
        try await server.talk("GET \(thumb) HTTP/1.1\r\nHost: evil.example\r\n\r\n").utf8))

    #expect(hot["cache-status"] == "imgcache; hit; detail=memory")
    #expect(absolute == 200)
    #expect(server.origin.requests.count == requested)
    #expect(answer["content-type"] == "application/problem+json")
    #expect(answer["cache-control"] == "no-store")
    #expect(answer["connection"] == "close")
    #expect(answer.text.contains("\"code\":\"host_not_served\""))
    #expect(lines.withLock { $0.count { $0.contains("\" 421 ") } } == rows.count + 1)
    try await server.stop()
  }

  @Test func `a connection accepted with a valid name cannot continue with another`() async throws {
    let server = try await server()
    let thumb = server.thumb("/a.jpg")
    _ = try await server.get(thumb)

    let text = try await server.talk(
      "GET \(thumb) HTTP/1.1\r\nHost: localhost\r\n\r\n"
        + "GET \(thumb) HTTP/1.1\r\nHost: evil.example\r\n\r\n"
        + "GET \(thumb) HTTP/1.1\r\nHost: localhost\r\n\r\n")

    let statuses = text.matches(of: #/HTTP/1\.1 (\d+) /#).map { String($0.1) }
    #expect(statuses == ["200", "421"])
  }

  @Test func `names of the server are answered, and with * all`() async throws {
    let named = try await server(["thumbs.example.org", "*.cdn.example", "[fd00::1]", "10.0.0.1"])
    let open = try await server(["*"])

    for host in [
      "thumbs.example.org", "Thumbs.Example.Org:8443", "thumbs.example.org.", "a.cdn.example",
      "[fd00::1]:80", "10.0.0.1", "localhost",
    ] {
      #expect(try await status(named, host) == 200, "\(host)")
    }
    for host in ["cdn.example", "x.thumbs.example.org", "example.org", "10.0.0.2"] {
      #expect(try await status(named, host) == 421, "\(host)")
    }
    #expect(try await status(open, "evil.example") == 200)
    #expect(try await named.talk("GET /healthz HTTP/1.0\r\n\r\n").hasPrefix("HTTP/1.1 200"))
    try await named.stop()
    try await open.stop()
  }

  @Test(.needsProgram) func `a Unix socket does not check names`() async throws {
    let scratch = try Scratch()
    let program = try await ServeProgram([], listening: ["--listen", "unix:\(scratch / "s")"])

    let got = try await Tool(path: "curl").run([
      "-s", "--unix-socket", scratch / "s", "http://any.example/healthz",
    ])

    #expect(got.output == "ok\n")
    #expect(try await program.stop() == 0)
  }

  @Test(.needsProgram) func `the program takes names, and refuses what is not a name`() async throws
  {
    let program = try await ServeProgram([
      "--server-name", "a.example", "--server-name", "b.example",
    ])
    let statuses = try await ["a.example", "b.example:1", "c.example"].asyncMap { host in
      let port = program.port
      return try await OffPool.run {
        let client = try RawClient(port: port)
        client.send("GET /healthz HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
        return try client.answer().status
      }
    }
    let wrong = try await Tool.imgcache.run([
      "serve", "--server-name", "http://a.example/", "--listen", "127.0.0.1:0", "--cache-dir",
      Scratch() / "cache",
    ])

    #expect(statuses == [200, 200, 421])
    #expect(wrong.status == 64)
    #expect(wrong.errors.contains("http://a.example/"))
    #expect(try await program.stop() == 0)
  }

  @Test func `the proxy refuses other names at its own port, and accepts its origin's name`()
    async throws
  {
    let origin = try FaultyOrigin(["/a": [.text("made")]])
    let names = try HostAllowList(["*.known.example"])
    let proxy = try await ProxyFixture(origin: origin.url("")) { $0.listener.serverNames = names }
    let port = proxy.port
    func status(_ host: String, _ target: String = "/a") async throws -> Int {
      try await OffPool.run {
        let client = try RawClient(port: port)
        client.send("GET \(target) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
        return try client.answer().status
      }
    }

    for host in ["evil.example:\(port)", "10.0.0.1:\(port)", "localhost.evil.example:\(port)"] {
      #expect(try await status(host) == 421, "\(host)")
    }
    #expect(try await status("localhost", "http://evil.example:\(port)/a") == 421)
    #expect(origin.requests.isEmpty)
    for host in [
      "www.example.org", "www.example.org:443", "localhost:\(port)", "127.0.0.1:\(port)",
      "a.known.example:\(port)",
    ] {
      #expect(try await status(host) == 200, "\(host)")
    }
  }
}

extension Sequence {
  fileprivate func asyncMap<Value>(_ body: (Element) async throws -> Value) async rethrows
    -> [Value]
  {
    var values: [Value] = []
    for element in self { values.append(try await body(element)) }
    return values
  }
}
