import HTTPCaching
import HTTPTypes
import ImageModel
import NIOCore
public import RedisClustering

/// Whether a tier can be used, and the properties of its servers.
public struct TierCheck: Sendable, Hashable {
  /// A server of the tier.
  public struct Server: Sendable, Hashable {
    /// Its address.
    public var endpoint: RedisEndpoint
    /// Whether it has slots or follows a server that has; of a single server `true`.
    public var isMaster: Bool
    /// Its program and version: `redis 7.0.15`; `nil` if it did not report them.
    public var version: String?
    /// The maximum memory that it uses, in bytes; 0 for no limit, `nil` if it did not report it.
    public var maximumMemory: Int?
    /// Its eviction policy when its memory is full: `allkeys-lfu`; `nil` if it did not report it.
    public var evictionPolicy: String?
    /// The time of one round trip.
    public var roundTrip: Duration?
    /// The reason why it cannot be used; `nil` if it can.
    public var failure: String?
  }

  /// All servers that are known.
  public var servers: [Server] = []
  /// Whether they are a cluster; `nil` if none has reported that.
  public var isCluster: Bool?
  /// The reasons why the tier cannot be used; empty if it can.
  public var problems: [String] = []
  /// Recommended changes, although the tier can be used.
  public var warnings: [String] = []
  /// The time to read a value of 20 kB.
  public var readTime: Duration?
  /// Whether it can be used.
  public var isUsable: Bool { problems.isEmpty }
}

extension SharedTier {
  /// Sends commands to all servers, and writes, reads and purges a test value.
  public func check() async -> TierCheck {
    var check = TierCheck()
    // The first connections take longer than any later command.
    let patience = max(configuration.servers.deadline, .seconds(2))
    do throws(RedisError) {
      _ = try await client.send([RedisCommand("PING", isReadOnly: true)], deadline: patience)
    } catch {
      check.problems.append("no server can be used: \(error)")
    }
    let status = await client.status()
    check.isCluster = status.isCluster
    let masters = Set(status.masters)
    let known =
      status.isCluster == nil ? configuration.servers.servers : status.masters + status.replicas
    for endpoint in known {
      check.servers.append(
        await server(endpoint, isMaster: status.isCluster != true || masters.contains(endpoint)))
    }
    guard check.problems.isEmpty else { return check }
    record(status, in: &check)
    guard check.problems.isEmpty else { return check }
    let key = TierKey(url: "imgcache:check:\(clock.token())")
    if let step = await tryOut(key, &check) {
      check.problems.append("cannot \(step)\(lastError.map { ": \($0)" } ?? "")")
    }
    _ = try? await client.send(
      [RedisCommand("DEL", [names.generation(key), names.value(key), names.lock(key)])])
    return check
  }

  private func server(_ endpoint: RedisEndpoint, isMaster: Bool) async -> TierCheck.Server {
    var server = TierCheck.Server(endpoint: endpoint, isMaster: isMaster)
    do throws(RedisError) {
      let replies = try await client.send(
        [RedisCommand("PING")], to: endpoint, deadline: .seconds(2))
      // A user who may not PING may be allowed what the tier needs.
      if case .error(let refusal)? = replies.first, refusal.kind != "NOPERM" {
        throw RedisError(.serverError, refusal.message, node: endpoint)
      }
      let start = ContinuousClock.now
      _ = try await client.send([RedisCommand("PING")], to: endpoint, deadline: .seconds(2))
      server.roundTrip = ContinuousClock.now - start
      let sections = try await client.send(
        [RedisCommand("INFO", ["server"]), RedisCommand("INFO", ["memory"])], to: endpoint,
        deadline: .seconds(2))
      let facts = Self.facts(in: sections.compactMap(\.text).joined(separator: "\n"))
      let version = facts["valkey_version"].map { "valkey \($0)" }
      server.version = version ?? facts["redis_version"].map { "redis \($0)" }
      server.maximumMemory = facts["maxmemory"].flatMap { Int($0) }
      server.evictionPolicy = facts["maxmemory_policy"]
    } catch {
      server.failure = error.message
    }
    return server
  }

  private static func facts(in text: String) -> [String: String] {
    var facts: [String: String] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      guard let colon = line.firstIndex(of: ":") else { continue }
      facts[String(line[..<colon])] = String(line[line.index(after: colon)...])
    }
    return facts
  }

  private func record(_ status: RedisStatus, in check: inout TierCheck) {
    for server in check.servers {
      if let failure = server.failure {
        if server.isMaster {
          check.problems.append("master \(server.endpoint) cannot be used: \(failure)")
        } else {
          check.warnings.append("replica \(server.endpoint) cannot be used: \(failure)")
        }
      } else if server.maximumMemory == 0 {
        check.warnings.append(
          "\(server.endpoint) has no limit of memory; set maxmemory, and maxmemory-policy allkeys-lfu"
        )
      } else if let policy = server.evictionPolicy, !policy.hasPrefix("allkeys-") {
        check.warnings.append(
          "\(server.endpoint) does not make room for new values (maxmemory-policy \(policy)); set allkeys-lfu"
        )
      }
    }
    if status.uncoveredSlotCount > 0 {
      check.problems.append("no server has \(status.uncoveredSlotCount) of 16,384 slots")
    }
    if status.isCluster == true, status.replicas.isEmpty {
      check.warnings.append(
        "no master has a replica: what a lost master had is missing until it is back")
    }
  }

  /// Does what servers of images do, under a name that no image has, and returns the step that failed.
  private func tryOut(_ key: TierKey, _ check: inout TierCheck) async -> String? {
    let now = clock.now()
    let end = now.addingTimeInterval(60)
    let value = TierValue(
      response: StoredResponse(status: 200, fields: [:], requestTime: now, responseTime: now),
      body: [UInt8](repeating: 0x5A, count: 20_000), freshUntil: end, staleUntil: end)
    guard case .make(let lock)? = try? await turn(for: key) else { return "lock and write a value" }
    write(value, for: key, lock.generation, lock: lock)
    await finishWriting()
    guard statistics.writes > 0 else { return "lock and write a value" }
    let start = ContinuousClock.now
    guard case .hit(let found, _) = await read(key), found.body == value.body else {
      return "read it"
    }
    check.readTime = ContinuousClock.now - start
    let purge = TierPurge(urls: [key.url.text], time: clock.now())
    guard (try? await self.purge(purge)) != nil else { return "purge it" }
    guard case .miss = await read(key) else { return "find it gone" }
    return nil
  }
}
