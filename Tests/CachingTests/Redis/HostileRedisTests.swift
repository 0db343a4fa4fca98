import Testing

@testable import RedisClustering
@testable import TestSupport

/// Servers with behavior that Redis does not show, or shows only when it is about to fail.
@Suite struct `A client of a Redis server that misbehaves` {
  /// A server without a cluster that answers other commands so.
  private static func server(
    _ answer: @escaping @Sendable (_ words: [String]) -> ScriptedRedis.Answer
  ) async throws -> ScriptedRedis {
    try await ScriptedRedis { _, words in
      switch words[0] {
      case "READONLY": ScriptedRedis.ok
      case "CLUSTER": ScriptedRedis.single
      default: answer(words)
      }
    }
  }

  private func code(
    _ client: RedisClient, _ command: RedisCommand = RedisCommand("GET", ["k"], isReadOnly: true)
  ) async -> RedisError.Code? {
    do throws(RedisError) {
      _ = try await client.send(command)
      return nil
    } catch {
      return error.code
    }
  }

  @Test(arguments: [
    "hello\r\n", "$99999999999\r\n", "*1048577\r\n", "$3\r\nabcdef\r\n", ":x\r\n",
  ])
  func `that sends malformed replies is refused, and retried later`(reply: String) async throws {
    let server = try await Self.server { .bytes($0[0] == "PING" ? "+PONG\r\n" : reply) }
    let client = try server.client { $0.downTime = .zero }

    #expect(await code(client) == .protocolViolation)
    #expect(try await client.send(RedisCommand("PING")) == .status("PONG"))
  }

  @Test(arguments: ["accept", "topology", "command", "half"])
  func `that is silent is waited for no longer than the deadline`(place: String) async throws {
    let server = try await ScriptedRedis { _, words in
      switch words[0] {
      case "READONLY": place == "accept" ? .nothing : ScriptedRedis.ok
      case "CLUSTER": place == "topology" ? .nothing : ScriptedRedis.single
      default: place == "half" ? .bytes("$10\r\nabc") : .nothing
      }
    }
    let client = try server.client {
      ($0.deadline, $0.connectTimeout) = (.milliseconds(100), .milliseconds(50))
    }

    #expect(await code(client) == .timedOut)
  }

  @Test func `that closes before it replies fails the command, and a write is sent once`()
    async throws
  {
    let server = try await Self.server { _ in .last("$10\r\nabc") }
    let client = try server.client()

    #expect(await code(client, RedisCommand("SET", ["k", "v"])) == .connectionFailed)
    #expect(server.commands.filter { $0.hasPrefix("SET") } == ["SET k v"])
  }

  @Test func `that sends an unrequested reply is disconnected`() async throws {
    let server = try await Self.server { _ in .bytes("$1\r\na\r\n$1\r\nb\r\n") }
    let client = try server.client { $0.downTime = .zero }

    for _ in 0..<20 {
      // Never the extra reply.
      let reply = try? await client.send(RedisCommand("GET", ["k"], isReadOnly: true))
      #expect(reply == nil || reply?.text == "a")
    }
  }

  @Test func `that redirects commands in a circle is abandoned`() async throws {
    let server = try await ScriptedRedis { port, words in
      switch words[0] {
      case "READONLY": ScriptedRedis.ok
      case "CLUSTER": ScriptedRedis.slots(port)
      default: .bytes("-MOVED 12182 127.0.0.1:\(port)\r\n")
      }
    }
    let client = try server.client()

    #expect(await code(client, RedisCommand("GET", ["foo"])) == .tooManyRedirections)
    #expect(server.commands.filter { $0 == "GET foo" }.count == CommandRun.maximumTryCount)
  }

