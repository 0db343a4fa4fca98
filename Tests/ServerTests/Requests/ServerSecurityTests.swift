import Foundation
import Testing

@testable import HTTPListening
@testable import ImageCodecs
@testable import ImageModel
@testable import ThumbnailServer
@testable import TestSupport

/// Hostile requests: none succeeds, and none stops the server.
@Suite struct `Hostile requests` {
  static let picture = SampleImages.widePhoto

  @Test func `forty spellings of a private address, and none is connected to`() async throws {
    // Every host is allowed by name; only the address check is between them and the internal
    // network.
    let server = try await ServerFixture(
      privateNetworks: false,
      serving: { $0.allowedHosts = (try? HostAllowList(["*"])) ?? HostAllowList() })
    let port = server.origin.port
    let hosts = [
      "127.0.0.1", "127.1", "127.0.0.2", "0.0.0.0", "0", "localhost", "LOCALHOST", "localhost.",
      "foo.localhost", "2130706433", "0x7f000001", "017700000001", "0x7f.1", "0177.0.0.1",
      "127.0.0.1.", "127.000.000.001", "[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]",
      "[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[fe80::1]",
      "[2001:470::5efe:127.0.0.1]", "[2a00:1450::200:5efe:10.0.0.1]", "[fc00::1]", "[fd12::1]",
      "[ff02::1]", "10.0.0.1", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1",
      "100.127.255.254", "192.0.2.1", "198.18.0.1", "203.0.113.9", "224.0.0.1", "255.255.255.255",
      "240.0.0.1", "127.0.0.1%00.example.org", "127.0.0.1%2eexample.org", "ⓛocalhost", "127。0。0。1",
      "user@127.0.0.1", "example.org@127.0.0.1",
    ]

    #expect(hosts.count >= 40)
    for host in hosts {
      let url = QueryPairs.encoded("http://\(host):\(port)/a.jpg")
      for target in ["/thumb?url=\(url)&w=10", "/image?url=\(url)"] {
        let answer = try await server.get(target)
        #expect([400, 403, 502].contains(answer.status), "\(host): \(answer.status)")
        #expect(answer["content-type"] == "application/problem+json")
      }
    }
    #expect(server.origin.connectionCount == 0)
  }

  @Test func `a redirect to a private address or another host is refused`() async throws {
    let other = try FaultyOrigin(["/b.jpg": [.whole(Self.picture)]])
    let inside = other.url("/b.jpg").replacingOccurrences(of: "127.0.0.1", with: "localhost")
    let server = try await ServerFixture([
      "/away": [.whole([], status: 302, fields: ["Location: \(inside)"])],
      "/file": [.whole([], status: 302, fields: ["Location: file:///etc/passwd"])],
      "/same": [.whole([], status: 302, fields: ["Location: /a.jpg"])],
      "/a.jpg": [.whole(Self.picture)],
    ])

    let away = try await server.get(server.thumb("/away"))
    let file = try await server.get(server.thumb("/file"))
    let same = try await server.get(server.thumb("/same"))

    #expect(away.status == 403)
    #expect(away.text.contains("\"code\":\"redirect_not_allowed\""))
    #expect(away.text.contains("The origin redirects to a host that is not allowed."))
    #expect(file.status == 502)
    #expect(same.status == 200)
    #expect(other.connectionCount == 0)
  }

