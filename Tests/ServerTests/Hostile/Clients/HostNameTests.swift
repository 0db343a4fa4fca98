import NIOCore
import Testing

@testable import CachingProxy
@testable import HTTPListening
@testable import ImageModel
@testable import ThumbnailServer
@testable import TestSupport

/// DNS rebinding: to the browser, a page whose name resolves to this machine has the server's
/// origin. `HostRule` decides; these are the ways to it.
@Suite struct `Host names` {
  private func server(
    _ names: [String] = [], serving change: (inout ThumbnailServer.Configuration) -> Void = { _ in }
  ) async throws -> ServerFixture {
    let names = try HostAllowList(names)
    return try await ServerFixture(
      ["/a.jpg": [.whole(SampleImages.widePhoto, fields: ["Cache-Control: max-age=1000"])]],
      serving: {
        $0.listener.serverNames = names
        change(&$0)
      })
  }

  /// The answer to a request with its own `Host`.
  private func answer(
    _ port: UInt16, _ host: String, _ line: String = "GET /healthz"
  ) async throws -> RawAnswer {
    try await OffPool.run {
      let client = try RawClient(port: port)
      client.send("\(line) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
      return try client.answer()
    }
  }

  private func expect(
    _ status: Int, _ hosts: [String], at port: UInt16, _ line: String = "GET /healthz"
  ) async throws {
    for host in hosts { #expect(try await answer(port, host, line).status == status, "\(host)") }
  }

  @Test func `only loopback names are answered, and those of the configuration`() async throws {
    let (plain, open) = (try await server(), try await server(["*"]))
    let named = try await server(["thumbs.example.org", "*.cdn.example", "[fd00::1]", "10.0.0.1"])

    try await expect(
      200, ["LOCALHOST", "a.localhost:1", "127.0.0.1", "[::1]:8780"], at: plain.port)
    try await expect(
      421,
      ["evil.example", "localhost.evil.example:\(plain.port)", "10.0.0.1", "[::2]", "", ":80"],
      at: plain.port)
    try await expect(
      200, ["Thumbs.Example.Org:8443", "a.cdn.example", "[fd00::1]:80", "10.0.0.1", "localhost"],
      at: named.port)
    try await expect(
      421, ["cdn.example", "x.thumbs.example.org", "example.org", "10.0.0.2"], at: named.port)
    try await expect(200, ["evil.example"], at: open.port)
    #expect(try await named.talk("GET /healthz HTTP/1.0\r\n\r\n").hasPrefix("HTTP/1.1 200"))
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
    ]

    for row in rows { try await expect(421, ["evil.example"], at: server.port, row) }
    // The authority counts, not the field, and vice versa.
    try await expect(421, ["localhost"], at: server.port, "GET http://evil.example/healthz")
    try await expect(200, ["evil.example"], at: server.port, "GET http://localhost/healthz")
    let refusal = try await answer(server.port, "evil.example", "GET \(thumb)")
    try await server.stop()

    #expect(hot["cache-status"] == "imgcache; hit; detail=memory")
    #expect(server.origin.requests.count == requested)
    #expect(refusal["content-type"] == "application/problem+json")
    #expect(refusal["cache-control"] == "no-store" && refusal["connection"] == "close")
    #expect(refusal.text.contains("\"code\":\"host_not_served\""))
    #expect(lines.withLock { $0.count { $0.contains("\" 421 ") } } == rows.count + 2)
  }

  @Test func `a connection accepted with a valid name cannot continue with another`() async throws {
    let server = try await server()
    let thumb = server.thumb("/a.jpg")
    _ = try await server.get(thumb)

    let text = try await server.talk(
      ["localhost", "evil.example", "localhost"]
        .map { "GET \(thumb) HTTP/1.1\r\nHost: \($0)\r\n\r\n" }.joined())

    let statuses = text.matches(of: #/HTTP/1\.1 (\d+) /#).map { String($0.1) }
    #expect(statuses == ["200", "421"])
  }

  @Test(.needsProgram) func `a Unix socket does not check names, and the program takes them`()
    async throws
  {
    let scratch = try Scratch()
    let socket = try await ServeProgram([], listening: ["--listen", "unix:\(scratch / "s")"])
    let program = try await ServeProgram([
      "--server-name", "a.example", "--server-name", "b.example",
    ])

    let got = try await Tool(path: "curl").run([
      "-s", "--unix-socket", scratch / "s", "http://any.example/healthz",
    ])
    try await expect(200, ["a.example", "b.example:1"], at: program.port)
    try await expect(421, ["c.example"], at: program.port)
    let wrong = try await Tool.imgcache.run([
      "serve", "--server-name", "http://a.example/", "--listen", "127.0.0.1:0", "--cache-dir",
      scratch / "cache",
    ])

    #expect(got.output == "ok\n")
    #expect(wrong.status == 64 && wrong.errors.contains("http://a.example/"))
    #expect(try await socket.stop() == 0)
    #expect(try await program.stop() == 0)
  }

  @Test func `the proxy refuses other names at its own port, but its origin's`() async throws {
    let names = try HostAllowList(["*.known.example"])
    let (proxy, origin) = try await ProxyFixture.start(["/a": [.text("made")]]) {
      $0.listener.serverNames = names
    }
    let port = proxy.port

    try await expect(
      421, ["evil.example:\(port)", "10.0.0.1:\(port)", "localhost.evil.example:\(port)"],
      at: port, "GET /a")
    try await expect(421, ["localhost"], at: port, "GET http://evil.example:\(port)/a")
    #expect(origin.requests.isEmpty)
    try await expect(
      200,
      [
        "www.example.org", "www.example.org:443", "localhost:\(port)", "127.0.0.1:\(port)",
        "a.known.example:\(port)",
      ], at: port, "GET /a")
  }

  @Test(arguments: [
    ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("::ffff:127.0.0.1", true),
    ("0.0.0.0", false), ("::", false), ("10.0.0.1", false), ("::2", false),
    ("::ffff:10.0.0.1", false), ("1::1", false),
  ])
  func `loopback addresses are recognized`(address: String, isLoopback: Bool) throws {
    #expect(try SocketAddress(ipAddress: address, port: 1).isLoopback == isLoopback)
  }
}
