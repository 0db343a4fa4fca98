import NIOCore
import Testing

@testable import RedisClustering

@Suite struct `A value that a Redis server sent` {
  @Test func `has the text and the bytes of a status and of a string`() {
    let status = RedisValue.status("OK")
    let string = RedisValue.bytes(ByteBuffer(string: "héllo"))

    #expect(status.text == "OK")
    #expect(status.bytes == ByteBuffer(string: "OK"))
    #expect(string.text == "héllo")
    #expect(string.bytes == ByteBuffer(string: "héllo"))
  }

  @Test func `has a text also where its bytes are not UTF-8`() {
    let value = RedisValue.bytes(ByteBuffer(bytes: [0x61, 0xFF, 0x62]))

    #expect(value.text == "a\u{FFFD}b")
    #expect(value.bytes == ByteBuffer(bytes: [0x61, 0xFF, 0x62]))
  }

  @Test(arguments: [
    RedisValue.error(RedisServerError("ERR no")), .integer(7), .array([.status("OK")]), .null,
  ])
  func `has no text or bytes if it is neither a status nor a string`(value: RedisValue) {
    #expect(value.text == nil)
    #expect(value.bytes == nil)
  }

  @Test func `is an integer only if the server sent one`() {
    #expect(RedisValue.integer(.min).integer == .min)
    #expect(RedisValue.bytes(ByteBuffer(string: "7")).integer == nil)
    #expect(RedisValue.status("7").integer == nil)
    #expect(RedisValue.null.integer == nil)
  }

  @Test func `is null only without a value, not if it is empty`() {
    #expect(RedisValue.null.isNull)
    #expect(!RedisValue.bytes(ByteBuffer()).isNull)
    #expect(!RedisValue.array([]).isNull)
    #expect(!RedisValue.integer(0).isNull)
  }

  @Test func `has the members of an array in order, and none otherwise`() {
    let value = RedisValue.array([.integer(2), .null, .integer(1)])

    #expect(value.array == [.integer(2), .null, .integer(1)])
    #expect(RedisValue.array([]).array == [])
    #expect(RedisValue.null.array == nil)
  }
}
