import NIOCore
import Testing

@testable import ImageModel
@testable import RedisClustering
@testable import TestSupport

/// A cluster of three masters with a replica each.
@Suite(.needsRedis)
struct `A client of a Redis cluster` {
  private func client(
    _ servers: [RedisEndpoint], _ change: (inout RedisConfiguration) -> Void = { _ in }
  ) throws -> RedisClient {
    var configuration = RedisConfiguration(servers: servers)
    configuration.deadline = .seconds(30)
    configuration.connectTimeout = .seconds(30)
    change(&configuration)
    return try RedisClient(configuration)
  }

  private func set(_ client: RedisClient, _ key: String, _ value: String) async -> RedisError? {
    do throws(RedisError) {
      let reply = try await client.send(
        RedisCommand("SET", [RedisCommand.Argument(key), RedisCommand.Argument(value)]))
      return reply == .status("OK") ? nil : RedisError(.serverError, "\(reply)")
    } catch {
      return error
    }
  }

  private func get(_ client: RedisClient, _ key: String) async throws -> String? {
    try await client.send(
      RedisCommand("GET", [RedisCommand.Argument(key)], isReadOnly: true)
    ).text
  }

  @Test func `finds every key, also when it starts from one replica alone`() async throws {
    let cluster = try await RedisClusterPrograms()
    let client = try client([cluster.replicas[1].endpoint])

    for number in 0..<300 { #expect(await set(client, "k\(number)", "\(number)") == nil) }
    for number in 0..<300 { #expect(try await get(client, "k\(number)") == "\(number)") }
    for master in cluster.masters {
      #expect(try await Int(master.cli("dbsize")).map { $0 > 50 } == true)
    }
    let status = await client.status()
    #expect(status.isCluster == true)
    #expect(Set(status.masters) == Set(cluster.endpoints))
    #expect(Set(status.replicas) == Set(cluster.replicas.map(\.endpoint)))
    #expect(status.uncoveredSlotCount == 0)
    await #expect(throws: RedisError.self) {
      try await client.send([RedisCommand("GET", ["a"]), RedisCommand("GET", ["b"])])
    }
  }

  @Test func `follows slots during and after their migration`() async throws {
    let cluster = try await RedisClusterPrograms(masters: 2, replicas: 0)
    let client = try client(cluster.endpoints) { $0.topologyInterval = .seconds(300) }
    // Both keys are in the slot of `foo`, 12182, which the second master has.
    let (source, target) = (cluster.masters[1], cluster.masters[0])
    let (here, there) = (
      try await source.cli("cluster", "myid"), try await target.cli("cluster", "myid")
    )
    #expect(await set(client, "{foo}1", "one") == nil)
    #expect(await set(client, "{foo}2", "two") == nil)
    _ = try await target.cli("cluster", "setslot", "12182", "importing", here)
    _ = try await source.cli("cluster", "setslot", "12182", "migrating", there)
    _ = try await source.cli(
      "migrate", "127.0.0.1", "\(target.port)", "{foo}1", "0", "5000")

    // ASK for a key that has moved and for one that is new; none for one that has not.
    #expect(try await get(client, "{foo}1") == "one")
    #expect(try await get(client, "{foo}2") == "two")
    #expect(await set(client, "{foo}3", "three") == nil)
    #expect(try await target.cli("cluster", "countkeysinslot", "12182") == "2")
    // For two keys, one on each node, neither node has both.
    let both = [RedisCommand("MGET", ["{foo}1", "{foo}2"], isReadOnly: true)]
    let error = await #expect(throws: RedisError.self) { try await client.send(both) }
    #expect(error?.message.hasPrefix("TRYAGAIN") == true)

    _ = try await source.cli(
      "migrate", "127.0.0.1", "\(target.port)", "{foo}2", "0", "5000")
    for server in [target, source] {
      _ = try await server.cli("cluster", "setslot", "12182", "node", there)
    }
    let replies = try await client.send([
      RedisCommand("MGET", ["{foo}1", "{foo}2", "{foo}3"], isReadOnly: true),
      RedisCommand("GET", ["{foo}2"], isReadOnly: true),
    ])
    #expect(replies[0].array?.map(\.text) == ["one", "two", "three"])
    #expect(replies[1].text == "two")
  }

  @Test func `reads from a replica while a master is down, and writes to its successor`()
    async throws
  {
    let cluster = try await RedisClusterPrograms(nodeTimeout: 1500)
    let client = try client(cluster.endpoints) { $0.deadline = .seconds(8) }
    let keys = (0..<60).map { "k\($0)" }
    for key in keys { #expect(await set(client, key, key) == nil) }
    try await cluster.waitUntilReplicated()
    let lost = keys.filter { cluster.master(of: $0).port == cluster.masters[0].port }
    #expect(!lost.isEmpty)

    // On a busy machine the reads may take longer than an election.
    let successor = cluster.replicas[0]
    _ = try await successor.cli("config", "set", "cluster-replica-no-failover", "yes")
    cluster.masters[0].kill()
    for key in keys { #expect(try await get(client, key) == key) }
    #expect(await set(client, lost[0], "new") != nil)
    _ = try await successor.cli("config", "set", "cluster-replica-no-failover", "no")
    try await RedisProgram.wait { await set(client, lost[0], "new") == nil }
    #expect(try await get(client, lost[0]) == "new")
    #expect(await client.status().masters.contains(successor.endpoint))
  }
}
