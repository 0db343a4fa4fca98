import Foundation
import Testing

@testable import TestSupport

/// Requests after which another protocol could follow on the connection: none does, and the client
/// must learn that the connection ends.
@Suite struct `A request that asks for another protocol` {
  static let requests = [
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\n"
      + "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n",
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n\r\n",
    "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n",
  ]

  private func response(to request: String, port: UInt16) async throws -> String {
    let client = try RawClient(port: port)
    client.send(request)
    // To the end of the connection, which would stay open otherwise.
    return try await OffPool.run { client.readToEnd() }
  }

  @Test(arguments: requests)
  func `is the last one of its connection to the server`(request: String) async throws {
    let server = try await ServerFixture([:])

    let text = try await response(to: request, port: server.port)

    #expect(text.hasPrefix(request.hasPrefix("GET") ? "HTTP/1.1 200 " : "HTTP/1.1 4"), "\(text)")
    #expect(text.lowercased().contains("connection: close\r\n"), "\(text)")
  }

  @Test(arguments: requests)
  func `is the last one of its connection to the proxy, also where it is a hit`(request: String)
    async throws
  {
    let fields = ["Cache-Control: max-age=60"]
    let (proxy, origin) = try await ProxyFixture.start(["/healthz": [.text("ok", fields: fields)]])

    for _ in 0..<3 {
      let text = try await response(to: request, port: proxy.port)

      let status = request.hasPrefix("GET") ? 200 : 501
      #expect(text.hasPrefix("HTTP/1.1 \(status) "), "\(text)")
      #expect(text.lowercased().contains("connection: close\r\n"), "\(text)")
    }
    #expect(origin.requests.allSatisfy { $0["http2-settings"] == nil })
  }
}
