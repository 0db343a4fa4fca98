import Foundation
import Testing

@testable import ImageModel
@testable import RedisClustering

/// A `redis-server` on loopback; where it is not installed, the tests that need it are
/// reported as skipped.
final class RedisProgram: Sendable {
  private static func find(_ name: String) -> String? {
    ["/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"].map { $0 + name }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
  private static let server = find("redis-server")
  private static let cli = find("redis-cli")
  static var isPossible: Bool { server != nil && cli != nil }

  let port: UInt16
  let scratch: Scratch
  private let reserved: [ReservedPort]
  private let arguments: [String]
  private let child = Locked<ChildProcess?>(nil)

  /// - Parameters:
  ///   - isNode: Whether it is a node of a cluster.
  ///   - listens: The options for its address. Default: `--port`.
  ///   - scratch: Its folder. Default: a new one.
  init(
    isNode: Bool = false, nodeTimeout: Int = 15_000, _ extra: [String] = [],
    scratch: Scratch? = nil,
    listening: (UInt16) -> [String] = { ["--port", "\($0)"] }
  ) throws {
    let scratch = try scratch ?? Scratch()
    let ports = [try ReservedPort(), try ReservedPort()]
    (self.scratch, reserved, port) = (scratch, ports, ports[0].number)
    let node = [
      "--cluster-enabled", "yes", "--cluster-config-file", "nodes-\(port).conf",
      "--cluster-port", "\(ports[1].number)", "--cluster-node-timeout", "\(nodeTimeout)",
      "--cluster-require-full-coverage", "no", "--cluster-allow-reads-when-down", "yes",
      "--cluster-replica-validity-factor", "0", "--repl-diskless-sync-delay", "0",
    ]
    arguments =
      listening(port) + [
        "--bind", "127.0.0.1", "--dir", scratch.path, "--save", "", "--appendonly", "no",
        "--protected-mode", "no",
      ] + (isNode ? node : []) + extra
    try start()
  }

  var endpoint: RedisEndpoint { RedisEndpoint(host: "127.0.0.1", port: Int(port)) }
  var busPort: UInt16 { reserved[1].number }

  /// Starts it, also again after it was killed.
  func start() throws {
    let path = try #require(Self.server)
    try child.withLock { $0 = try ChildProcess(path, arguments, output: scratch / "log-\(port)") }
  }

  func kill() {
    child.withLock { child in
      child?.signal(SIGKILL)
      child?.waitForEnd()
      child = nil
    }
  }

  /// Suspends it: connections stay open and nothing answers.
  func suspend() { child.withLock { $0?.signal(SIGSTOP) } }
  func resume() { child.withLock { $0?.signal(SIGCONT) } }

  func cli(_ words: String...) async throws -> String { try await cli(words) }

  func cli(_ words: [String]) async throws -> String {
    let tool = Tool(path: try #require(Self.cli))
    return try await tool.run(["-p", "\(port)"] + words).output
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  func waitUntilReady() async throws {
    try await Self.wait { try await self.cli("ping") == "PONG" }
  }

  /// Waits until a value is available, and returns it.
  static func first<Value: Sendable>(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @escaping @Sendable () async throws -> Value?
  ) async throws -> Value {
    let found = Locked<Value?>(nil)
    try await wait(sourceLocation: sourceLocation) {
      let value = try await body()
      found.withLock { $0 = value }
      return value != nil
    }
    return try #require(found.withLock { $0 }, sourceLocation: sourceLocation)
  }

  /// Waits for the output of a program.
  static func wait(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: @Sendable () async throws -> Bool
  ) async throws {
    let start = ContinuousClock.now
    while try await !condition() {
      try #require(
        ContinuousClock.now - start < .seconds(120),
        "a program did not come to do what was waited for",
        sourceLocation: sourceLocation)
      _ = try await OffPool.run { usleep(20_000) }
    }
  }
}

/// A cluster of masters with a replica each.
final class RedisClusterPrograms: Sendable {
  let masters: [RedisProgram]
  let replicas: [RedisProgram]

  /// Starts it, and waits until all slots are served and all replicas follow.
  ///
  /// - Parameter nodeTimeout: Milliseconds after which a node counts as failed: short where a
  ///   failover is waited for, and else so long that a busy machine causes none.
  init(
    masters count: Int = 3, replicas replicaCount: Int = 1, nodeTimeout: Int = 15_000
  ) async throws {
    func start() throws -> RedisProgram {
      try RedisProgram(isNode: true, nodeTimeout: nodeTimeout)
    }
    masters = try (0..<count).map { _ in try start() }
    replicas = try (0..<count * replicaCount).map { _ in try start() }
    for server in masters + replicas { try await server.waitUntilReady() }
    for (index, server) in masters.enumerated() {
      let (first, end) = (16_384 * index / count, 16_384 * (index + 1) / count)
      _ = try await server.cli("cluster", "addslotsrange", "\(first)", "\(end - 1)")
      _ = try await server.cli("cluster", "set-config-epoch", "\(index + 1)")
    }
    for server in (masters + replicas).dropFirst() {
      _ = try await masters[0].cli(
        "cluster", "meet", "127.0.0.1", "\(server.port)", "\(server.busPort)")
    }
    for (index, server) in replicas.enumerated() {
      let master = try await masters[index % count].cli("cluster", "myid")
      try await RedisProgram.wait { try await server.cli("cluster", "replicate", master) == "OK" }
    }
    try await waitUntilWhole()
  }

  var servers: [RedisProgram] { masters + replicas }
  var endpoints: [RedisEndpoint] { masters.map(\.endpoint) }

  /// Waits until every node sees all slots and all replicas follow.
  func waitUntilWhole() async throws {
    let count = servers.count
    for server in servers {
      try await RedisProgram.wait {
        let info = try await server.cli("cluster", "info")
        guard info.contains("cluster_state:ok"), info.contains("cluster_slots_ok:16384"),
          info.contains("cluster_known_nodes:\(count)")
        else { return false }
        let replication = try await server.cli("info", "replication")
        return replication.contains("role:master")
          || replication.contains("master_link_status:up")
      }
    }
    // A replica is listed once it has received data and the nodes have exchanged messages.
    guard !replicas.isEmpty else { return }
    for key in 0..<32 { _ = try await masters[0].cli("-c", "set", "any\(key)", "thing") }
    let ports = replicas.map { "\($0.port)" }
    for server in servers {
      try await RedisProgram.wait {
        let slots = try await server.cli("cluster", "slots")
        return ports.allSatisfy { slots.contains($0) }
      }
    }
  }

  /// Waits until the replicas have all data of their masters.
  func waitUntilReplicated() async throws {
    for master in masters {
      try await RedisProgram.wait {
        let info = try await master.cli("info", "replication")
        let own = info.firstMatch(of: /master_repl_offset:(\d+)/)?.1
        let others = info.matches(of: /slave\d+:.*offset=(\d+)/).map(\.1)
        return own != nil && !others.isEmpty && others.allSatisfy { $0 == own }
      }
    }
  }

  func master(of key: String) -> RedisProgram {
    let slot = KeySlot.slot(of: .init(string: key))
    return masters[masters.indices.first { slot < 16_384 * ($0 + 1) / masters.count } ?? 0]
  }
}
