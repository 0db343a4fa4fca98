struct ClusterTopology: Hashable {
  struct Shard: Hashable {
    let master: RedisEndpoint
    let replicas: [RedisEndpoint]
  }

  private(set) var shards: [Shard]
  /// The number of each slot's shard, plus one; 0 for a slot that no node has.
  private var owners: [UInt16]
  /// Whether it is a cluster; if not, one server has everything.
  let isCluster: Bool

  init(single server: RedisEndpoint) {
    shards = [Shard(master: server, replicas: [])]
    owners = Array(repeating: 1, count: KeySlot.count)
    isCluster = false
  }

  /// Reads a reply to `CLUSTER SLOTS`, if it is one. The sender's host counts where it names none.
  init?(_ reply: RedisValue, from server: RedisEndpoint) {
    guard let ranges = reply.array else { return nil }
    shards = []
    owners = Array(repeating: 0, count: KeySlot.count)
    isCluster = true
    var numbers: [Shard: UInt16] = [:]
    for range in ranges {
      guard let fields = range.array, fields.count >= 3,
        let first = fields[0].integer, let last = fields[1].integer,
        first >= 0, first <= last, last < KeySlot.count, fields[2].array != nil
      else { return nil }
      // Slots of a master whose address is not known have none.
      guard let master = Self.endpoint(fields[2], server) else { continue }
      let shard = Shard(
        master: master, replicas: fields[3...].compactMap { Self.endpoint($0, server) })
      let number = numbers[shard] ?? UInt16(shards.count + 1)
      if numbers.updateValue(number, forKey: shard) == nil { shards.append(shard) }
      for slot in Int(first)...Int(last) { owners[slot] = number }
    }
  }

  /// The address of a node; `nil` if it is unknown to its cluster, or not an address.
  private static func endpoint(_ value: RedisValue, _ server: RedisEndpoint) -> RedisEndpoint? {
    guard let fields = value.array, fields.count >= 2, let port = fields[1].integer,
      (1...65_535).contains(port)
    else { return nil }
    let host = fields[0].text ?? ""
    if host == "?" { return nil }
    return RedisEndpoint(host: host.isEmpty ? server.host : host, port: Int(port))
  }

  func shard(of slot: Int) -> Shard? {
    let number = Int(owners[slot])
    return number == 0 ? nil : shards[number - 1]
  }

  /// Notes that a slot has moved to a node, whose replicas are known if it is known.
  mutating func move(_ slot: Int, to master: RedisEndpoint) {
    if let number = shards.firstIndex(where: { $0.master == master }) {
      owners[slot] = UInt16(number + 1)
    } else {
      shards.append(Shard(master: master, replicas: []))
      owners[slot] = UInt16(shards.count)
    }
  }

  var endpoints: Set<RedisEndpoint> {
    Set(shards.flatMap { [$0.master] + $0.replicas })
  }

  var hasMastersAlone: Bool { isCluster && shards.contains { $0.replicas.isEmpty } }

  var uncoveredCount: Int { owners.count { $0 == 0 } }
}

/// Where a node sends a command on to (Redis cluster specification, "Redirection and resharding").
enum Redirection: Hashable {
  case moved(slot: Int, RedisEndpoint)
  /// The slot is moving there, and the key with it already; the next command begins here again.
  case ask(RedisEndpoint)

  /// Reads `MOVED SLOT HOST:PORT` or `ASK SLOT HOST:PORT`, without a host the sender's.
  init?(_ error: RedisError, from server: RedisEndpoint) {
    let words = error.message.split(separator: " ")
    guard words.count >= 3, let slot = Int(words[1]), (0..<KeySlot.count).contains(slot),
      let colon = words[2].lastIndex(of: ":"),
      let port = Int(words[2][words[2].index(after: colon)...]), (1...65_535).contains(port)
    else { return nil }
    // An IPv6 address comes without brackets.
    let host = words[2][..<colon].drop { $0 == "[" }.prefix { $0 != "]" }
    let node = RedisEndpoint(host: host.isEmpty ? server.host : String(host), port: port)
    switch words[0] {
    case "MOVED": self = .moved(slot: slot, node)
    case "ASK": self = .ask(node)
    default: return nil
    }
  }
}
