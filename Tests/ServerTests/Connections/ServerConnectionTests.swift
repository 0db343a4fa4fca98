import Foundation
import Testing

@testable import HTTPListening
@testable import ImageCodecs
@testable import ThumbnailServer
@testable import TestSupport

/// Connections on which the client reads nothing, or slowly, or sends nothing.
@Suite struct `Server connections` {
  /// A PNG followed by trailing bytes, which are accepted: of any size, and distinct by filling.
  private static func picture(_ byteCount: Int, filledWith filling: UInt8) throws -> [UInt8] {
    let picture = try ImageCodecs.encodePNG(SampleImages.gradient(8, 8))
    return picture + [UInt8](repeating: filling, count: byteCount - picture.count)
  }

  /// A server with one thread for all connections: once it has answered on one, it has checked
  /// the others.
  private func server(_ pictures: [String: [UInt8]]) async throws -> ServerFixture {
    let scripts = pictures.mapValues {
      [FaultyOrigin.Answer.whole($0, fields: `Thumbnail server`.fresh)]
    }
    let server = try await ServerFixture(
      scripts,
      serving: {
        $0.listener.threadCount = 1
        // A busy machine takes its time, and how long a client may read nothing is not tested here.
        $0.listener.limits.writeTime = .seconds(3600)
        $0.listener.limits.headTime = .seconds(3600)
      })
    // From now on they are in memory.
    for path in pictures.keys { _ = try await server.get(server.image(path)) }
    return server
  }

  // MARK: Requests without reads

  @Test
  func
    `a client that pipelines a thousand requests and reads nothing gets a bounded number of responses`()
    async throws
  {
    let count = 1000
    let pictures = [
      "/a.png": try Self.picture(32 << 10, filledWith: 1),
      "/b.png": try Self.picture(32 << 10, filledWith: 2),
    ]
    let server = try await server(pictures)
    let asked = (0..<count).map { $0 % 2 == 0 ? "/a.png" : "/b.png" }
    let padding = String(repeating: "x", count: 500)
    let requests = asked.enumerated().map { index, path in
      "GET \(server.image(path)) HTTP/1.1\r\nHost: localhost\r\nX-Padding: \(padding)\r\n"
        + (index == count - 1 ? "Connection: close\r\n\r\n" : "\r\n")
    }
    var rest = Array(requests.joined().utf8)[...]
    let client = try RawClient(port: server.port)

    // It sends as much as is accepted while the server serves another client.
    for _ in 0..<60 {
      rest = rest.dropFirst(client.sendWhatFits(rest))
      _ = try await server.get("/healthz")
    }
    let answeredCount = server.imageCount - pictures.count
    // Then it reads all of them.
    let unsent = rest
    async let sending: Void = OffPool.run { client.send(unsent) }
    let bytes = try await OffPool.run { client.readBytesToEnd() }
    try await sending

    // The answered bytes wait in the system's buffers, which take a few megabytes.
    #expect(answeredCount < count / 2)
    var answers = Answers(bytes)
    for (index, path) in asked.enumerated() {
      let answer = try #require(try answers.next(), "answer \(index)")
      #expect(answer.status == 200 && answer.isBody(pictures[path] ?? []), "answer \(index)")
    }
    #expect(try answers.next() == nil)
  }

  // MARK: Ends

  @Test func `draining waits for a connection with a request in flight`() async throws {
    let server = try await ServerFixture(serving: {
      $0.listener.limits.firstRequestTime = .seconds(600)
      $0.listener.limits.headTime = .seconds(600)
    })
    let silent = try RawClient(port: server.port)
    let half = try server.client("GET /healthz HTTP/1.1\r\nHo")
    // Both have been accepted when a later one has its response.
    _ = try await server.get("/healthz")

    async let ending = server.stop()
    await server.until { (try? RawClient(port: server.port)) == nil }
    silent.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    half.send("st: localhost\r\n\r\n")
    let answers = try await OffPool.run { [silent.readToEnd(), half.readToEnd()] }

    #expect(answers.allSatisfy { $0.hasSuffix("ok\n") })
    #expect(try await ending == .drained)
  }

  @Test func `a connection without a request is closed after its timeout`() async throws {
    let server = try await ServerFixture(serving: {
      $0.listener.limits.firstRequestTime = .milliseconds(1)
      $0.listener.limits.idleTime = .seconds(600)
    })
    let silent = try RawClient(port: server.port)
    _ = try await server.get("/healthz")

    let ending = try await server.stop()
    let rest = try await OffPool.run { silent.readToEnd() }

    #expect(ending == .drained)
    #expect(rest.isEmpty)
  }

  // MARK: Above the limit

  @Test func `a silent connection above the limit gets a 503 and is closed`() async throws {
    let server = try await ServerFixture(serving: { $0.listener.limits.maximumConnections = 2 })
    let kept = try (0..<2).map { _ in try RawClient(port: server.port) }
    for client in kept {
      client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
      _ = try await OffPool.run { client.read(until: "ok\n") }
    }

    let silent = try RawClient(port: server.port)
    let answer = try await OffPool.run { try silent.answer() }
    let connections = server.parts.metrics.connections
    let servedCount = connections.servedCount
    for client in kept { client.end() }
    await server.until { connections.servedCount == 0 }
    let later = try await server.get("/healthz")

    #expect(answer.status == 503)
    #expect(answer.isWhole)
    #expect(answer["retry-after"] == "1")
    #expect(answer["connection"] == "close")
    #expect(answer["content-type"] == "application/problem+json")
    #expect(answer["x-content-type-options"] == "nosniff")
    #expect(servedCount == 2)
    #expect(connections.refusedTotal == 1)
    #expect(later.status == 200)
  }

  @Test func `of simultaneous connections, the last one is above the limit`() async throws {
    let server = try await ServerFixture(serving: {
      $0.listener.limits.maximumConnections = 2
      $0.listener.threadCount = 4
    })
    let connections = server.parts.metrics.connections
    for turn in 0..<30 {
      let kept = try (0..<2).map { _ in try RawClient(port: server.port) }
      let answer = try await server.get("/healthz")
      #expect(answer.status == 503, "turn \(turn)")
      for client in kept { client.end() }
      await server.until { connections.servedCount == 0 }
    }
    #expect(connections.refusedTotal == 30)
  }
}

extension ServerFixture {
  /// Originals that were sent or queued for writing.
  fileprivate var imageCount: Int {
    parts.metrics.requests.statuses(of: ThumbnailRoute.image)[200] ?? 0
  }
}

/// The consecutive responses of a connection.
private struct Answers {
  struct Answer {
    let status: Int
    let body: ArraySlice<UInt8>

    /// Compared as data, which is fast: there are many of them.
    func isBody(_ other: [UInt8]) -> Bool { Data(body) == Data(other) }
  }
  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func next() throws -> Answer? {
    guard place < bytes.count else { return nil }
    let mark = Array("\r\n\r\n".utf8)
    var end = place
    while end < bytes.count, bytes[end] != 13 || !bytes[end...].starts(with: mark) { end += 1 }
    let head = try RawAnswer(Array(bytes[place..<min(end + 4, bytes.count)]))
    let length = head["content-length"].flatMap { Int($0) } ?? 0
    let body = bytes[min(end + 4, bytes.count)..<min(end + 4 + length, bytes.count)]
    place = body.endIndex
    return Answer(status: head.status, body: body)
  }
}
