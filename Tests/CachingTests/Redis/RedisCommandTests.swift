import NIOCore
import Testing

@testable import RedisClustering

@Suite struct `A Redis command` {
  private func encoded(_ commands: [RedisCommand]) -> [ByteBuffer] {
    var buffers: [ByteBuffer] = []
    for command in commands { command.encode(into: &buffers) }
    return buffers
  }

  @Test func `has its first argument as the key`() {
    #expect(RedisCommand("GET", ["greeting"]).key == ByteBuffer(string: "greeting"))
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

  @Test func `without arguments has no key`() {
    #expect(RedisCommand("PING").key == nil)
  }

  @Test func `may be sent to a replica only if it is declared read-only`() {
    #expect(!RedisCommand("GET", ["a"]).isReadOnly)
    #expect(RedisCommand("GET", ["a"], isReadOnly: true).isReadOnly)
  }

  @Test func `is encoded with lengths in bytes, negative numbers and empty arguments`() {
    let command = RedisCommand("SET", ["é", "", -12])

    #expect(
      encoded([command]).map { String(buffer: $0) }
        == ["*4\r\n$3\r\nSET\r\n$2\r\né\r\n$0\r\n\r\n$3\r\n-12\r\n"])
  }

  @Test func `is appended to the buffer of the command before it`() {
    let commands = [RedisCommand("PING"), RedisCommand("GET", ["a"])]

    #expect(
      encoded(commands).map { String(buffer: $0) }
        == ["*1\r\n$4\r\nPING\r\n*2\r\n$3\r\nGET\r\n$1\r\na\r\n"])
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
