import Foundation
import Testing

@testable import ImageModel
@testable import SampleFeed
@testable import TestSupport
@testable import ThumbnailServer

/// Several `imgcache serve` with a `redis-server` behind them.
@Suite(.needsRedis)
struct `Several servers with a shared tier` {
  private static let authorization = ["Authorization: Bearer s3cret"]

  private static func servers(
    _ count: Int, _ tier: String, _ more: [String] = []
  ) async throws -> [ServeProgram] {
    var servers: [ServeProgram] = []
    for _ in 0..<count {
      let scratch = try Scratch()
      try scratch.write("s3cret\n", to: "keys")
      servers.append(
        try await ServeProgram(
          [
            "--allow-host", "127.0.0.1", "--allow-private-network", "--tier", tier,
            "--admin-key-file", scratch / "keys", "--access-log", scratch / "access",
          ] + more, scratch: scratch))
    }
    return servers
  }

  private static func origin(_ count: Int, delay: Duration = .zero) throws -> FaultyOrigin {
    let picture = SampleImages.widePhoto
    let answer = FaultyOrigin.Answer.custom { request, connection in
      usleep(UInt32(delay / .microseconds(1)))
      var response = LoopbackResponse(status: 200, body: picture)
      response.headers = [("Cache-Control", "max-age=600")]
      return connection.send(response.wire(isHead: false, keepsAlive: true))
    }
    return try FaultyOrigin(
      Dictionary(uniqueKeysWithValues: (0..<count).map { ("/\($0).jpg", [answer]) }))
  }

  private static func target(_ route: String, _ url: String) -> String {
    "\(route)url=\(QueryPairs.encoded(url))"
  }

  @Test func `report where a thumbnail came from, and drop what one of them purges`() async throws {
    let redis = try RedisProgram()
    try await redis.waitUntilReady()
    let tier = "redis://\(redis.endpoint)?deadline=30s"
    let servers = try await Self.servers(2, tier)
    let origin = try Self.origin(2)
    defer { origin.stop() }
    let thumbnail = Self.target("/thumb?w=40&h=30&", origin.url("/0.jpg"))

    let made = try await servers[0].exchange("GET", thumbnail)
    #expect(made["cache-status"] == "imgcache; fwd=miss")
    let taken = try await RedisProgram.first {
      let answer = try await servers[1].exchange("GET", thumbnail)
      return answer["cache-status"] == "imgcache; fwd=miss" ? nil : answer
    }
    #expect(taken["cache-status"] == "imgcache; hit; detail=shared")
    #expect(taken["server-timing"]?.contains("shared;dur=") == true)
    #expect(taken["etag"] == made["etag"] && taken.body == made.body)
    #expect(taken["cache-tag"] == made["cache-tag"])
    #expect(origin.requests.count == 1)
    // The line follows the response.
    try await RedisProgram.wait {
      try servers[1].scratch.text(of: "access").contains(" shared ")
    }
    let statistics = try await servers[1].exchange("GET", "/stats").text
    #expect(statistics.contains("\"shared_hits\":1"))

    // From the memory of the other server, too.
    #expect(
      try await servers[1].exchange("GET", thumbnail)["cache-status"]
        == "imgcache; hit; detail=memory")
    let purged = try await servers[0].exchange(
      "DELETE", Self.target("/image?", origin.url("/0.jpg")), Self.authorization)
    #expect(purged.status == 200)
    try await RedisProgram.wait {
      try await servers[1].exchange("GET", thumbnail)["cache-status"] == "imgcache; fwd=miss"
    }
    #expect(origin.requests.count == 2)

    // The commands on the same machine.
    let (url, named) = (origin.url("/0.jpg"), ["--tier", tier])
    let explain = ["explain", url, "--json"] + named
    let explained = try await Tool.run(explain, cache: servers[0].scratch)
    #expect(explained.output.contains("\"shared_tier\":\"hit\""))
    let removed = try await Tool.run(["rm", url] + named, cache: servers[1].scratch)
    #expect(removed.status == 0, "\(removed.errors)")
    let absent = try await Tool.run(explain, cache: servers[1].scratch)
    #expect(absent.output.contains("\"shared_tier\":\"miss\""))
    for server in servers { #expect(try await server.stop() == 0) }
  }

  @Test(.needsMoto)
  func `find originals in the tier's bucket, which is separate from image buckets`() async throws {
    let redis = try RedisProgram()
    let moto = try await MotoServer(checksSignatures: true)
    defer { moto.stop() }
    try await redis.waitUntilReady()
    let scratch = try Scratch()
    let credentials = try scratch.write(
      "[default]\naws_access_key_id=\(moto.accessKey)\naws_secret_access_key=\(moto.secretKey)\n",
      to: "credentials")
    let bucket = [
      "--tier2", "s3://photos", "--s3",
      "photos=endpoint=http://127.0.0.1:\(moto.port),credentials=\(credentials)",
    ]
    let tier = "redis://\(redis.endpoint)?deadline=30s"
    let servers = try await Self.servers(2, tier, bucket)
    let origin = try Self.origin(1)
    let original = Self.target("/image?", origin.url("/0.jpg"))
    #expect(try await servers[0].exchange("GET", original).status == 200)
    // The two writes do not wait for each other.
    try await RedisProgram.wait { try await redis.cli("keys", "*:o") != "" }
    try await RedisProgram.wait { try await moto.hasObjects() }
    _ = try await redis.cli("flushall")
    let taken = try await servers[1].exchange("GET", original)
    #expect(taken["cache-status"] == "imgcache; hit; detail=shared")
    #expect(taken.body == SampleImages.widePhoto)
    #expect(origin.requests.count == 1)

    let check = try await Tool.imgcache.run(["tier", "check", "--tier", tier] + bucket)
    #expect(check.status == 0, "\(check.output)\(check.errors)")
    let refused = try await servers[1].exchange("GET", "/image?url=s3%3A%2F%2Fphotos%2Fic1")
    #expect(refused.status == 403)
    for server in servers { #expect(try await server.stop() == 0) }
  }

  @Test func `serve what was prefetched elsewhere`() async throws {
    let redis = try RedisProgram()
    try await redis.waitUntilReady()
    let (scratch, other) = (try Scratch(), try Scratch())
    let tier = "redis://\(redis.endpoint)?deadline=30s"
    let prefetch = ["prefetch", "--sample", "--tier", tier, "--json"]
    let first = try await Tool.run(prefetch, cache: scratch)
    let values = try await redis.cli("keys", "*:o").split(separator: "\n").count
    let second = try await Tool.run(prefetch, cache: other)
    #expect(first.status == 0 && second.status == 0, "\(first.errors)\(second.errors)")
    let (one, two) = (try #require(first.objects().last), try #require(second.objects().last))
    let count = try #require(one["downloaded"] as? Int)
    #expect(count > 0 && values == count)
    #expect(two["downloaded"] as? Int == 0 && two["cached"] as? Int == count, "\(two)")
  }
}
