import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@testable import HTTPListening
@testable import ImageModel
@testable import ThumbnailServer
@testable import TestSupport

/// The routes of a thumbnail server below a path of another server.
@Suite struct `Mounted routes` {
  private static let picture = SampleImages.widePhoto
  private static let fresh = ["Cache-Control: max-age=1000", "Content-Type: image/jpeg"]
  private static let key = SigningKey(name: "k1", secret: Array("correct horse".utf8))

  private func fixture(
    _ body: [UInt8] = picture, _ change: (inout ThumbnailServer.Configuration) -> Void = { _ in }
  ) async throws -> ServerFixture {
    try await ServerFixture(["/a.jpg": [.whole(body, fields: Self.fresh)]], serving: change)
  }

  /// The answer of routes to a request, in the form of one that came over the wire.
  private func answer(
    _ routes: MountedRoutes, _ method: String, _ target: String, _ lines: [String] = [],
    body: String = ""
  ) async throws -> RawAnswer {
    var request = HTTPRequest(
      method: try #require(HTTPRequest.Method(method)), scheme: "http", authority: "localhost",
      path: target)
    for line in lines {
      let parts = line.split(separator: ": ", maxSplits: 1)
      request.headerFields.append(
        HTTPField(name: try #require(HTTPField.Name(String(parts[0]))), value: String(parts[1])))
    }
    let answer = await routes.respond(to: request, body: ByteBuffer(string: body))
    var bytes = ByteBuffer()
    try await answer.writeBody { piece in
      #expect(piece.readableBytes <= 65_536)
      bytes.writeImmutableBuffer(piece)
    }
    return RawAnswer(
      interim: [], status: answer.status.code,
      fields: answer.fields.map { ($0.name.canonicalName, $0.value) },
      body: Array(bytes.readableBytesView), isWhole: true)
  }

  /// All of an answer but what is of its connection or its moment.
  private func contents(_ answer: RawAnswer) -> [String] {
    let fields = answer.fields.filter { !["connection", "server-timing"].contains($0.name) }
      .map { "\($0.name): \($0.value)" }
    return ["\(answer.status)", "\(answer.body)"] + fields.sorted()
  }

  private static let requests: [(String, String, [String])] = [
    ("GET", "thumb?w=40&h=30&url=", []), ("HEAD", "thumb?w=40&h=30&url=", []),
    ("GET", "thumb?w=40&h=30&url=", ["Accept: image/webp"]),
    ("GET", "thumb?w=40&h=30&url=", ["If-None-Match: *"]),
    ("GET", "thumb?w=40&h=30&url=", ["Range: bytes=10-19"]),
    ("GET", "thumb?w=40&h=30&url=", ["Range: bytes=0-1,200-201"]),
    ("GET", "thumb?w=40&h=30&url=", ["Range: bytes=999999-"]),
    ("GET", "thumb?w=40&h=30&url=", ["If-Match: \"other\""]),
    ("GET", "image?url=", []), ("HEAD", "image?url=", []), ("GET", "info?url=", []),
    ("GET", "thumb?w=9000&h=1&url=", []), ("GET", "thumb?nothing=1&url=", []),
    ("GET", "image?x=\(String(repeating: "x", count: 9000))&url=", []), ("PUT", "image?url=", []),
    ("DELETE", "image?url=", []), ("GET", "other?url=", []),
  ]

  @Test(arguments: requests)
  func `answer as those of the listener do, in a router and in a pipeline`(
    method: String, target: String, lines: [String]
  ) async throws {
    let server = try await fixture()
    let pipeline = try await PipelineServer(server.server.routes(under: "/own/images/"))
    let routes = server.server.routes(under: "own/images")
    let rest = target + QueryPairs.encoded(server.origin.url("/a.jpg"))
    func all() async throws -> [[String]] {
      let answers = [
        try await server.exchange(method, "/" + rest, lines),
        try await answer(routes, method, "/own/images/" + rest, lines),
        try await pipeline.exchange(method, "/own/images/" + rest, lines),
      ]
      return answers.map(contents)
    }

    // The first time, they come from the origin or the disk; then what may be is in memory.
    _ = try await all()
    let answers = try await all()

    if !target.hasPrefix("image?x"), !lines.contains(where: { $0.contains("0-1,") }) {
      #expect(answers[1] == answers[0])
      #expect(answers[2] == answers[0])
    }
    #expect(answers.map(\.first) == Array(repeating: answers[0].first, count: 3))
    try await pipeline.stop()
  }

  @Test func `send what is in memory, and 304 to a client that has it`() async throws {
    let server = try await fixture()
    let routes = server.server.routes(under: "/images")
    let target = "/images" + server.thumb("/a.jpg")

    let first = try await answer(routes, "GET", target)
    let second = try await answer(routes, "GET", target)
    let tag = try #require(first["etag"])
    let known = try await answer(routes, "GET", target, ["If-None-Match: \(tag)"])

    #expect(first.status == 200 && first["cache-status"] == "imgcache; fwd=miss")
    #expect(second["cache-status"] == "imgcache; hit; detail=memory")
    #expect(second.body == first.body && second["content-length"] == "\(first.body.count)")
    #expect(known.status == 304 && known.body.isEmpty && known["content-length"] == nil)
    #expect(server.parts.metrics.requests.statuses(of: ThumbnailRoute.thumb) == [200: 2, 304: 1])
    #expect(server.parts.metrics.requests.count(of: .memory) == 2)
  }

  @Test func `send a large original from its file`() async throws {
    let body = Self.picture + (0..<1_500_000).map { UInt8(truncatingIfNeeded: $0) }
    let server = try await fixture(body)
    let target = "/images" + server.image("/a.jpg")
    let routes = server.server.routes(under: "/images")

    #expect(try await answer(routes, "GET", target).body == body)
    let part = try await answer(routes, "GET", target, ["Range: bytes=70000-1400000"])
    #expect(part.status == 206 && part.body == Array(body[70000...1_400_000]))
    let head = try await answer(routes, "HEAD", target)
    #expect(head.body.isEmpty && head["content-length"] == "\(body.count)")
  }

  @Test func `are those below the path alone`() async throws {
    let server = try await fixture()
    let routes = server.server.routes(under: "/images")
    for target in ["/images", "/imagesthumb?url=a", server.thumb("/a.jpg"), "/", ""] {
      #expect(try await answer(routes, "GET", target).text.contains("no_such_page"), "\(target)")
    }
    // At the root there is no path to remove.
    let root = server.server.routes()
    #expect(try await answer(root, "GET", server.thumb("/a.jpg")).status == 200)
    #expect(try await answer(root, "GET", "http://a.test" + server.thumb("/a.jpg")).status == 200)
  }

  @Test func `take the signature of the whole path, from memory too`() async throws {
    let server = try await fixture { $0.signingKeys = [Self.key] }
    let routes = server.server.routes(under: "/images")
    let target = server.thumb("/a.jpg")
    let signer = URLSigner(keys: [Self.key])
    let mounted = try signer.sign("/images" + target)
    let own = try signer.sign(target)

    for _ in 1...2 {
      #expect(try await answer(routes, "GET", mounted).status == 200)
      #expect(try await answer(routes, "GET", "/images" + own).status == 403)
      #expect(try await answer(routes, "GET", "/images" + target).status == 403)
      #expect(try await server.get(own).status == 200)
      #expect(try await server.get(String(mounted.dropFirst("/images".count))).status == 403)
    }
  }

  @Test func `remove images and show metrics with an admin key`() async throws {
    let lines = Locked<[String]>([])
    let server = try await fixture {
      $0.adminKeys = [Self.key]
      $0.accessLog = AccessLog.Configuration { line in lines.withLock { $0.append(line) } }
    }
    let routes = server.server.routes(under: "/images")
    let secret = ["Authorization: Bearer correct horse"]
    let purge = "{\"urls\":[\"\(server.origin.url("/a.jpg"))\"]}"
    let length = ["Content-Length: \(purge.utf8.count)"]
    #expect(try await answer(routes, "GET", "/images" + server.thumb("/a.jpg")).status == 200)

    let refused = try await answer(routes, "POST", "/images/purge", length, body: purge)
    let purged = try await answer(routes, "POST", "/images/purge", secret + length, body: purge)
    let large = try await answer(
      routes, "POST", "/images/purge", secret + ["Content-Length: 1048577"])

    #expect(refused.status == 403 && large.status == 413)
    #expect(purged.status == 200 && purged.text != "{\"removed\":0}\n")
    let again = try await answer(routes, "GET", "/images" + server.thumb("/a.jpg"))
    #expect(again["cache-status"] == "imgcache; fwd=miss")
    #expect(try await answer(routes, "GET", "/images/metrics").status == 403)
    let metrics = try await answer(routes, "GET", "/images/metrics", secret).text
    #expect(metrics.contains("imgcache_requests_total{route=\"purge\",code=\"200\"} 1\n"))
    #expect(lines.withLock { $0.first }?.contains("\"GET /images/thumb?url=") == true)
  }

  // MARK: In a pipeline

  @Test func `pass on all other requests of a connection, in their order`() async throws {
    let server = try await fixture()
    let pipeline = try await PipelineServer(server.server.routes(under: "/images"))
    let image = "GET /images\(server.thumb("/a.jpg")) HTTP/1.1\r\nHost: a\r\n"
    let own = "POST /own HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"

    let answers = try await pipeline.talk(
      own + image + "\r\n" + own + image + "Connection: close\r\n\r\n")

    let heads = answers.ranges(of: "HTTP/1.1 200 OK\r\n").count
    let places = ["own: abc", "image/jpeg", "own: abc", "image/jpeg"]
    var rest = answers[...]
    for place in places {
      let found = try #require(rest.firstRange(of: place), "\(place) in \(rest.count)")
      rest = rest[found.upperBound...]
    }
    #expect(heads == 4)
    try await pipeline.stop()
  }

  @Test func `read the body of a purge, and wait for none that is refused`() async throws {
    let server = try await fixture { $0.adminKeys = [Self.key] }
    let pipeline = try await PipelineServer(server.server.routes(under: "/images"))
    let head = "POST /images/purge HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer correct horse\r\n"

    let purged = try await pipeline.talk(
      head + "Connection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}")
    let refused = try await pipeline.talk(head + "Content-Length: 999999999\r\n\r\n{")

    #expect(purged.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"))
    #expect(purged.hasSuffix("{\"removed\":0}\n"))
    #expect(refused.hasPrefix("HTTP/1.1 413 ") && refused.contains("body_too_large"))
    #expect(refused.contains("Connection: close\r\n"))
    try await pipeline.stop()
  }
}

/// A server on NIO's HTTP/1 with mounted routes and a handler of its own.
private struct PipelineServer: Sendable {
  private let threads = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let listener: any Channel
  private let port: UInt16

  init(_ routes: MountedRoutes) async throws {
    listener = try await ServerBootstrap(group: threads)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          try pipeline.configureHTTPServerPipeline()
          try pipeline.addHandler(routes.channelHandler())
          try pipeline.addHandler(OwnHandler())
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    port = UInt16(try #require(listener.localAddress?.port))
  }

  func stop() async throws {
    try await listener.close()
    try await threads.shutdownGracefully()
  }

  func exchange(_ method: String, _ target: String, _ lines: [String]) async throws -> RawAnswer {
    let port = port
    return try await OffPool.run {
      try RawClient(port: port).exchange(method, target, lines: lines)
    }
  }

  /// Sends bytes and reads to the end of the connection.
  func talk(_ text: String) async throws -> String {
    let port = port
    return try await OffPool.run {
      let client = try RawClient(port: port)
      client.send(text)
      return client.readToEnd()
    }
  }
}

/// Returns the body of each request.
private final class OwnHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private var body = "own: "

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head: body = "own: "
    case .body(let bytes): body += String(buffer: bytes)
    case .end:
      let head = HTTPResponseHead(
        version: .http1_1, status: .ok, headers: ["Content-Length": "\(body.utf8.count)"])
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: body)))), promise: nil)
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
  }
}
