import Foundation
import Testing

@testable import ImageModel
@testable import RedisClustering
@testable import SharedCaching
@testable import imgcache
@testable import TestSupport

@Suite struct `The URL of the shared tier` {
  private func read(
    _ text: String, files: [String: String] = [:]
  ) throws(ImageError) -> SharedTier.Configuration {
    try TierURL(text).configuration { path throws(ImageError) in
      guard let text = files[path] else {
        throw ImageError(.invalidArgument, "no file \(path)")
      }
      return Array(text.utf8)
    }
  }

  @Test func `names servers and what is different from the defaults`() throws {
    let plain = try read("redis://10.0.0.1:6379,db,[fd00::1]:7000")
    #expect(
      plain.servers.servers.map(\.description) == ["10.0.0.1:6379", "db:6379", "[fd00::1]:7000"])
    #expect(plain.servers.deadline == .milliseconds(100))
    #expect(plain.maximumBodyByteCount == 8 << 20)
    #expect(plain.servers.password == nil)
    #expect(plain.servers.tls == nil)

    let whole = try read(
      "redis://a:1?deadline=250ms&max=2MiB&namespace=a%26b&user=images&password-file=/p%20w&tls&ca-file=/c&tls-name=n",
      files: ["/p w": "secret\nand a comment"])
    #expect(whole.servers.deadline == .milliseconds(250))
    #expect(whole.servers.connectTimeout == .milliseconds(125))
    #expect(whole.maximumBodyByteCount == 2 << 20)
    #expect(whole.namespace == "a&b")
    #expect(whole.servers.user == "images")
    #expect(whole.servers.password == "secret")
    #expect(whole.servers.tls?.trustedCertificates == "/c")
    #expect(whole.servers.tls?.serverName == "n")
    #expect(try read("rediss://a").servers.tls != nil)
    #expect(try read("redis://a:1/").servers.servers.map(\.port) == [1])
    // A large limit needs room in a reply.
    #expect(try read("redis://a?max=64MiB").servers.maximumReplyByteCount > 64 << 20)
  }

  @Test(arguments: [
    ("http://a:1", "must begin with redis://"), ("redis://", "is not HOST:PORT"),
    ("redis://a:0", "is not HOST:PORT"), ("redis://a,,b", "is not HOST:PORT"),
    ("redis://:secret@a:1", "password"), ("redis://user:secret@a:1", "password"),
    ("redis://a?x=1", "\"x\" is not one of"), ("redis://a?max=0", "max is"),
    ("redis://a?max=65MiB", "max is"), ("redis://a?deadline=0", "deadline is"),
    ("redis://a?deadline=2h", "deadline is"), ("redis://a?deadline=", "has no value"),
    ("redis://a?tls=1", "\"tls\" has no value"), ("redis://a?user=b", "password-file"),
    ("redis://a?namespace=b&namespace=c", "repeated"),
    ("redis://a?namespace=%2", "percent-encoded"),
    ("redis://a?ca-file=/c", "need tls"), ("redis://a?password-file=/none", "no file /none"),
    ("redis://a?password-file=/empty", "no password"),
  ])
  func `that is malformed is refused with what is wrong`(text: String, reason: String) {
    let error = #expect(throws: ImageError.self) { try read(text, files: ["/empty": "\n"]) }
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("secret") == false)
  }

  @Test(.needsRedis) func `is checked by a command that says what is wrong`() async throws {
    let server = try RedisProgram(["--requirepass", "secret", "--maxmemory", "64mb"])
    try await RedisProgram.wait { try await server.cli("-a", "secret", "ping") == "PONG" }
    let scratch = try Scratch()
    let password = try scratch.write("secret\n", to: "password")
    let url = "redis://127.0.0.1:\(server.port)?deadline=10s"
    let check = ["tier", "check", "--tier"]
    let named = check + ["\(url)&password-file=\(password)"]

    let good = try await Tool.imgcache.run(named + ["--json"])
    #expect(good.status == 0, "\(good.errors)")
    let object = try #require(try good.objects().first)
    #expect(object["usable"] as? Bool == true && object["cluster"] as? Bool == false)
    let servers = try #require(object["servers"] as? [[String: Any]])
    #expect(servers.count == 1)
    #expect(servers[0]["maximum_memory"] as? Int == 64 << 20)
    #expect(servers[0]["eviction_policy"] as? String == "noeviction")
    #expect((servers[0]["version"] as? String)?.isEmpty == false)
    #expect((object["warnings"] as? [String])?.contains { $0.contains("allkeys-lfu") } == true)
    // It leaves nothing behind.
    #expect(try await server.cli("-a", "secret", "dbsize") == "0")

    let refused = try await Tool.imgcache.run(check + [url])
    #expect(refused.status == 2)
    #expect(refused.output.contains("NOAUTH") && refused.output.contains("not usable"))
    server.kill()
    let dead = try await Tool.imgcache.run(named)
    let fault = "127.0.0.1:\(server.port): cannot connect: Connection refused\n"
    #expect(dead.status == 2 && !dead.output.contains("secret"))
    #expect(dead.output.contains("problem: no server can be used: " + fault))
    #expect(try await Tool.imgcache.run(check + ["redis://"]).status == 64)
  }
}
