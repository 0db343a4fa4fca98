import Foundation
import Testing

@testable import DiskCaching
@testable import HTTPListening
@testable import ImagePipeline
@testable import ThumbnailServer
@testable import TestSupport

/// Removing images from a running server.
@Suite struct `Purges over HTTP` {
  private static let admin = "Authorization: Bearer correct horse"
  private static let keys = [
    SigningKey(name: "old", secret: Array("battery".utf8)),
    SigningKey(name: nil, secret: Array("correct horse".utf8)),
  ]

  /// With other bytes than the first image.
  private static let other = SampleImages.widePhoto + [0]

  private func server(
    _ scripts: [String: [FaultyOrigin.Answer]]? = nil,
    serving change: (inout ThumbnailServer.Configuration) -> Void = { _ in }
  ) async throws -> ServerFixture {
    let fields = ["Cache-Control: max-age=600", "Cache-Tag: red,blue"]
    return try await ServerFixture(
      scripts ?? [
        "/a.jpg": [.whole(SampleImages.widePhoto, fields: fields)],
        "/b.jpg": [.whole(Self.other, fields: fields)],
      ],
      serving: {
        $0.adminKeys = Self.keys
        change(&$0)
      })
  }

  /// The `Cache-Status` of a thumbnail and the original of a path.
  private func sources(_ server: ServerFixture, _ path: String) async throws -> [String] {
    [
      try await server.get(server.thumb(path))["cache-status"] ?? "",
      try await server.get(server.image(path))["cache-status"] ?? "",
    ]
  }

  private let memory = "imgcache; hit; detail=memory"
  private let miss = "imgcache; fwd=miss"

  @Test(arguments: ["DELETE", "PURGE"])
  func `a purged image leaves memory and disk, with its thumbnails`(method: String) async throws {
    let server = try await server()
    for path in ["/a.jpg", "/b.jpg"] { _ = try await sources(server, path) }
    #expect(try await sources(server, "/a.jpg") == [memory, memory])

    let answer = try await server.exchange(method, server.image("/a.jpg"), [Self.admin])
    let again = try await server.exchange(method, server.image("/a.jpg"), [Self.admin])
    server.clock.advance(by: 1)

    #expect(answer.status == 200)
    #expect(answer["content-type"] == "application/json")
    #expect(answer["cache-control"] == "no-store")
    #expect(answer.text == "{\"removed\":2}\n")
    #expect(again.text == "{\"removed\":0}\n")
    #expect(try await sources(server, "/b.jpg") == [memory, memory])
    #expect(try await sources(server, "/a.jpg").first == miss)
    #expect(server.origin.requests.count == 3)
    let metrics = try await server.get("/metrics")
    #expect(metrics.text.contains("imgcache_purged_total 2\n"))
  }

  @Test func `the tags of a response purge it`() async throws {
    let server = try await server()
    let answer = try await server.get(server.thumb("/a.jpg"))
    let hot = try await server.exchange("HEAD", server.thumb("/a.jpg"))
    let url = server.origin.url("/a.jpg")
    let tags = try #require(answer["cache-tag"]).split(separator: " ").map(String.init)

    #expect(tags == [CacheTag.source(url).name, "host-127.0.0.1", "red", "blue"])
    #expect(hot["cache-tag"] == answer["cache-tag"])
    for tag in tags {
      #expect(try await server.get(server.thumb("/a.jpg")).status == 200)
      let removed = try await server.exchange("DELETE", "/tags/\(tag)", [Self.admin])
      #expect(removed.text == "{\"removed\":2}\n", "\(tag)")
      server.clock.advance(by: 1)
    }
  }

  @Test func `the separator of tags may be a comma`() async throws {
    let server = try await server(serving: { $0.cacheTagSeparator = .comma })
    let answer = try await server.get(server.image("/a.jpg"))
    #expect(answer["cache-tag"]?.hasSuffix(",host-127.0.0.1,red,blue") == true)
  }

