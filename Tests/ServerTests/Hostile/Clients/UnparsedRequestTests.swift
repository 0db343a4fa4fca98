import Foundation
import Testing

@testable import CachingProxy
@testable import HTTPListening
@testable import ThumbnailServer
@testable import TestSupport

/// What the parser refuses: a client that reads one response too many would take it for that of its
/// next request.
@Suite(.timeLimit(.minutes(5))) struct `A request that the parser refuses` {
  static let faults = [
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET /\r\n\r\n", "GET /\n\n",
    "GET / HTTP/0.9\r\n\r\n", "GET / HTTP/2.0\r\nHost: localhost\r\n\r\n", "GET / HTTP/3\r\n\r\n",
    "GET / HTTP/11.1\r\n\r\n", "GET / HTTP/1.1x\r\n\r\n", "GET / ICE/1.0\r\n\r\n", "GET\r\n\r\n",
    "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}", "GET / HTTP/1.1\r\nHost localhost\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: localhost\r\n: a\r\n\r\n",
  ]
  /// Faults in the body of a request whose head is in order.
  static let bodies = ["zz\r\n", "3\r\nabcd\r\n", "3;a\u{1}\r\n", "ffffffffffffffffff\r\n"]

  private static let good = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"

  /// The statuses of all responses up to the end of the connection.
  private func talk(_ text: String, port: UInt16) async throws -> [String] {
    let client = try RawClient(port: port)
    return try await OffPool.run {
      client.send(text)
      return client.readToEnd().components(separatedBy: "HTTP/1.1 ").dropFirst().map {
        String($0.prefix(3))
      }
    }
  }

  private static func isRefusal(_ statuses: [String]) -> Bool {
    statuses.count == 1 && (statuses[0].hasPrefix("4") || statuses[0] == "501")
  }

  private static func proxy() async throws -> ProxyFixture {
    let fields = ["Cache-Control: max-age=60"]
    return try await ProxyFixture.start(["/healthz": [.text("ok", fields: fields)]]).proxy
  }

  @Test func `gets one response, and the connection is closed`() async throws {
    let (proxy, server) = (try await Self.proxy(), try await ServerFixture())
    for (port, fault) in [proxy.port, server.port].flatMap({ port in Self.faults.map { (port, $0) }
    }) {
      let alone = try await talk(fault, port: port)
      let twice = try await talk(fault + fault, port: port)
      let later = try await talk(Self.good + fault + Self.good, port: port)

      #expect(Self.isRefusal(alone), "\(fault): \(alone)")
      #expect(Self.isRefusal(twice), "\(fault): \(twice)")
      #expect(later.count == 2 && later.first == "200", "\(fault): \(later)")
    }
  }

  @Test func `gets one response where its body is malformed`() async throws {
    let keys = [SigningKey(name: nil, secret: Array("secret".utf8))]
    let proxy = try await Self.proxy()
    let server = try await ServerFixture(serving: { $0.adminKeys = keys })
    func head(_ target: String) -> String {
      "POST \(target) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer secret\r\n"
        + "Transfer-Encoding: chunked\r\n\r\n"
    }
    for body in Self.bodies {
      #expect(try await talk(head("/healthz") + body, port: proxy.port).count == 1, "\(body)")
      for target in ["/purge", "/thumb"] {
        let answers = try await talk(head(target) + body, port: server.port)
        #expect(Self.isRefusal(answers), "\(body): \(answers)")
      }
    }
  }

  /// Requests after which another protocol could follow on the connection: none does, and the
  /// client must learn that the connection ends.
  @Test(arguments: [
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\n"
      + "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n",
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n\r\n",
    "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n",
  ])
  func `or that asks for another protocol is the last one of its connection`(
    request: String
  ) async throws {
    let server = try await ServerFixture()
    let (proxy, origin) = try await ProxyFixture.start([
      "/healthz": [.text("ok", fields: ["Cache-Control: max-age=60"])]
    ])
    let isGet = request.hasPrefix("GET")

    // The proxy has it from the origin, and then as a hit.
    for (port, status) in [
      (server.port, isGet ? "200" : "4"), (proxy.port, isGet ? "200" : "501"),
      (proxy.port, isGet ? "200" : "501"), (proxy.port, isGet ? "200" : "501"),
    ] {
      let client = try RawClient(port: port)
      client.send(request)
      // To the end of the connection, which would stay open otherwise.
      let text = try await OffPool.run { client.readToEnd() }
      #expect(text.hasPrefix("HTTP/1.1 \(status)"), "\(text)")
      #expect(text.lowercased().contains("connection: close\r\n"), "\(text)")
    }
    #expect(origin.requests.allSatisfy { $0["http2-settings"] == nil })
  }
}
