import NIOCore
import Testing

@testable import ImageModel
@testable import RedisClustering

@Suite struct `Replies of a Redis server` {
  private static let samples: [(wire: String, value: RedisValue)] = [
    ("+OK\r\n", .status("OK")),
    ("+\r\n", .status("")),
    ("-ERR no such thing\r\n", .error(RedisError(.serverError, "ERR no such thing"))),
    (":0\r\n", .integer(0)),
    (":-9223372036854775808\r\n", .integer(.min)),
    ("$5\r\nhello\r\n", .bytes(ByteBuffer(string: "hello"))),
    ("$0\r\n\r\n", .bytes(ByteBuffer())),
    ("$2\r\n\r\n\r\n", .bytes(ByteBuffer(string: "\r\n"))),
    ("$-1\r\n", .null),
    ("*-1\r\n", .null),
    ("*0\r\n", .array([])),
    (
      "*3\r\n:1\r\n*2\r\n$1\r\na\r\n-ERR x\r\n$-1\r\n",
      .array([
        .integer(1),
        .array([.bytes(ByteBuffer(string: "a")), .error(RedisError(.serverError, "ERR x"))]), .null,
      ])
    ),
  ]

  @Test func `are parsed from pieces of any length`() throws {
    var random = SplitMix64(seed: 7)
    for _ in 0..<500 {
      let chosen = (0..<20).map { _ in Self.samples[Int(random.next() % 12)] }
      var wire = ByteBuffer(string: chosen.map(\.wire).joined())
      var parser = ReplyParser(maximumByteCount: 1 << 20)
      var values: [RedisValue] = []
      while wire.readableBytes > 0 {
        let count = min(wire.readableBytes, 1 + Int(random.next() % 23))
        let piece = wire.readSlice(length: count)
        parser.append(try #require(piece))
        while let value = try parser.next() { values.append(value) }
      }
      #expect(values == chosen.map(\.value))
    }
  }

  @Test(arguments: [
    "hello\r\n", "%1\r\n+a\r\n+b\r\n", ":12a\r\n", ":\r\n", "$-2\r\n", "$1x\r\n", "*-2\r\n",
    "$3\r\nabcd\r\n", "+a\rb\r\n", "$99999999999\r\n", "$1048577\r\n", "*1048577\r\n",
    ":99999999999999999999\r\n", "\u{0}", "\r\n",
    String(repeating: "*1\r\n", count: 12) + ":1\r\n",
  ])
  func `that are malformed or too large are refused`(wire: String) {
    var parser = ReplyParser(maximumByteCount: 1 << 20)
    parser.append(ByteBuffer(string: wire))
    #expect(throws: ReplyParser.Malformed.self) { try parser.next() }
  }

  @Test func `do not grow without bound`() {
    var line = ReplyParser(maximumByteCount: 1 << 20)
    line.append(ByteBuffer(string: "-" + String(repeating: "x", count: 1 << 16)))
    #expect(throws: ReplyParser.Malformed.self) { try line.next() }

    // Each string is small, and their number is allowed.
    var array = ReplyParser(maximumByteCount: 1 << 20)
    array.append(ByteBuffer(string: "*1000000\r\n"))
    #expect(throws: ReplyParser.Malformed.self) {
      for _ in 0..<200_000 {
        array.append(ByteBuffer(string: "$10\r\n0123456789\r\n"))
        if try array.next() != nil { break }
      }
    }
  }

  @Test func `of an announced length take no memory before they arrive`() throws {
    var parser = ReplyParser(maximumByteCount: .max)
    parser.append(ByteBuffer(string: "$1000000000\r\nabc"))
    #expect(try parser.next() == nil)
    parser.append(ByteBuffer(string: "def"))
    #expect(try parser.next() == nil)
    #expect(parser.buffer.storageCapacity < 1000)
  }
}