  @Test func `one POST removes many`() async throws {
    let server = try await server()
    for path in ["/a.jpg", "/b.jpg"] { _ = try await sources(server, path) }
    let body = """
      {"urls":["\(server.origin.url("/a.jpg"))","https://example.org/never.jpg"],"tags":["red"],"days":["20200616"]}
      """

    let answer = try await server.exchange("POST", "/purge", [Self.admin], body: body)

    #expect(answer.status == 200)
    #expect(answer.text == "{\"removed\":4}\n")
    #expect(await server.cache.statistics().entryCount == 0)
  }

  @Test func `a POST with what is no URL removes nothing`() async throws {
    let server = try await server()
    _ = try await sources(server, "/a.jpg")
    let body = "{\"urls\":[\"\(server.origin.url("/a.jpg"))\",\"/a.jpg\"]}"

    let answer = try await server.exchange("POST", "/purge", [Self.admin], body: body)

    #expect(answer.status == 400 && answer.text.contains("\"code\":\"bad_url\""))
    #expect(await server.cache.statistics().entryCount > 0)
  }

  @Test func `a malformed or large body, or one without a length, removes nothing`() async throws {
    let server = try await server()
    _ = try await sources(server, "/a.jpg")
    func status(
      _ line: String, _ target: String = "/purge", body: String? = nil
    ) async throws -> Int {
      try await server.exchange("POST", target, [Self.admin, line], body: body).status
    }

    #expect(try await status("X: 1", body: "{\"tags\":[\"a b\"]}") == 400)
    #expect(try await status("Content-Length: 1048577") == 413)
    #expect(try await status("Transfer-Encoding: chunked") == 413)
    #expect(try await status("X: 1", "/days/20200616/refresh", body: "{}") == 413)
    #expect(try await sources(server, "/a.jpg") == [memory, memory])
  }

  private static let requests = [
    ("DELETE", "/image?url=http%3A%2F%2Fa.b%2F"), ("PURGE", "/image?url=http%3A%2F%2Fa.b%2F"),
    ("DELETE", "/days/20200616"), ("DELETE", "/tags/red"), ("PURGE", "/tags/red"),
    ("POST", "/purge"),
  ]

  @Test func `a purge without the right key is 403, and 405 without admin keys`() async throws {
    let (server, without) = (
      try await server(), try await self.server(serving: { $0.adminKeys = nil })
    )
    for (method, target) in Self.requests {
      for lines in [
        [], ["Authorization: Bearer wrong"], [Self.admin, "Authorization: Bearer wrong"],
        [Self.admin, "Origin: http://evil.example"], [Self.admin, "Sec-Fetch-Site: cross-site"],
      ] {
        let answer = try await server.exchange(method, target, lines)
        #expect(answer.status == 403, "\(method) \(target) \(lines)")
      }
      let other = try await server.exchange(method, target, ["authorization: bearer  battery"])
      #expect(other.status == (target == "/purge" ? 400 : 200))
      let absent = try await without.exchange(
        method, target, [Self.admin], body: method == "POST" ? "{}" : nil)
      #expect(absent.status == 405 && absent["allow"] != nil, "\(method) \(target)")
    }
  }

  @Test func `a request that names nothing removes nothing`() async throws {
    let server = try await server()
    for (method, target, status) in [
      ("DELETE", "/image", 400), ("DELETE", "/image?url=", 400),
      ("DELETE", "/image?url=a&w=2", 400), ("DELETE", "/days/latest", 400),
      ("DELETE", "/days/2020", 400), ("DELETE", "/tags/a%20b", 400), ("DELETE", "/tags/a,b", 400),
      ("GET", "/tags/red", 405), ("GET", "/purge", 405), ("PURGE", "/days/20200616", 200),
      ("PURGE", "/thumb?url=a", 405), ("DELETE", "/", 405), ("PURGE", "/nothing", 404),
    ] {
      let answer = try await server.exchange(method, target, [Self.admin])
      #expect(answer.status == status, "\(method) \(target)")
    }
  }

