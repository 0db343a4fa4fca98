import Testing

@testable import HTTPListening

@Suite struct `The hosts that requests may name` {
  private func rule(port: Int? = nil) throws -> HostRule {
    HostRule(names: try HostAllowList(["images.example", "*.cdn.example"]), port: port)
  }

  @Test(arguments: [
    "localhost", "LOCALHOST:8780", "localhost.", "a.localhost", "127.0.0.1", "127.255.0.9:1",
    "[::1]", "[::1]:8780", "[::ffff:127.0.0.1]", "[0:0:0:0:0:0:0:1]", "localhost:",
  ])
  func `are always those of this machine`(host: String) throws {
    #expect(HostRule(names: HostAllowList()).allows(host))
    #expect(HostRule(names: HostAllowList()).problem(for: host) == nil)
  }

  @Test(arguments: [
    "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "notlocalhost", "128.0.0.1",
    "[::2]", "[::ffff:10.0.0.1]", "[::]", "0.0.0.0", "127.1", "2130706433", "[localhost]", "[::1",
    "::1", "", ":80", "[", "[]", "localhost:x", "localhost:123456", "localhost:-1", "[::1]x",
  ])
  func `are no others without configuration`(host: String) {
    #expect(
      HostRule(names: HostAllowList()).problem(for: host)
        == Problem(
          .misdirectedRequest, "host_not_served",
          "The server does not serve this host name; its operator can add it."))
  }

  @Test(arguments: [
    ("images.example", true), ("IMAGES.example:443", true), ("images.example.", true),
    ("a.cdn.example", true), ("cdn.example", false), ("images.example.evil.example", false),
  ])
  func `are also the configured ones, at any port`(host: String, isAllowed: Bool) throws {
    #expect(try rule().allows(host) == isAllowed)
  }

  @Test(arguments: [
    ("evil.example:8780", 8780, false), ("evil.example:81", 8780, true),
    ("evil.example", 8780, true), ("evil.example", 80, false), ("evil.example:", 80, false),
    ("evil.example:080", 80, false), ("images.example:8780", 8780, true),
    ("evil.example:x", 8780, false),
  ])
  func `are checked at one port, if it is given`(host: String, port: Int, isAllowed: Bool) throws {
    #expect(try rule(port: port).allows(host) == isAllowed)
  }

  @Test func `may be left out`() throws { #expect(try rule().problem(for: nil) == nil) }
}
