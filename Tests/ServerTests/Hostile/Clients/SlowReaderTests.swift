import Foundation
import Testing

@testable import CachingProxy
@testable import HTTPListening
@testable import ImageCodecs
@testable import ThumbnailServer
@testable import TestSupport

/// Large responses that end with their connection, to clients that read slower than the server
/// writes.
@Suite(.timeLimit(.minutes(10))) struct `A slow reader` {
  /// The ways in which a client asks for the end of the connection after the response.
  private static let requests = [
    "HTTP/1.0\r\nHost: localhost\r\n\r\n",
    "HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
  ]
  /// More than the system buffers for a client that reads nothing.
  private static let body = (0..<(9 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 12) }

  /// The frame of an origin's response.
  enum Frame: CaseIterable { case length, chunks }

  private static func answer(
    _ frame: Frame, _ control: String, isBroken: Bool = false
  ) -> FaultyOrigin.Answer {
    let head = "HTTP/1.1 200 OK\r\nCache-Control: \(control)\r\n"
    let sent = isBroken ? body[..<(body.count - 1000)] : body[...]
    switch frame {
    case .length: return .raw(Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + sent)
    case .chunks:
      let size = String(sent.count, radix: 16)
      let end = isBroken ? "\r\n" : "\r\n0\r\n\r\n"
      return .raw(
        Array("\(head)Transfer-Encoding: chunked\r\n\r\n\(size)\r\n".utf8) + sent + Array(end.utf8))
    }
  }

  /// The body of a successful response, after what was read of it before. It is not compared inside
  /// an expectation, which would compute a slow difference.
  private static func body(
    of client: RawClient, after start: [UInt8] = []
  ) async throws -> [UInt8] {
    let answer = try await OffPool.run { try RawAnswer(start + client.readBytesToEnd()) }
    return answer.status == 200 ? answer.body : []
  }

  // MARK: Whole responses

  @Test(.isLong, arguments: Frame.allCases, ["max-age=1000", "no-store"])
  func `of the proxy gets all of a response, from each of its ways`(
    frame: Frame, control: String
  ) async throws {
    for (kind, request) in zip(ProxyStorage.Kind.allCases, Self.requests) {
      let (proxy, origin) = try await ProxyFixture.start(
        ["/a": [Self.answer(frame, control)]], try ProxyStorage(kind))

      // Fetched; from the store; from the event loop.
      for turn in 0..<(control == "no-store" ? 1 : 3) {
        let client = try proxy.client("GET /a \(request)", isNarrow: true)
        let isWhole = try await Self.body(of: client) == Self.body
        #expect(isWhole, "\(kind), turn \(turn)")
      }
      #expect(origin.requests.count == 1)
    }
  }

  @Test(arguments: [
    "\r\n", "GET /b HTTP/1.1\r\nHost: a\r\n\r\n", String(repeating: "x", count: 9000),
  ])
  func `that has sent more than its last request gets all of the response`(
    more: String
  ) async throws {
    let (proxy, _) = try await ProxyFixture.start(["/a": [Self.answer(.length, "max-age=1000")]])

    for turn in 0..<3 {
      let client = try proxy.client("GET /a \(Self.requests[turn % 2])\(more)", isNarrow: true)
      let isWhole = try await Self.body(of: client) == Self.body
      #expect(isWhole, "turn \(turn)")
    }
  }

  @Test(arguments: requests)
  func `of the proxy gets all of a response that it began before the proxy stopped`(
    request: String
  ) async throws {
    let (proxy, _) = try await ProxyFixture.start(["/a": [Self.answer(.chunks, "max-age=1000")]])
    let clients = try (0..<3).map { _ in try proxy.client("GET /a \(request)", isNarrow: true) }
    let starts = try await OffPool.run { clients.map { $0.read(byteCount: 1000) } }

    async let ending = proxy.stop()
    await Condition.until { (try? RawClient(port: proxy.port)) == nil }
    for (client, start) in zip(clients, starts) {
      let isWhole = try await Self.body(of: client, after: start) == Self.body
      #expect(isWhole)
    }

    #expect(try await ending == .drained)
  }

  @Test(arguments: requests, [false, true])
  func `of the thumbnail server gets all of an original`(
    request: String, isStopping: Bool
  ) async throws {
    let picture = try ImageCodecs.encodePNG(SampleImages.gradient(8, 8)) + Self.body
    let server = try await ServerFixture([
      "/a.png": [.whole(picture, fields: ["Cache-Control: max-age=1000"])]
    ])

    for turn in 0..<3 {
      let client = try server.client("GET \(server.image("/a.png")) \(request)", isNarrow: true)
      let start = try await OffPool.run { client.read(byteCount: 1000) }
      async let ending = isStopping && turn == 2 ? server.stop() : .drained
      let isWhole = try await Self.body(of: client, after: start) == picture
      #expect(isWhole, "turn \(turn)")
      #expect(try await ending == .drained)
    }
  }

  @Test(arguments: Array(zip(ProxyStorage.Kind.allCases, requests)))
  func `gets all of a response although it sends more, long after the response was written`(
    kind: ProxyStorage.Kind, request: String
  ) async throws {
    let body = [UInt8](repeating: 0x55, count: 3 << 20)
    let (proxy, _) = try await ProxyFixture.start(
      ["/a": [.whole(body, fields: ["Cache-Control: max-age=1000"])]], try ProxyStorage(kind))
    _ = try proxy.get("/a")

    // What is written fits into the buffers of the system, so the connection is closing soon.
    let client = try proxy.client("GET /a \(request)")
    let start = try await OffPool.run {
      let start = client.read(byteCount: 1 << 20)
      sleep(2)
      client.send("GET /a HTTP/1.1\r\n")
      return start
    }

    #expect(try await Self.body(of: client, after: start).count == body.count)
  }

  // MARK: Incomplete responses

  @Test(arguments: ["max-age=1000", "no-store"])
  func `gets a reset where the end of the connection would look like that of the body`(
    control: String
  ) async throws {
    let (proxy, _) = try await ProxyFixture.start([
      "/a": [Self.answer(.chunks, control, isBroken: true)]
    ])
    let client = try proxy.client("GET /a \(Self.requests[0])", isNarrow: true)

    let (bytes, isReset) = try await OffPool.run { client.readToReset() }

    #expect(isReset)
    #expect(bytes.starts(with: "HTTP/1.1 200 OK".utf8))
  }

  @Test func `gets the beginning of a broken response whose length it knows`() async throws {
    let (proxy, _) = try await ProxyFixture.start([
      "/a": [Self.answer(.length, "no-store", isBroken: true)]
    ])
    let client = try proxy.client("GET /a \(Self.requests[1])", isNarrow: true)

    let isBeginning = try await Self.body(of: client) == Self.body.dropLast(1000)

    #expect(isBeginning)
  }

  /// The ends of a response that the client does not read.
  enum Cut: CaseIterable { case writeTime, drain }

  @Test(arguments: Cut.allCases)
  func `that stops reading gets a reset when it is cut off`(cut: Cut) async throws {
    let (proxy, _) = try await ProxyFixture.start(
      ["/a": [Self.answer(.chunks, "max-age=1000")]],
      serving: {
        switch cut {
        case .writeTime: $0.listener.limits.writeTime = .milliseconds(300)
        case .drain: $0.listener.drainTime = .milliseconds(50)
        }
      })
    let client = try proxy.client("GET /a \(Self.requests[0])", isNarrow: true)
    let start = try await OffPool.run { client.read(byteCount: 1000) }

    if cut == .drain { #expect(try await proxy.stop() == .cut) }
    await Condition.until { proxy.connectionCount == 0 }
    let (rest, isReset) = try await OffPool.run { client.readToReset() }

    #expect(isReset)
    #expect(start.count + rest.count < Self.body.count)
  }
}