@Suite struct `Slots and nodes of a Redis cluster` {
  /// As redis-server's CLUSTER KEYSLOT answers; the checksum is the specification's test vector.
  @Test func `are computed as the specification says`() {
    #expect(KeySlot.checksum(Array("123456789".utf8)) == 0x31C3)
    let slots = [
      "foo": 12182, "bar": 5061, "hello": 866, "": 0, "foo{bar}": 5061, "foo{bar}{zap}": 5061,
      "{}foo": 9500, "foo{}{bar}": 8363, "foo{{bar}}zap": 4015, "{bar": 4015,
    ]
    for (key, slot) in slots {
      #expect(KeySlot.slot(of: ByteBuffer(string: key)) == slot, "\(key)")
    }
  }

  @Test func `are read from the reply to CLUSTER SLOTS`() throws {
    func node(_ host: String, _ port: Int64) -> RedisValue {
      .array([.bytes(ByteBuffer(string: host)), .integer(port), .status("id"), .array([])])
    }
    let reply = RedisValue.array([
      .array([.integer(0), .integer(100), node("10.0.0.1", 1), node("10.0.0.2", 2)]),
      .array([.integer(101), .integer(200), node("", 3)]),
      .array([.integer(300), .integer(16383), node("10.0.0.1", 1), node("10.0.0.2", 2)]),
    ])
    let server = RedisEndpoint(host: "10.9.9.9", port: 7)
    var topology = try #require(ClusterTopology(reply, from: server))
    let one = RedisEndpoint(host: "10.0.0.1", port: 1)

    #expect(topology.shards.count == 2)
    #expect(topology.shard(of: 0)?.replicas == [RedisEndpoint(host: "10.0.0.2", port: 2)])
    #expect(topology.shard(of: 200)?.master == RedisEndpoint(host: "10.9.9.9", port: 3))
    #expect(topology.shard(of: 201) == nil)
    #expect(topology.shard(of: 16_383)?.master == one)
    #expect(topology.uncoveredCount == 99)
    topology.move(150, to: one)
    #expect(topology.shard(of: 150)?.master == one)
    topology.move(151, to: RedisEndpoint(host: "10.0.0.9", port: 9))
    #expect(topology.shard(of: 151)?.master.host == "10.0.0.9")

    let malformed: [RedisValue] = [
      .null, .status("OK"), .array([.integer(1)]),
      .array([.array([.integer(0), .integer(16_384), node("a", 1)])]),
      .array([.array([.integer(5), .integer(4), node("a", 1)])]),
      .array([.array([.integer(0), .integer(1), .integer(2)])]),
    ]
    for reply in malformed { #expect(ClusterTopology(reply, from: server)?.shards == nil) }
    // A node with an unknown address costs only its own slots.
    for unknown in [node("a", 70_000), node("?", 1)] {
      let reply = RedisValue.array([
        .array([.integer(0), .integer(1), unknown]),
        .array([.integer(2), .integer(3), node("a", 1)]),
      ])
      let read = ClusterTopology(reply, from: server)
      #expect(read?.shards.map(\.master.host) == ["a"])
      #expect(read?.shard(of: 1) == nil)
      #expect(read?.shard(of: 2)?.master.host == "a")
    }
  }

  @Test func `of MOVED and ASK are parsed from errors`() {
    let server = RedisEndpoint(host: "10.9.9.9", port: 7)
    func read(_ text: String) -> Redirection? {
      Redirection(RedisError(line: text), from: server)
    }
    #expect(
      read("MOVED 3999 127.0.0.1:6381")
        == .moved(slot: 3999, RedisEndpoint(host: "127.0.0.1", port: 6381)))
    #expect(read("MOVED 1 :6381") == .moved(slot: 1, RedisEndpoint(host: "10.9.9.9", port: 6381)))
    #expect(read("ASK 1 fd00::1:6381") == .ask(RedisEndpoint(host: "fd00::1", port: 6381)))
    #expect(read("ASK 1 [fd00::1]:6381") == .ask(RedisEndpoint(host: "fd00::1", port: 6381)))
    for text in ["MOVED", "MOVED x 1:2", "MOVED 16384 a:1", "ASK 1 a:0", "ERR 1 a:1", "MOVED 1 a"] {
      #expect(read(text) == nil, "\(text)")
    }
  }

