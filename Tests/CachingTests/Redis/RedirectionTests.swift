import NIOCore
import Testing

@testable import ImageModel
@testable import RedisClustering

/// Nodes of a cluster that changes; slot 12182 is that of `foo`.
@Suite struct `A command whose key is on another node` {
  private static let get = RedisCommand("GET", ["foo"], isReadOnly: true)
  private static let set = RedisCommand("SET", ["foo", "v"])
  private static let ok = ScriptedRedis.ok

  /// A client that asks for the nodes once.
  private static func client(_ server: ScriptedRedis) throws -> RedisClient {
    try server.client { $0.topologyInterval = .seconds(600) }
  }

  /// A node that has all slots and gives these replies to the commands named, to others OK.
  private func master(_ replies: [String: String]) async throws -> ScriptedRedis {
    try await ScriptedRedis { port, words in
      if words[0] == "CLUSTER" { return ScriptedRedis.slots(port) }
      return replies[words[0]].map { .bytes($0) } ?? Self.ok
    }
  }

  /// A node that has the key.
  private func owner() async throws -> ScriptedRedis {
    try await ScriptedRedis { _, words in
      switch words[0] {
      case "GET": .bytes("$5\r\nvalue\r\n")
      default: Self.ok
      }
    }
  }

  @Test(arguments: [true, false])
  func `is sent there, after MOVED the next one directly, after ASK to the former node again`(
    isMoved: Bool
  ) async throws {
    let owner = try await owner()
    let kind = isMoved ? "MOVED" : "ASK"
    let first = try await master(["GET": "-\(kind) 12182 127.0.0.1:\(owner.port)\r\n"])
    let client = try Self.client(first)
    for _ in 0..<2 { #expect(try await client.send(Self.get).text == "value") }
    #expect(try await client.send(RedisCommand("SET", ["bar", "v"])) == .status("OK"))

    #expect(
      first.commands == ["CLUSTER SLOTS", "GET foo"] + (isMoved ? [] : ["GET foo"]) + ["SET bar v"])
    #expect(
      owner.commands
        == (isMoved ? ["GET foo", "GET foo"] : ["ASKING", "GET foo", "ASKING", "GET foo"]))
  }

  @Test func `goes alone; the others keep their replies, in the order of the commands`()
    async throws
  {
    let owner = try await owner()
    let first = try await master([
      "GET": "-ASK 12182 127.0.0.1:\(owner.port)\r\n", "INCR": ":7\r\n",
    ])
    let client = try Self.client(first)
    let increment = RedisCommand("INCR", ["{foo}n"])
    let replies = try await client.send([increment, Self.get, Self.set])

    #expect(replies == [.integer(7), .bytes(ByteBuffer(string: "value")), .status("OK")])
    #expect(owner.commands == ["ASKING", "GET foo"])
    #expect(first.commands.count { $0.hasPrefix("INCR") } == 1)
  }

  @Test(arguments: [3, 100])
  func `is sent again, also a write, while its keys are being moved, but not for ever`(
    refusals: Int
  ) async throws {
    let count = Locked(0)
    let server = try await ScriptedRedis { port, words in
      if words[0] == "CLUSTER" { return ScriptedRedis.slots(port) }
      guard words[0] == "SET" else { return Self.ok }
      let number = count.withLock { count in
        count += 1
        return count
      }
      return number <= refusals ? .bytes("-TRYAGAIN Multiple keys request\r\n") : Self.ok
    }
    let client = try Self.client(server)

    if refusals == 3 {
      #expect(try await client.send(Self.set) == .status("OK"))
    } else {
      let error = await #expect(throws: RedisError.self) { try await client.send(Self.set) }
      #expect(error?.code == .serverError && error?.message.hasPrefix("TRYAGAIN") == true)
    }
    #expect(count.withLock { $0 } == min(refusals + 1, CommandRun.maximumTryCount))
  }

  @Test(arguments: [
    "LOADING Redis is loading the dataset in memory", "CLUSTERDOWN Hash slot not served",
    "MASTERDOWN Link with MASTER is down",
  ])
  func `is read from a replica where its master is not ready, and not written`(line: String)
    async throws
  {
    let replica = try await owner()
    let master = try await ScriptedRedis { port, words in
      switch words[0] {
      case "CLUSTER": ScriptedRedis.slots(port, [replica.port])
      case "READONLY": Self.ok
      default: .bytes("-\(line)\r\n")
      }
    }
    let client = try Self.client(master)

    #expect(try await client.send(Self.get).text == "value")
    let error = await #expect(throws: RedisError.self) { try await client.send(Self.set) }
    #expect(error?.message == line)
    #expect(error?.code == .serverError)
    #expect(error?.node?.port == master.port)
    #expect(replica.commands == ["GET foo"])
    #expect(await client.status().down == [])
  }

  @Test func `fails if no node has its slot`() async throws {
    let server = try await ScriptedRedis { port, words in
      switch words[0] {
      case "CLUSTER": .bytes("*1\r\n*3\r\n:0\r\n:12181\r\n" + ScriptedRedis.node(port))
      default: Self.ok
      }
    }
    let client = try Self.client(server)
    let error = await #expect(throws: RedisError.self) { try await client.send(Self.set) }

    #expect(error?.code == .slotNotCovered)
    #expect(try await client.send(RedisCommand("SET", ["bar", "v"])) == .status("OK"))
    #expect(await client.status().uncoveredSlotCount == 16_384 - 12_182)
  }

  @Test func `is refused at once beside a key of another slot`() async throws {
    let server = try await owner()
    let client = try Self.client(server)
    let error = await #expect(throws: RedisError.self) {
      try await client.send([Self.get, RedisCommand("GET", ["bar"])])
    }

    #expect(error?.code == .crossSlot)
    #expect(server.commands == [])
    #expect(try await client.send([]) == [])
  }

  @Test func `waits for replicas only at masters that have some`() async throws {
    let replica = try await owner()
    let server = try await ScriptedRedis { port, words in
      switch words[0] {
      case "CLUSTER":
        .bytes(
          "*2\r\n*4\r\n:0\r\n:8000\r\n" + ScriptedRedis.node(port)
            + ScriptedRedis.node(replica.port)
            + "*3\r\n:8001\r\n:16383\r\n" + ScriptedRedis.node(port))
      case "WAIT": .bytes(":0\r\n")
      default: Self.ok
      }
    }
    let client = try Self.client(server)
    // bar has slot 5061.
    _ = try await client.send(RedisCommand("SET", ["bar", "v"]))

    #expect(await client.waitForReplica(of: ["foo"], lane: .interactive, atMost: .seconds(1)))
    #expect(!server.commands.contains { $0.hasPrefix("WAIT") })
    let isThere = await client.waitForReplica(
      of: ["foo", "bar"], lane: .interactive, atMost: .milliseconds(70))
    #expect(!isThere)
    #expect(server.commands.filter { $0.hasPrefix("WAIT") } == ["WAIT 1 70"])
  }
}
