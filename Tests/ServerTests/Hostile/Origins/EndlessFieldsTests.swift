import Testing

@testable import TestSupport

/// Head, interim responses and trailers of one transfer count together: 256 KiB at most.
@Suite struct `An origin with endless fields` {
  static let line = "X-Filler: " + String(repeating: "x", count: 1012) + "\r\n"
  static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
  static let body = "5\r\nimage\r\n0\r\n"

  enum Place: CaseIterable { case head, interim, trailers }

  static func endless(_ place: Place) -> @Sendable (String, HostileOrigin.Client) -> Void {
    { _, client in
      switch place {
      case .head: client.send("HTTP/1.1 200 OK\r\n")
      case .interim: break
      case .trailers: client.send(chunked + "\r\n" + body)
      }
      let more = place == .interim ? "HTTP/1.1 103 Early Hints\r\n\(line)\r\n" : line
      while client.send(more) {}
    }
  }

  @Test(arguments: Place.allCases)
  func `ends a fetch`(place: Place) async throws {
    let origin = try HostileOrigin(Self.endless(place))

    let error = try await FetcherFixture().failure(of: origin.url())

    #expect(error?.code == .protocolError)
    #expect(error?.message.contains("exceed 256 KiB") == true, "\(error?.message ?? "")")
    // The client's system had not accepted much more when the connection was closed.
    #expect(origin.sentByteCount < 64 << 20)
  }

  @Test(arguments: [Place.head, .interim])
  func `is a bad gateway behind the proxy`(place: Place) async throws {
    let origin = try HostileOrigin(Self.endless(place))

    #expect(try await origin.proxied()[0].status == 502)
  }

  @Test func `cuts off the proxy's response, which is not stored`() async throws {
    let origin = try HostileOrigin { _, client in
      client.send(Self.chunked + "Cache-Control: max-age=60\r\n\r\n" + Self.body)
      while client.send(Self.line) {}
    }

    let answers = try await origin.proxied(times: 2)

    #expect(answers.allSatisfy { !$0.isWhole })
    #expect(origin.requests.count == 2)
  }

  @Test(arguments: [(100, false), (60, true)])
  func `may not split them between head, interim responses and trailers`(
    lineCount: Int, isWhole: Bool
  ) async throws {
    let part = String(repeating: Self.line, count: lineCount)
    let origin = try HostileOrigin(
      "HTTP/1.1 103 Early Hints\r\n\(part)\r\n\(Self.chunked)\(part)\r\n\(Self.body)\(part)\r\n")
    let fixture = try FetcherFixture()

    if isWhole {
      #expect(try await fixture.fetch(origin.url()).body.text == "image")
    } else {
      #expect(await fixture.failure(of: origin.url())?.code == .protocolError)
    }
  }

  @Test func `times out: an endless chunk extension is too slow`() async throws {
    let origin = try HostileOrigin { _, client in
      client.send(Self.chunked + "\r\n5;")
      while client.send(String(repeating: "x", count: 65_536)) {}
    }

    let error = try await FetcherFixture().failure(of: origin.url()) { request in
      request.limits.lowSpeedTime = .milliseconds(200)
    }

    #expect(error?.code == .timedOut)
  }
}