  @Test func `have addresses that round-trip`() {
    #expect(RedisEndpoint("h")?.description == "h:6379")
    #expect(RedisEndpoint("h:1")?.description == "h:1")
    #expect(RedisEndpoint("[fd00::1]:2")?.description == "[fd00::1]:2")
    for text in [
      "", ":1", "h:", "h:0", "h:65536", "h:+1", "fd00::1", "[h]:1", "[::1", "u@h", "a b",
    ] {
      #expect(RedisEndpoint(text) == nil, "\(text)")
    }
  }
}

@Suite struct `A Redis command` {
  private func encoded(_ commands: [RedisCommand]) -> [ByteBuffer] {
    var buffers: [ByteBuffer] = []
    for command in commands { command.encode(into: &buffers) }
    return buffers
  }

  @Test func `has the key at the position that is given`() {
    let command = RedisCommand("EVALSHA", ["digest", 1, "key", "value"], keyPosition: 3)

    #expect(command.key == ByteBuffer(string: "key"))
  }

  @Test(arguments: [nil, 0, -1, 3])
  func `has no key at a position without an argument`(position: Int?) {
    let command = RedisCommand("WAIT", [1, 100], keyPosition: position)

    #expect(command.keyPosition == nil)
    #expect(command.key == nil)
  }

  @Test func `is encoded with lengths in bytes, negative numbers and empty arguments`() {
    let command = RedisCommand("SET", ["é", "", -12])

    #expect(
      encoded([command]).map { String(buffer: $0) }
        == ["*4\r\n$3\r\nSET\r\n$2\r\né\r\n$0\r\n\r\n$3\r\n-12\r\n"])
  }

  @Test func `has a buffer of its own only for an argument of more than 16 KiB`() {
    let short = ByteBuffer(repeating: 0x61, count: 16 << 10)
    let long = ByteBuffer(repeating: 0x61, count: (16 << 10) + 1)

    let one = encoded([RedisCommand("SET", ["k", .init(short)])])
    let three = encoded([RedisCommand("SET", ["k", .init(long)]), RedisCommand("PING")])

    #expect(one.count == 1)
    #expect(three.count == 3)
    #expect(three.first.map { String(buffer: $0) } == "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$16385\r\n")
    #expect(three.dropFirst().first == long)
    #expect(three.last.map { String(buffer: $0) } == "\r\n*1\r\n$4\r\nPING\r\n")
  }
}

@Suite struct `An error of a Redis client` {
  private let node = RedisEndpoint(host: "10.0.0.1", port: 6379)

  @Test(arguments: [
    ("WRONGTYPE Operation against a key holding the wrong kind of value", "WRONGTYPE"),
    ("ERR unknown command 'X'", "ERR"), ("NOSCRIPT", "NOSCRIPT"), ("E2BIG too big", "E2BIG"),
    ("unknown command", ""), ("Err no", ""), (" ERR no", ""), ("ERR: no", ""), ("", ""),
  ])
  func `has the first word as its kind, if that is in capitals`(line: String, kind: String) {
    #expect(RedisError(line: line).kind == kind)
  }

  @Test(arguments: [
    ("NOAUTH Authentication required.", true), ("WRONGPASS invalid username-password pair", true),
    ("NOPERM this user has no permissions to run the 'get' command", true), ("ERR no", false),
    ("READONLY You can't write", false), ("noauth lower case", false), ("NOAUTHX other", false),
    ("", false),
  ])
  func `is not-permitted where the server refuses the user`(line: String, isRefusal: Bool) {
    let error = RedisError(line: line).of(node)

    #expect(error.code == (isRefusal ? .notPermitted : .serverError))
    #expect(error.message == line && error.node == node)
    #expect("\(error)" == "10.0.0.1:6379: \(line)")
  }
}
