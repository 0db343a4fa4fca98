import Foundation
import Testing

@testable import ImageModel
@testable import TestSupport
@testable import ThumbnailServer

/// Several servers behind the configurations of `Distribution/several-servers`, with the real
/// programs.
@Suite(.needsProgram) struct `Several servers behind a load balancer` {
  private static func shipped(_ name: String, _ servers: [ServeProgram]) throws -> String {
    let text = try String(
      contentsOf: SharedFixtures.packageRoot.appending(
        path: "Distribution/several-servers/\(name)"), encoding: .utf8)
    return servers.indices.reduce(text) { text, index in
      text.replacing("10.0.0.\(index + 1):8780", with: "127.0.0.1:\(servers[index].port)")
    }
  }

  private static func nginx(_ servers: [ServeProgram]) async throws -> PortProgram {
    let text = try shipped("nginx.conf", servers)
    return try await NginxProgram.start { port in
      text.replacing("listen 80", with: "listen 127.0.0.1:\(port)")
    }
  }

  private static let haproxyPath = ["/usr/sbin/haproxy", "/usr/local/sbin/haproxy"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  private static func haproxy(_ servers: [ServeProgram]) async throws -> PortProgram {
    try await PortProgram(haproxyPath) { port, scratch in
      let text = try shipped("haproxy.cfg", servers)
        .replacing("bind :80", with: "bind 127.0.0.1:\(port)")
      return ["-db", "-f", try scratch.write(text, to: "haproxy.cfg")]
    }
  }

  @Test(.enabled(if: NginxProgram.isPossible, "needs nginx"))
  func `with nginx store each image once, and lose one's share alone`() async throws {
    try await check(Self.nginx)
  }

  @Test(.enabled(if: haproxyPath != nil, "needs haproxy"))
  func `with HAProxy store each image once, and lose one's share alone`() async throws {
    try await check(Self.haproxy)
  }

  private func check(_ start: ([ServeProgram]) async throws -> PortProgram) async throws {
    let paths = (0..<24).map { "/\($0).jpg" }
    let origin = try FaultyOrigin(
      Dictionary(
        uniqueKeysWithValues: paths.map {
          ($0, [.whole(SampleImages.widePhoto, fields: ["Cache-Control: max-age=600"])])
        }))
    var servers: [ServeProgram] = []
    for _ in 0..<3 {
      servers.append(
        try await ServeProgram([
          "--allow-host", "127.0.0.1", "--allow-private-network", "--server-name", "*",
        ]))
    }
    let balancer = try await start(servers)
    defer { balancer.stop() }

    /// The statuses of all thumbnails, or originals.
    func ask(_ route: String) async throws -> Set<Int> {
      let targets = paths.map { "\(route)url=\(QueryPairs.encoded(origin.url($0)))" }
      let port = balancer.port
      return try await OffPool.run {
        Set(try targets.map { try RawClient(port: port).exchange("GET", $0).status })
      }
    }
    #expect(try await ask("/thumb?w=40&h=30&") == [200])
    #expect(try await ask("/image?") == [200])
    #expect(origin.requests.count == paths.count)
    var shares: [Int] = []
    for server in servers {
      let metrics = try await server.exchange("GET", "/metrics").text
      let served = metrics.firstMatch(
        of: /imgcache_requests_total\{route="thumb",code="200"\} (\d+)/)
      shares.append(served.flatMap { Int($0.1) } ?? 0)
    }
    #expect(shares.reduce(0, +) == paths.count)
    #expect(shares.allSatisfy { $0 > 0 }, "\(shares)")

    servers[1].child.signal(SIGKILL)
    _ = try await servers[1].child.end()
    #expect(try await ask("/thumb?w=40&h=30&") == [200])
    #expect(origin.requests.count == paths.count + shares[1])
    for server in [servers[0], servers[2]] { #expect(try await server.stop() == 0) }
  }
}