  @Test func `that has lost its master serves reads from a replica`() async throws {
    let replica = try await ScriptedRedis { _, words in
      switch words[0] {
      case "READONLY": ScriptedRedis.ok
      case "CLUSTER": .bytes("-ERR not now\r\n")
      case "GET": .bytes("$7\r\nreplica\r\n")
      default: .nothing
      }
    }
    let port = replica.port
    let master = try await ScriptedRedis { own, words in
      switch words[0] {
      case "READONLY": ScriptedRedis.ok
      case "CLUSTER": ScriptedRedis.slots(own, [port])
      case "GET": .bytes("-CLUSTERDOWN The cluster is down\r\n")
      default: .nothing
      }
    }
    let client = try master.client {
      ($0.deadline, $0.downTime) = (.seconds(4), .seconds(300))
    }
    let get = RedisCommand("GET", ["k"], isReadOnly: true)

    // Refused, and then silent; a write is not sent to a replica.
    #expect(try await client.send(get).text == "replica")
    #expect(await code(client, RedisCommand("SET", ["k", "v"])) == .timedOut)
    #expect(try await client.send(get).text == "replica")
    #expect(await code(client, RedisCommand("SET", ["k", "v"])) == .nodeDown)
    #expect(await client.status().down.map(\.port) == [master.port])
  }

  @Test func `that sends no slots or malformed ones is not used`() async throws {
    for reply in ["*0\r\n", "+OK\r\n", "*1\r\n*3\r\n:0\r\n:99999\r\n*2\r\n$1\r\na\r\n:1\r\n"] {
      let server = try await ScriptedRedis { _, words in
        words[0] == "CLUSTER" ? .bytes(reply) : ScriptedRedis.ok
      }
      let client = try server.client()
      let code = await code(client)
      #expect(code == .slotNotCovered || code == .protocolViolation, "\(reply)")
    }
  }

  @Test func `that is unreachable fails at once for all callers`() async throws {
    let port = try ReservedPort()
    let client = try RedisClient(
      RedisConfiguration(
        servers: [RedisEndpoint(host: "127.0.0.1", port: Int(port.number))]))

    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<200 {
        group.addTask { #expect(await self.code(client) == .connectionFailed) }
      }
    }
    #expect(await code(client) == .connectionFailed)
  }

  @Test func `that does not complete a TLS handshake is given up, and its connections are closed`()
    async throws
  {
    // It reads and does not reply.
    let server = try await ScriptedRedis { _, _ in .nothing }
    let client = try server.client {
      ($0.deadline, $0.connectTimeout) = (.milliseconds(100), .milliseconds(50))
      $0.tls = RedisTLSRules()
      ($0.downTime, $0.topologyInterval) = (.zero, .zero)
    }

    for _ in 0..<20 { #expect(await code(client) == .timedOut) }
    try await RedisProgram.wait { server.connectionCount == 0 }
  }

  @Test func `that echoes the password in an error is not quoted`() async throws {
    let server = try await ScriptedRedis { _, words in
      .bytes(
        "-ERR unknown command '\(words[0])', with args beginning with: '\(words.last ?? "")'\r\n")
    }
    let client = try server.client { $0.password = "hunter2" }
    let error = await #expect(throws: RedisError.self) {
      try await client.send(RedisCommand("PING"))
    }

    #expect(error?.message.contains("unknown command 'AUTH'") == true)
    #expect(error?.message.contains("hunter2") == false)
  }

  @Test func `has its password in no description of the configuration`() {
    var configuration = RedisConfiguration(servers: [RedisEndpoint(host: "cache", port: 6379)])
    configuration.user = "images"
    configuration.password = "hunter2"
    var dumped = ""
    dump(configuration, to: &dumped)

    for text in ["\(configuration)", String(reflecting: configuration), dumped] {
      #expect(text.contains("images"))
      #expect(!text.contains("hunter2"))
    }
  }

  @Test func `that is one of several, without a cluster, is refused`() async throws {
    let server = try await Self.server { _ in .nothing }
    let other = try await Self.server { _ in .nothing }
    let client = try server.client {
      $0.servers.append(RedisEndpoint(host: "127.0.0.1", port: other.port))
    }
    let error = await #expect(throws: RedisError.self) {
      try await client.send(RedisCommand("PING"))
    }

    #expect(error?.message.contains("is not part of a cluster") == true)
  }

  @Test func `is not used after it was shut down`() async throws {
    let server = try await Self.server { $0[0] == "GET" ? .nothing : ScriptedRedis.ok }
    let client = try server.client { $0.deadline = .seconds(300) }
    async let waiting = code(client)
    try await RedisProgram.wait { server.commands.contains("GET k") }
    await client.shutDown()

    #expect(await waiting == .shutDown)
    #expect(await code(client) == .shutDown)
    for await _ in client.subscribe(to: ["c"]) { Issue.record("an event after the end") }
  }
}
