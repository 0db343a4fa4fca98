import Testing

@testable import HTTPCaching
@testable import ImageModel
@testable import RedisClustering
@testable import SharedCaching
@testable import TestSupport

@Suite struct `The check of a shared tier` {
  private func check(
    _ fault: @escaping @Sendable ([String]) -> MemoryRedis.Fault?
  ) async throws -> (check: TierCheck, redis: MemoryRedis) {
    let fixture = try await TierFixture(isConnected: false)
    fixture.redis.fail(fault)
    return (await check(fixture), fixture.redis)
  }

  /// Repeats a check that a busy machine was too slow for: its deadlines are fixed.
  private func check(_ fixture: TierFixture) async -> TierCheck {
    for _ in 0..<5 {
      let check = await fixture.tier.check()
      let texts = check.problems + check.warnings + check.servers.compactMap(\.failure)
      if !texts.contains(where: { $0.contains("in time") }) { return check }
    }
    return await fixture.tier.check()
  }

  private static func info(_ lines: [String]) -> MemoryRedis.Fault {
    let text = lines.joined(separator: "\r\n")
    return .reply("$\(text.utf8.count)\r\n\(text)\r\n")
  }

  @Test func `finds a usable tier, and leaves nothing in it`() async throws {
    let (check, redis) = try await check { _ in nil }
    let server = try #require(check.servers.first)

    #expect(check.isUsable)
    #expect(check.warnings == [])
    #expect(check.isCluster == false)
    #expect(check.servers.count == 1)
    #expect(server.endpoint == RedisEndpoint(host: "127.0.0.1", port: redis.port))
    #expect(server.isMaster)
    #expect(server.version == "redis 7.0.15")
    #expect(server.maximumMemory == 1_048_576)
    #expect(server.evictionPolicy == "allkeys-lfu")
    #expect(server.failure == nil)
    #expect(server.roundTrip != nil)
    #expect(check.readTime != nil)
    #expect(redis.keys == [])
  }

  @Test(
    arguments: [
      // Valkey reports a version of Redis as well; a user may have no right to read the facts.
      (["redis_version:7.2.4", "valkey_version:8.1.0", "no colon", ":"], "valkey 8.1.0"), ([], nil),
    ] as [([String], String?)])
  func `takes the version from the facts of a server, if it reports them`(
    lines: [String], version: String?
  ) async throws {
    let (check, _) = try await check {
      guard $0[0] == "INFO" else { return nil }
      return lines.isEmpty ? .reply("-NOPERM this user has no permissions\r\n") : Self.info(lines)
    }

    #expect(check.servers.first?.version == version)
    #expect(check.servers.first?.maximumMemory == nil && check.servers.first?.failure == nil)
    #expect(check.isUsable && (lines.isEmpty || check.warnings == []))
  }

  @Test(
    arguments: [
      (["maxmemory:0", "maxmemory_policy:noeviction"], "no limit of memory"),
      (["maxmemory:1", "maxmemory_policy:noeviction"], "noeviction"),
      (["maxmemory:1", "maxmemory_policy:volatile-lru"], "volatile-lru"),
    ] as [([String], String)])
  func `warns of a server that does not make room, and names the setting`(
    lines: [String], words: String
  ) async throws {
    let (check, redis) = try await check { $0[0] == "INFO" ? Self.info(lines) : nil }
    let warning = try #require(check.warnings.first)

    #expect(check.warnings.count == 1)
    #expect(warning.contains(words))
    #expect(warning.contains("127.0.0.1:\(redis.port)"))
    #expect(warning.contains("allkeys-lfu"))
    #expect(check.isUsable)
  }

  @Test(
    arguments: [
      ("-NOAUTH Authentication required.", "NOAUTH"), ("-LOADING dataset in memory", "LOADING"),
      ("-NOPERM no permissions to run 'ping'", nil),
    ] as [(String, String?)])
  func `lists a server that refuses everything as failed`(reply: String, reason: String?)
    async throws
  {
    let (check, _) = try await check { $0[0] == "PING" ? .reply(reply + "\r\n") : nil }

    #expect(check.servers.first?.failure?.prefix(while: { $0 != " " }).description == reason)
  }

