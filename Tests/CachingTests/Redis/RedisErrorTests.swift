import Testing

@testable import RedisClustering

@Suite struct `An error of a Redis client` {
  private let node = RedisEndpoint(host: "10.0.0.1", port: 6379)

  @Test(arguments: [
    ("WRONGTYPE Operation against a key holding the wrong kind of value", "WRONGTYPE"),
    ("ERR unknown command 'X'", "ERR"), ("NOSCRIPT", "NOSCRIPT"), ("E2BIG too big", "E2BIG"),
    ("unknown command", ""), ("Err no", ""), (" ERR no", ""), ("ERR: no", ""), ("", ""),
  ])
  func `has the first word as its kind, if that is in capitals`(line: String, kind: String) {
    #expect(RedisServerError(line).kind == kind)
  }

  @Test(arguments: [
    "NOAUTH Authentication required.", "WRONGPASS invalid username-password pair",
    "NOPERM this user has no permissions to run the 'get' command",
  ])
  func `is not-permitted where the server refuses the user`(line: String) {
    let error = RedisError(RedisServerError(line), from: node)

    #expect(error.code == .notPermitted)
    #expect(error.message == line)
    #expect(error.node == node)
  }

  @Test func `names its node before the message`() {
    let six = RedisEndpoint(host: "fd00::1", port: 7000)

    #expect("\(RedisError(.timedOut, "no reply", node: node))" == "10.0.0.1:6379: no reply")
    #expect("\(RedisError(.timedOut, "no reply", node: six))" == "[fd00::1]:7000: no reply")
    #expect("\(RedisError(.timedOut, "no reply"))" == "no reply")
  }
}
