import Foundation
import Testing

@testable import CachingProxy
@testable import HTTPListening
@testable import ImageModel
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

  /// Sends pieces, each once the one before may have been read, and returns the number of
  /// responses up to the end of the connection.
  private func talk(_ pieces: [String], port: UInt16) async throws -> [String] {
    let client = try RawClient(port: port)
    return try await OffPool.run {
      for piece in pieces { client.send(piece) }
      return client.readToEnd().components(separatedBy: "HTTP/1.1 ").dropFirst().map {
        String($0.prefix(3))
      }
    }
  }

  private static func isRefusal(_ status: String) -> Bool {
    status.hasPrefix("4") || status == "501"
  }

  private static func proxy() async throws -> (ProxyFixture, FaultyOrigin) {
    let fields = ["Cache-Control: max-age=60"]
    let origin = try FaultyOrigin(["/healthz": [.text("ok", fields: fields)]])
    return (try await ProxyFixture(origin: origin.url("")), origin)
  }

  @Test(arguments: faults)
  func `gets one response of the proxy, and the connection is closed`(fault: String) async throws {
    let (proxy, origin) = try await Self.proxy()

    let alone = try await talk([fault], port: proxy.port)
    let twice = try await talk([fault + fault], port: proxy.port)
    let later = try await talk([Self.good + fault + Self.good], port: proxy.port)

    #expect(alone.count == 1 && alone.allSatisfy(Self.isRefusal), "\(alone)")
    #expect(twice.count == 1 && twice.allSatisfy(Self.isRefusal), "\(twice)")
    #expect(later.count == 2 && later.first == "200", "\(later)")
  }

  @Test(arguments: faults)
  func `gets one response of the thumbnail server, and the connection is closed`(
    fault: String
  ) async throws {
    let server = try await ServerFixture([:])

    let alone = try await talk([fault], port: server.port)
    let twice = try await talk([fault + fault], port: server.port)
    let later = try await talk([Self.good + fault + Self.good], port: server.port)

    #expect(alone.count == 1 && alone.allSatisfy(Self.isRefusal), "\(alone)")
    #expect(twice.count == 1 && twice.allSatisfy(Self.isRefusal), "\(twice)")
    #expect(later.count == 2 && later.first == "200", "\(later)")
  }

  @Test(arguments: bodies)
  func `gets one response where its body is malformed`(body: String) async throws {
    let (proxy, origin) = try await Self.proxy()
    let keys = [SigningKey(name: nil, secret: Array("secret".utf8))]
    let server = try await ServerFixture([:], serving: { $0.adminKeys = keys })
    func head(_ target: String) -> String {
      "POST \(target) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer secret\r\n"
        + "Transfer-Encoding: chunked\r\n\r\n"
    }

    let proxied = try await talk([head("/healthz") + body], port: proxy.port)
    let purged = try await talk([head("/purge") + body], port: server.port)
    let refused = try await talk([head("/thumb") + body], port: server.port)

    #expect(proxied.count == 1, "\(proxied)")
    #expect(purged.count == 1 && purged.allSatisfy(Self.isRefusal), "\(purged)")
    #expect(refused.count == 1 && refused.allSatisfy(Self.isRefusal), "\(refused)")
  }
}
