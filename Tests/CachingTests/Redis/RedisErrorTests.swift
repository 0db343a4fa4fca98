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
    ("NOAUTH Authentication required.", true), ("WRONGPASS invalid username-password pair", true),
    ("NOPERM this user has no permissions to run the 'get' command", true), ("ERR no", false),
    ("READONLY You can't write", false), ("noauth lower case", false), ("NOAUTHX other", false),
    ("", false),
  ])
  func `is not-permitted where the server refuses the user`(line: String, isRefusal: Bool) {
    let error = RedisError(RedisServerError(line), from: node)

    #expect(error.code == (isRefusal ? .notPermitted : .serverError))
    #expect(error.message == line && error.node == node)
    #expect("\(error)" == "10.0.0.1:6379: \(line)")
  }
}