  @Test func `says that no server can be used, and why`() async throws {
    let (check, redis) = try await check { _ in .close }

    #expect(!check.isUsable)
    #expect(check.isCluster == nil)
    #expect(check.problems.first?.contains("no server can be used") == true)
    #expect(check.problems.first?.contains("127.0.0.1:\(redis.port)") == true)
    // The servers that were named are listed all the same.
    #expect(check.servers.map(\.endpoint.port) == [redis.port])
    #expect(check.servers.first?.failure != nil)
    #expect(!redis.commands.contains { $0[0] == "SET" })
  }

  @Test(
    arguments: [
      ("SET", "lock and write"), ("EVALSHA", "lock and write"), ("PUBLISH", nil),
    ] as [(String, String?)])
  func `names the step that the servers refuse`(command: String, step: String?) async throws {
    let (check, redis) = try await check { words in
      words[0] == command ? .reply("-NOPERM no permissions to run '\(words[0])'\r\n") : nil
    }

    #expect(check.isUsable == (step == nil))
    if let step { #expect(check.problems.first?.contains(step) == true) }
    if command == "EVALSHA" {
      #expect(check.problems.first?.contains("NOPERM") == true)
      #expect(redis.keys == [])
    }
  }

  @Test func `notices that a value is not returned as it was written`() async throws {
    let lookups = Locked(0)
    let (check, redis) = try await check { words in
      guard words[0] == "MGET" else { return nil }
      // A lookup, a second one under the lock, and that of the value.
      let count = lookups.withLock { count in
        count += 1
        return count
      }
      return count % 3 == 0 ? .reply("*2\r\n$-1\r\n$-1\r\n") : nil
    }

    #expect(check.problems == ["cannot read it"])
    #expect(check.readTime == nil)
    #expect(redis.keys == [])
  }

  @Test func `notices that a purge has no effect`() async throws {
    let (check, redis) = try await check { words in
      // A new generation is accepted, and not stored.
      words[0] == "SET" && !words.contains("NX") ? .reply("+OK\r\n") : nil
    }

    #expect(check.problems == ["cannot find it gone"])
    #expect(redis.keys == [])
  }

  @Test func `names a cluster's missing slots`() async throws {
    let fixture = try await TierFixture(isConnected: false)
    let port = fixture.redis.port
    fixture.redis.fail {
      $0[0] == "CLUSTER"
        ? .reply("*1\r\n*3\r\n:0\r\n:16382\r\n*2\r\n$9\r\n127.0.0.1\r\n:\(port)\r\n") : nil
    }
    let check = await self.check(fixture)

    #expect(check.isCluster == true)
    #expect(check.problems == ["no server has 1 of 16,384 slots"])
    #expect(check.warnings.contains { $0.contains("no master has a replica") })
    // Nothing is tried out.
    #expect(fixture.redis.keys == [])
    #expect(check.readTime == nil)
  }

  @Test func `distinguishes a master that fails from a replica that fails`() async throws {
    let fixture = try await TierFixture(isConnected: false)
    let (port, lost) = (fixture.redis.port, try ReservedPort())
    fixture.redis.fail {
      $0[0] == "CLUSTER"
        ? .reply(
          "*1\r\n*4\r\n:0\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:\(port)\r\n"
            + "*2\r\n$9\r\n127.0.0.1\r\n:\(lost.number)\r\n") : nil
    }
    let check = await self.check(fixture)

    #expect(check.isUsable)
    #expect(check.servers.map(\.isMaster) == [true, false])
    #expect(check.warnings.first?.hasPrefix("replica 127.0.0.1:\(lost.number) cannot") == true)
  }
}
