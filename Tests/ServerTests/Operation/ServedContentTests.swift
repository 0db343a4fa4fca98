import Foundation
import Testing

@testable import HTTPListening
@testable import ImageModel
@testable import ThumbnailServer
@testable import TestSupport

/// What a server shows, and to which clients.
@Suite struct `A server for strangers` {
  private func server(
    _ change: @escaping (inout ThumbnailServer.Configuration) -> Void
  ) async throws -> ServerFixture {
    try await ServerFixture(
      ["/a.jpg": [.whole(SampleImages.widePhoto, fields: ["Cache-Control: max-age=600"])]],
      serving: change)
  }

  @Test func `that serves only images has no other path, whatever the key`() async throws {
    let server = try await server {
      $0.servesOnlyImages = true
      $0.adminKeys = [SigningKey(name: nil, secret: Array("key".utf8))]
    }
    let key = ["Authorization: Bearer key"]

    for target in [server.thumb("/a.jpg"), server.image("/a.jpg"), "/healthz", "/readyz"] {
      #expect(try await server.get(target).status == 200)
    }
    let info = try await server.get(server.image("/a.jpg").replacing("/image", with: "/info"))
    #expect(info.status == 200)
    for target in [
      "/", "/days", "/days/latest", "/metrics", "/stats", "/status", "/status.json",
      "/status/status.css", "/reader/reader.js", "/tags/a", "/purge",
    ] {
      #expect(try await server.get(target, key).status == 404, "\(target)")
    }
    #expect(try await server.exchange("POST", "/purge", key, body: "{}").status == 404)
    #expect(try await server.exchange("DELETE", server.image("/a.jpg"), key).status == 405)
  }

  // MARK: Pages of other origins

  private static let page = "Origin: https://example.org"

  @Test func `that lets every page read says so in each response, from memory as well`()
    async throws
  {
    let server = try await server { $0.listener.readingOrigins = ["*"] }

    let first = try await server.get(server.thumb("/a.jpg"))
    let hit = try await server.get(server.thumb("/a.jpg"), [Self.page])
    let known = try await server.get(
      server.thumb("/a.jpg"), [Self.page, "If-None-Match: \(first["etag"] ?? "")"])
    let missing = try await server.get("/nothing", [Self.page])
    let wrong = try await server.get("/thumb?w=1", [Self.page])
    let long = try await server.get("/" + String(repeating: "a", count: 20_000), [Self.page])

    #expect(hit["cache-status"] == "imgcache; hit; detail=memory")
    #expect([first, hit, known].map(\.status) == [200, 200, 304])
    #expect([missing, wrong, long].map(\.status) == [404, 400, 414])
    for answer in [first, hit, known, missing, wrong, long] {
      #expect(answer["access-control-allow-origin"] == "*")
      #expect(answer["access-control-expose-headers"]?.contains("ETag") == true)
      #expect(answer["vary"] != "Origin")
    }
    for target in ["/metrics", "/stats", "/status", "/healthz"] {
      #expect(try await server.get(target, [Self.page])["access-control-allow-origin"] == nil)
    }
  }

  @Test func `that lets some pages read names the origin, and varies by it`() async throws {
    let server = try await server {
      $0.listener.readingOrigins = ["https://example.org", "https://example.com"]
    }

    let first = try await server.get(server.thumb("/a.jpg"), [Self.page])
    let hit = try await server.get(server.thumb("/a.jpg"), [Self.page])
    let other = try await server.get(server.thumb("/a.jpg"), ["Origin: https://example.com"])
    let plain = try await server.get(server.thumb("/a.jpg"))
    let strange = try await server.get(server.thumb("/a.jpg"), ["Origin: https://evil.example"])
    let two = try await server.get(server.thumb("/a.jpg"), [Self.page, Self.page])

    for answer in [first, hit] {
      #expect(answer["access-control-allow-origin"] == "https://example.org")
      #expect(answer["vary"] == "Accept, Origin")
    }
    #expect(hit["cache-status"] == "imgcache; hit; detail=memory")
    #expect(other["access-control-allow-origin"] == "https://example.com")
    for answer in [plain, strange, two] {
      #expect(answer.status == 200 && answer["access-control-allow-origin"] == nil)
      #expect(answer["vary"] == "Accept, Origin")
    }
  }

