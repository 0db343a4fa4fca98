import Foundation
import HTTPTypes
import Testing

@testable import CachingProxy
@testable import DiskCaching
@testable import ImageFeeds
@testable import TestSupport

/// Field values are bytes (RFC 9110 §5.5): the proxy forwards, stores and compares them as
/// such.
@Suite struct `Fields beyond ASCII` {
  /// A byte that is not UTF-8, then a letter in UTF-8.
  static let value: [UInt8] = [0x61, 0xE9, 0x20, 0xC3, 0xA9, 0xFF]
  static let latin = String(String.UnicodeScalarView(value.map { UnicodeScalar($0) }))

  static func exchange(_ proxy: ProxyFixture, _ parts: [UInt8]...) async throws -> [UInt8] {
    let client = try RawClient(port: proxy.port)
    return try await OffPool.run {
      client.send(Array(parts.joined())[...])
      return client.readBytesToEnd()
    }
  }

  static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    bytes.indices.contains { bytes[$0...].starts(with: part) }
  }

  static let begin = Array("GET /a HTTP/1.1\r\nHost: a\r\nX-Own: ".utf8)
  static let end = Array("\r\nConnection: close\r\n\r\n".utf8)

  @Test(arguments: [false, true])
  func `pass unchanged to the origin, to the client and through the store`(
    isOnDisk: Bool
  ) async throws {
    let head = Array("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nX-Name: ".utf8)
    let origin = try HostileOrigin(
      head + Self.value + Array("\r\nContent-Length: 3\r\n\r\n\u{e9}!".utf8))
    let scratch = try Scratch()
    let cache = try DiskCache(DiskCache.Configuration(directory: scratch / "cache"))
    let proxy = try await ProxyFixture(
      origin: origin.url(""), storage: isOnDisk ? .disk(cache) : .memory(maximumByteCount: 1 << 20))

    let first = try await Self.exchange(proxy, Self.begin, Self.value, Self.end)
    let second = try await Self.exchange(proxy, Self.begin, Self.value, Self.end)
    try await proxy.stop()

    #expect(origin.requests.count == 1)
    #expect(origin.requests.first?.contains("X-Own: \(Self.latin)\r\n") == true)
    for answer in [first, second] {
      #expect(Self.contains(answer, Array("ame: ".utf8) + Self.value + [13, 10]))
      #expect(Self.contains(answer, [13, 10, 13, 10] + Array("\u{e9}!".utf8)))
    }
  }

  @Test func `select variants byte by byte`() async throws {
    let origin = try HostileOrigin { head, client in
      let isFirst = head.contains("\u{e9}")
      client.send(
        "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nVary: Cookie\r\n"
          + "Content-Length: 1\r\n\r\n\(isFirst ? "1" : "2")")
    }
    let proxy = try await ProxyFixture(origin: origin.url(""))
    let cookie = Array("GET / HTTP/1.1\r\nHost: a\r\nCookie: id=".utf8)

    let answers = [
      try await Self.exchange(proxy, cookie, [0xE9], Self.end),
      try await Self.exchange(proxy, cookie, [0xE8], Self.end),
      try await Self.exchange(proxy, cookie, [0xE9], Self.end),
    ]

    #expect(answers.map(\.last) == Array("121".utf8))
    #expect(origin.requests.count == 2)
  }

  @Test func `do not affect bodies and later requests of the connection`() async throws {
    let (proxy, origin) = try await ProxyFixture.start(["/a": [.text("ok")]])
    let binary = Array(UInt8.min...UInt8.max)
    let fields = Array(" /a HTTP/1.1\r\nHost: a\r\nX-Own: ".utf8) + Self.value + [13, 10]
    let withLength =
      Array("POST".utf8) + fields + Array("Content-Length: 256\r\n\r\n".utf8) + binary
    let chunked =
      Array("OPTIONS".utf8) + fields
      + Array("Max-Forwards: 0\r\nTransfer-Encoding: chunked\r\n\r\n100\r\n".utf8) + binary
      + Array("\r\n1\r\n".utf8) + [0xE9] + Array("\r\n0\r\n\r\n".utf8)
    let last = Array("GET".utf8) + fields + Array("Connection: close\r\n\r\n".utf8)

    let answers = try await Self.exchange(proxy, withLength, chunked, last)

    #expect(origin.requests.map(\.method) == ["POST", "GET"])
    #expect(origin.requests.map(\.body) == [binary, []])
    #expect(String(decoding: answers, as: UTF8.self).components(separatedBy: " 200 OK").count == 4)
  }

  @Test func `are refused in a request target`() async throws {
    let origin = try HostileOrigin("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    let proxy = try await ProxyFixture(origin: origin.url(""))

    let answer = try await Self.exchange(
      proxy, Array("GET /".utf8), [0xE9], Array(" HTTP/1.1\r\nHost: a".utf8), Self.end)

    #expect(String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 400 "))
    #expect(origin.requests.isEmpty)
  }
}