  @Test
  func
    `a load that began before the purge is answered but not stored, and later ones do not join it`()
    async throws
  {
    let gate = Gate()
    let body = SampleImages.widePhoto
    let head = FaultyOrigin.head(length: body.count, fields: ["Cache-Control: max-age=600"])
    let fresh = FaultyOrigin.Answer.whole(body, fields: ["Cache-Control: max-age=600"])
    let server = try await server(["/a.jpg": [.held(head, gate, body), fresh]])
    let target = server.thumb("/a.jpg")

    async let early = server.get(target)
    await server.until { server.origin.requests.count == 1 }
    server.clock.advance(by: 1)
    let removed = try await server.exchange("DELETE", server.image("/a.jpg"), [Self.admin])
    server.clock.advance(by: 1)
    let late = try await server.get(target)
    gate.open()

    #expect(removed.status == 200)
    #expect(try await early.status == 200)
    #expect(late["cache-status"] == miss)
    #expect(server.origin.requests.count == 2)
    let record = await server.cache.record(for: .original(url: server.origin.url("/a.jpg")))
    #expect(try #require(record).requestTime > server.clock.now - 1)
    #expect(try await server.get(target)["age"] == "0")
  }

  @Test func `a connection with repeated requests counts its hits, sees a purge`() async throws {
    let server = try await server()
    let targets = ["/a.jpg", "/b.jpg"].map { server.image($0) }
    let port = server.port
    let answers = try await OffPool.run {
      let connection = KeptConnection(port: port)
      func sources() throws -> [String] {
        try targets.map { try connection.exchange("GET", $0)["cache-status"] ?? "" }
      }
      let before = try (0..<4).map { _ in try sources() }
      let purged = try connection.exchange("DELETE", targets[0], [Self.admin]).status
      server.clock.advance(by: 1)
      return try before + [["\(purged)"]] + (0..<2).map { _ in try sources() }
    }
    #expect(answers[0] == [miss, miss])
    #expect(answers[1...3].allSatisfy { $0 == [memory, memory] })
    #expect(Array(answers[4...]) == [["200"], [miss, memory], [memory, memory]])
    #expect(server.parts.metrics.requests.count(of: .memory) == 9)
    #expect(server.server.memory.cache.statistics.missCount == 3)
  }

  @Test func `an admin key replaces a signature, and its response is not stored`() async throws {
    let server = try await server(serving: {
      $0.signingKeys = [SigningKey(name: nil, secret: Array("sign".utf8))]
    })
    let target = server.thumb("/a.jpg")

    let answer = try await server.get(target, [Self.admin])
    let other = try await server.get(target)

    #expect(answer.status == 200)
    #expect(answer["cache-control"] == "no-store")
    #expect(other.status == 403)
  }

  @Test func `rules can be replaced, and responses under the former ones are dropped`() async throws
  {
    let server = try await server()
    _ = try await sources(server, "/a.jpg")
    var configuration = ThumbnailServer.Configuration()
    configuration.signingKeys = [SigningKey(name: nil, secret: Array("sign".utf8))]
    configuration.rules.presets = ["card": "w=10&h=10"]
    configuration.rules.presetsOnly = true
    server.server.replaceRules(by: configuration)

    #expect(try await sources(server, "/a.jpg") == ["", ""])
    let signer = URLSigner(keys: configuration.signingKeys)
    let free = try signer.sign(server.thumb("/a.jpg"))
    let preset = try signer.sign(server.thumb("/a.jpg", "preset=card"))
    let uncached = try signer.sign(server.image("/b.jpg"))
    #expect(try await server.get(free).status == 400)
    #expect(try await server.get(preset).status == 200)
    #expect(try await server.get(uncached).status == 403)
    #expect(try await server.exchange("DELETE", server.image("/a.jpg"), [Self.admin]).status == 405)
  }
}