  @Test func `heads above the limits are refused, and the connection is closed`() async throws {
    let server = try await ServerFixture()
    let long = String(repeating: "a", count: 9000)
    let many = (0..<200).map { "X-\($0): 1\r\n" }.joined()
    let wide = (0..<5).map { "X-\($0): \(String(repeating: "b", count: 4000))\r\n" }.joined()
    let rows: [(request: String, status: Int)] = [
      ("GET /thumb?url=\(long) HTTP/1.1\r\nHost: localhost\r\n\r\n", 414),
      ("GET / HTTP/1.1\r\nHost: localhost\r\n\(many)\r\n", 431),
      ("GET / HTTP/1.1\r\nHost: localhost\r\n\(wide)\r\n", 431),
      ("GET /healthz HTTP/1.1\r\n\r\n", 400),
      ("GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
      ("GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc", 413),
      (
        "POST /days/latest/refresh HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        413
      ), ("GET /healthz HTTP/1.1\r\nHost: a b/c\r\n\r\n", 400),
      ("GET http://x/healthz HTTP/1.1\r\n\r\n", 400),
      ("GET http://x/healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", 400),
      ("GET http://u@x/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
      ("GET http:///healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
      ("GET ftp://x/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
      ("GET healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 400), ("nonsense\r\n\r\n", 400),
      ("GET /a b HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
      ("GET / HTTP/9.9\r\nHost: localhost\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: localhost\r\nBad Field: 1\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
      ("\0\0\0\0\r\n\r\n", 400),
    ]

    for row in rows {
      let text = try await server.talk(row.request)
      #expect(
        text.hasPrefix("HTTP/1.1 \(row.status) "), "\(row.request.prefix(60)): \(text.prefix(60))")
    }
    #expect(try await server.get("/healthz").status == 200)
  }

  @Test func `no parameter is injected into a header field, a log or a file`() async throws {
    let lines = Locked<[String]>([])
    let server = try await ServerFixture(serving: { configuration in
      configuration.accessLog = .init { line in lines.withLock { $0.append(line) } }
    })
    for value in [
      "http%3A%2F%2Fa%0D%0ASet-Cookie:x=1", "%0aX-Evil:1", "..%2f..%2fetc%2fpasswd",
      "file%3A%2F%2F%2Fetc%2Fpasswd", "%2Fetc%2Fpasswd", "gopher%3A%2F%2Fx",
      "data%3Aimage%2Fpng%3Bbase64%2CAAAA", "http%3A%2F%2F127.0.0.1%5C@evil%2F",
    ] {
      let answer = try await server.get("/image?url=\(value)")
      #expect(answer.status == 400 || answer.status == 403, "\(value)")
      #expect(answer["set-cookie"] == nil)
      #expect(answer["x-evil"] == nil)
      #expect(!answer.text.contains("root:"))
    }
    #expect(lines.withLock { $0.count } == 8)
    #expect(lines.withLock { $0.allSatisfy { !$0.contains("\n") && !$0.contains("\r") } })
  }

  @Test func `a slow head, an unread response and an idle connection are closed`() async throws {
    var bytes = try ImageCodecs.encodePNG(SampleImages.gradient(64, 64))
    bytes += [UInt8](repeating: 0x55, count: 30 << 20)
    let server = try await ServerFixture(
      ["/big.png": [.whole(bytes)]],
      serving: {
        $0.listener.limits.headTime = .milliseconds(300)
        $0.listener.limits.idleTime = .milliseconds(300)
        $0.listener.limits.writeTime = .milliseconds(300)
      })
    let trickle = try server.client("GET /healthz HTTP/1.1\r\nHo")
    let idle = try RawClient(port: server.port)
    let slow = try server.client(
      "GET \(server.image("/big.png")) HTTP/1.1\r\nHost: localhost\r\n\r\n")

    let rests = try await OffPool.run { [trickle.readToEnd(), idle.readToEnd()] }
    // It never reads: the server closes the connection and frees its memory.
    await server.until {
      server.parts.metrics.connections.servedCount == 0
        && server.parts.governor.byteCountInFlight == 0
    }

    #expect(rests == ["", ""])
    withExtendedLifetime(slow) {}
  }

  @Test func `a connection is kept alive, under HTTP/1.0 only on request`() async throws {
    let server = try await ServerFixture()
    let client = try RawClient(port: server.port)

    let answers = try await OffPool.run {
      (0..<3).map { _ in
        client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return client.read(until: "ok\n")
      }
    }
    let old = try await server.talk("GET /healthz HTTP/1.0\r\n\r\n")
    let kept = try await server.talk(
      "GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /healthz HTTP/1.0\r\n\r\n")

    #expect(answers.allSatisfy { $0.hasPrefix("HTTP/1.1 200") })
    #expect(old.contains("Connection: close"))
    #expect(kept.contains("Connection: keep-alive"))
    #expect(kept.components(separatedBy: "HTTP/1.1 200").count == 3)
  }

  @Test func `an animation that costs too much is refused by its header, once`() async throws {
    let gif = HollowGIF.bytes(canvas: 2000, frame: 2000, count: 50)
    let server = try await ServerFixture(
      ["/bomb.gif": [.whole(gif, fields: ["Cache-Control: max-age=600"])]],
      loading: { $0.limits = .server })

    let first = try await server.get(server.thumb("/bomb.gif"))
    let second = try await server.get(server.thumb("/bomb.gif", "w=20&h=20"))

    #expect(first.status == 413)
    #expect(first.text.contains("limit_exceeded"))
    #expect(second.status == 413)
    #expect(server.origin.requests.count == 1)
  }
}