  @Test func `answers a preflight with the methods and fields that may be sent`() async throws {
    let server = try await server { $0.listener.readingOrigins = ["https://example.org"] }
    let asked = [
      "Access-Control-Request-Method: GET",
      "Access-Control-Request-Headers: range, X-Other,If-None-Match",
    ]

    let allowed = try await server.exchange(
      "OPTIONS", server.thumb("/a.jpg"), asked + [Self.page])
    let refused = try await server.exchange(
      "OPTIONS", server.thumb("/a.jpg"), asked + ["Origin: https://evil.example"])
    let plain = try await server.exchange("OPTIONS", server.thumb("/a.jpg"), [Self.page])

    #expect(allowed.status == 204 && allowed.body.isEmpty)
    #expect(allowed["access-control-allow-origin"] == "https://example.org")
    #expect(allowed["access-control-allow-methods"] == "GET, HEAD")
    #expect(allowed["access-control-allow-headers"] == "if-none-match, range")
    #expect(allowed["access-control-max-age"] == "7200" && allowed["vary"] == "Origin")
    #expect(refused.status == 204 && refused["access-control-allow-origin"] == nil)
    #expect(plain.status == 405)
  }

  @Test func `that lets no page read has no such fields`() async throws {
    let server = try await server { _ in }

    let answer = try await server.get(server.thumb("/a.jpg"), [Self.page])

    #expect(!answer.fields.contains { $0.name.hasPrefix("access-control") })
    #expect(answer["vary"] == "Accept")
  }

  // MARK: Refusals in the log

  @Test func `logs a refusal once a minute for each host and code, with what would permit it`()
    async throws
  {
    let lines = Locked<[String]>([])
    let (clock, secret) = (ManualClock(Date()), "Signature")
    let server = try await ServerFixture(
      [
        "/r": [.whole([], status: 302, fields: ["Location: http://elsewhere.example/a.jpg"])]
      ], clock: clock,
      serving: { configuration in
        configuration.log = { line in lines.withLock { $0.append(line) } }
      })
    func get(_ url: String) async throws -> Int {
      try await server.get("/thumb?url=\(QueryPairs.encoded(url))&w=1").status
    }

    for path in ["a", "b", secret] {
      #expect(try await get("http://blocked.example/\(path)") == 403)
    }
    #expect(try await get("http://other.example/") == 403)
    #expect(try await get("s3://photos/a.jpg") == 403)
    #expect(try await get(server.origin.url("/r")) == 403)
    let first = lines.withLock { $0 }
    clock.advance(by: 61)
    #expect(try await get("http://blocked.example/c") == 403)

    #expect(first.count == 4)
    #expect(
      first.first
        == "refused an image of blocked.example (host_not_allowed): permit it by "
        + "ThumbnailServer.Configuration.allowedHosts blocked.example")
    #expect(first.last?.hasPrefix("refused an image of 127.0.0.1 (redirect_not_allowed)") == true)
    #expect(first.last?.hasSuffix("allowedHosts elsewhere.example") == true)
    #expect(lines.withLock { $0.count } == 5)
    #expect(!lines.withLock { $0.joined() }.contains(secret))
  }

  @Test func `logs private addresses and bad signatures, and no more than a hundred a minute`()
    async throws
  {
    let lines = Locked<[String]>([])
    let write: @Sendable (String) -> Void = { line in lines.withLock { $0.append(line) } }
    let server = try await ServerFixture(
      ["/a.jpg": [.whole(SampleImages.widePhoto)]], privateNetworks: false,
      serving: { $0.log = write })
    let clock = ManualClock()
    let log = RefusalLog(clock: { clock.now }, write: write)

    #expect(try await server.get(server.thumb("/a.jpg")).status == 403)
    log.note(.badSignature, of: "https://example.org/a.jpg")
    log.note(.notFound, of: "https://example.org/a.jpg")
    for number in 0..<300 { log.note(.forbidden, of: "https://h\(number).example/") }

    let all = lines.withLock { $0 }
    #expect(all[0].hasSuffix("permit such ones by HostGuard.allowsPrivateNetworks"))
    #expect(all[1].hasPrefix("refused an image of example.org (bad_signature): sign the request"))
    #expect(all.count == 101)
  }
}
