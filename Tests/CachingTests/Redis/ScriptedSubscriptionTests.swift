import Testing

@testable import ImageModel
@testable import RedisClustering
@testable import TestSupport

@Suite struct `A subscription at a scripted server` {
  private static func confirmation(_ name: String) -> String {
    "*3\r\n$9\r\nsubscribe\r\n$\(name.utf8.count)\r\n\(name)\r\n:1\r\n"
  }

  /// Names of events, and the payloads of messages.
  private func text(_ event: RedisSubscriptionEvent?) -> String {
    switch event {
    case .subscribed: "subscribed"
    case .message(let channel, let payload): "\(channel): \(String(buffer: payload))"
    case .lost(let error): "lost \(error.code.rawValue)"
    case nil: "end"
    }
  }

  @Test func `begins once every channel is confirmed, and takes nothing but messages`()
    async throws
  {
    let server = try await ScriptedRedis { _, words in
      switch words[0] {
      case "SUBSCRIBE":
        .bytes(
          Self.confirmation("a") + Self.confirmation("b")
            + "*3\r\n$7\r\nmessage\r\n$1\r\nb\r\n$2\r\nm1\r\n"
            + "*2\r\n$7\r\nmessage\r\n$1\r\nb\r\n"
            + "*3\r\n$8\r\npmessage\r\n$1\r\nb\r\n$1\r\nx\r\n"
            + "*0\r\n:1\r\n" + "*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$0\r\n\r\n")
      default: .bytes("+OK\r\n")
      }
    }
    let client = try server.client()
    var events = client.subscribe(to: ["a", "b"]).makeAsyncIterator()

    #expect(text(await events.next()) == "subscribed")
    #expect(text(await events.next()) == "b: m1")
    #expect(text(await events.next()) == "a: ")
    // Over time a `PING` comes, too.
    #expect(server.commands.filter { $0 != "PING" } == ["SUBSCRIBE a b"])
    await client.shutDown()
    #expect(text(await events.next()) == "end")
  }

  @Test func `reports a refused password without it, and the server`() async throws {
    let server = try await ScriptedRedis { _, words in
      .bytes(
        words[0] == "AUTH"
          ? "-WRONGPASS invalid password \(words[2]) of \(words[1])\r\n" : "-NOAUTH no\r\n")
    }
    let client = try server.client { ($0.user, $0.password) = ("reader", "hunter2") }
    var events = client.subscribe(to: ["a"]).makeAsyncIterator()
    guard case .lost(let error) = await events.next() else {
      Issue.record("the password was accepted")
      return
    }

    #expect(error.code == .notPermitted)
    #expect(error.message == "WRONGPASS invalid password *** of reader")
    #expect(error.node?.port == server.port)
  }

  @Test(arguments: [
    ("-NOPERM No permissions to access a channel\r\n", ["lost not-permitted"]),
    (confirmation("a") + "%1\r\n", ["subscribed", "lost protocol-violation"]),
  ])
  func `is lost where the user may not read a channel, and where the reply is not RESP2`(
    reply: String, expected: [String]
  ) async throws {
    let server = try await ScriptedRedis { _, words in
      .bytes(words[0] == "SUBSCRIBE" ? reply : "+OK\r\n")
    }
    let client = try server.client()
    var events = client.subscribe(to: ["a"]).makeAsyncIterator()

    for text in expected { #expect(self.text(await events.next()) == text) }
  }

  @Test func `closes its connection once its events are not read any more`() async throws {
    let server = try await ScriptedRedis { _, words in
      .bytes(words[0] == "SUBSCRIBE" ? Self.confirmation("a") : "+OK\r\n")
    }
    let client = try server.client()
    let reading = Task {
      for await event in client.subscribe(to: ["a"]) where event != .subscribed {}
    }
    await Condition.until { server.connectionCount == 1 }
    reading.cancel()
    await reading.value

    await Condition.until { server.connectionCount == 0 }
  }

  @Test func `that is not read keeps 4,096 events, and reports that others are missing`()
    async throws
  {
    let server = try await ScriptedRedis { _, words in
      guard words[0] == "SUBSCRIBE" else { return .bytes("+OK\r\n") }
      let message = "*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nm\r\n"
      let end = "*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$3\r\nend\r\n"
      return .last(
        Self.confirmation("a") + String(repeating: message, count: 5000) + end)
    }
    let client = try server.client()
    let subscription = client.subscribe(to: ["a"])
    // Connected again: all messages of the first connection have arrived.
    await Condition.until { server.commands.count { $0 == "SUBSCRIBE a" } >= 2 }
    var events = subscription.makeAsyncIterator()
    var messages = 0
    var kinds: [String] = []
    while kinds.last?.hasPrefix("lost") != true {
      let kind = text(await events.next())
      if kind == "a: m" { messages += 1 } else { kinds.append(kind) }
    }

    #expect(kinds == ["subscribed", "lost saturated"])
    #expect(messages == 4095)
  }
}
