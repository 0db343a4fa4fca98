import Foundation
import NIOCore
import Testing

@testable import ImageModel
@testable import RedisClustering
@testable import TestSupport

/// One `redis-server`.
@Suite(.needsRedis)
struct `A client of one Redis server` {
  private func client(
    _ server: RedisProgram, _ change: (inout RedisConfiguration) -> Void = { _ in }
  ) throws -> RedisClient {
    var configuration = RedisConfiguration(servers: [server.endpoint])
    // The machine may be busy, and timing is not tested here.
    configuration.deadline = .seconds(30)
    configuration.connectTimeout = .seconds(30)
    configuration.downTime = .zero
    configuration.topologyInterval = .zero
    change(&configuration)
    return try RedisClient(configuration)
  }

  private func started() async throws -> (RedisProgram, RedisClient) {
    let server = try RedisProgram()
    try await server.waitUntilReady()
    return (server, try client(server))
  }

  private func error(
    _ client: RedisClient, _ command: RedisCommand
  ) async -> RedisError? {
    do throws(RedisError) {
      _ = try await client.send(command)
      return nil
    } catch {
      return error
    }
  }

  @Test func `gets the values it has set, in order and of any size`() async throws {
    let (server, client) = try await started()
    let large = ByteBuffer(bytes: (0..<(8 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let odd = ByteBuffer(bytes: [0, 13, 10, 255, 36])

    let replies = try await client.send([
      RedisCommand("SET", ["{k}1", RedisCommand.Argument(large)]),
      RedisCommand("SET", ["{k}2", RedisCommand.Argument(odd)]),
      RedisCommand("MGET", ["{k}2", "{k}1", "{k}3"]), RedisCommand("LPUSH", ["{k}2", "x"]),
      RedisCommand("INCR", ["{k}4"]),
    ])

    #expect(replies.count == 5)
    #expect(replies[0] == .status("OK"))
    #expect(replies[2] == .array([.bytes(odd), .bytes(large), .null]))
    #expect(
      replies[3]
        == .error(
          RedisError(
            .serverError, "WRONGTYPE Operation against a key holding the wrong kind of value")))
    #expect(replies[4] == .integer(1))
    #expect(await client.status().isCluster == false)
    #expect(await error(client, RedisCommand("LPUSH", ["{k}2", "x"]))?.code == .serverError)
    withExtendedLifetime(server) {}
  }

  @Test func `serves many callers over one connection a lane`() async throws {
    let (server, client) = try await started()

    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<2000 {
        group.addTask {
          let lane = RedisLane.allCases[number % 2]
          let reply = try await client.send(
            [
              RedisCommand("SET", ["{\(number)}", RedisCommand.Argument(number)]),
              RedisCommand("GET", ["{\(number)}"]),
            ], lane: lane)
          #expect(reply[1].text == "\(number)")
        }
      }
      try await group.waitForAll()
    }
    let clients = try await server.cli("client", "list").split(separator: "\n")
    #expect(clients.count { !$0.contains("cmd=client|list") } == 2)
  }

  @Test func `runs scripts that the server knows or has lost`() async throws {
    let (server, client) = try await started()
    let script = RedisScript("return {KEYS[1], ARGV[1], ARGV[2]}")
    let expected = RedisValue.array(
      ["k", "a", "12"].map { .bytes(ByteBuffer(string: $0)) })

    #expect(script.digest == (try await server.cli("script", "load", script.text)))
    _ = try await server.cli("script", "flush")
    for _ in 0..<2 {
      #expect(try await client.run(script, keys: ["k"], arguments: ["a", 12]) == expected)
    }
    let failing = RedisScript("return redis.error_reply('NO such luck')")
    await #expect(throws: RedisError.self) {
      try await client.run(failing, keys: ["k"], arguments: [])
    }
  }

  @Test func `authenticates, and reports why it was refused`() async throws {
    let server = try RedisProgram([
      "--requirepass", "secret", "--user", "images", "on", ">pässword", "~ic1:*", "+@all",
    ])
    try await RedisProgram.wait { try await server.cli("-a", "secret", "ping") == "PONG" }
    let get = RedisCommand("GET", ["ic1:x"], isReadOnly: true)

    let open = try client(server) { $0.password = "secret" }
    #expect(try await open.send(get) == .null)
    let named = try client(server) { ($0.user, $0.password) = ("images", "pässword") }
    #expect(try await named.send(get) == .null)
    #expect(await error(named, RedisCommand("GET", ["other"]))?.code == .notPermitted)
    let stranger = try client(server)
    #expect(await error(stranger, get)?.code == .notPermitted)
    let wrong = try client(server) { ($0.user, $0.password) = ("images", "guess") }
    let failure = await error(wrong, get)
    #expect(failure?.code == .notPermitted)
    #expect(failure.map { "\($0)".contains("guess") } == false)
    #expect(failure?.node == server.endpoint)
    var lost: RedisError?
    for await event in wrong.subscribe(to: ["c"]) {
      if case .lost(let error) = event { lost = error }
      break
    }
    #expect(lost?.code == .notPermitted)
  }

  @Test(.enabled(if: TestCertificate.isPossible, "needs openssl"))
  func `uses TLS, and accepts only the server's certificate`() async throws {
    let certificate = try await TestCertificate(for: "IP:127.0.0.1,DNS:redis.example")
    let server = try RedisProgram(
      [
        "--tls-cert-file", certificate.path, "--tls-key-file", certificate.key,
        "--tls-auth-clients", "no",
      ], listening: { ["--port", "0", "--tls-port", "\($0)"] })
    try await RedisProgram.wait {
      try await server.cli("--tls", "--insecure", "ping") == "PONG"
    }
    let value = RedisCommand.Argument(ByteBuffer(repeating: 0x61, count: 3 << 20))
    let commands = [RedisCommand("SET", ["k", value]), RedisCommand("STRLEN", ["k"])]
    var trusting = RedisTLSRules()
    trusting.trustedCertificates = certificate.path

    let byAddress = try client(server) { $0.tls = trusting }
    #expect(try await byAddress.send(commands)[1] == .integer(3 << 20))
    #expect(
      try await byAddress.send(
        RedisCommand("GETRANGE", ["k", 0, RedisCommand.Argument((2 << 20) - 1)])
      ).bytes?
      .readableBytes == 2 << 20)
    var named = trusting
    named.serverName = "redis.example"
    let byName = try client(server) { $0.tls = named }
    #expect(try await byName.send(commands)[0] == .status("OK"))
    named.serverName = "other.example"
    let misnamed = try client(server) { $0.tls = named }
    #expect(await error(misnamed, commands[1])?.code == .connectionFailed)
    let doubting = try client(server) { $0.tls = .init() }
    let failure = await error(doubting, commands[1])
    #expect(failure?.message.contains("certificate not accepted") == true)
    let plain = try client(server)
    #expect(await error(plain, commands[1]) != nil)
    #expect(throws: RedisError.self) {
      try client(server) {
        $0.tls = .init(); $0.tls?.trustedCertificates = "/nowhere"
      }
    }
  }

  @Test func `reconnects after the server was killed or hung`() async throws {
    let (server, patient) = try await started()
    let hasty = try client(server) { $0.deadline = .milliseconds(100) }
    let ping = RedisCommand("PING")
    #expect(await error(patient, ping) == nil)

    server.kill()
    #expect(await error(patient, ping)?.code == .connectionFailed)
    try server.start()
    try await server.waitUntilReady()
    #expect(await error(patient, ping) == nil)
    try await RedisProgram.wait { await error(hasty, ping) == nil }
    server.suspend()
    #expect(await error(hasty, ping)?.code == .timedOut)
    server.resume()
    try await RedisProgram.wait { await error(hasty, ping) == nil }
  }

  @Test func `receives messages, and is notified when some may be missing`() async throws {
    let (server, client) = try await started()
    var events = client.subscribe(to: ["a", "b"]).makeAsyncIterator()

    #expect(await events.next() == .subscribed)
    #expect(
      try await client.send(RedisCommand("PUBLISH", ["b", "one"], keyPosition: nil)) == .integer(1))
    #expect(await events.next() == .message(channel: "b", ByteBuffer(string: "one")))
    server.kill()
    guard case .lost = await events.next() else {
      Issue.record("the loss was not told")
      return
    }
    try server.start()
    var event = await events.next()
    while case .lost = event { event = await events.next() }
    #expect(event == .subscribed)
    try await RedisProgram.wait {
      await error(client, RedisCommand("PUBLISH", ["a", "two"], keyPosition: nil)) == nil
    }
    #expect(await events.next() == .message(channel: "a", ByteBuffer(string: "two")))
    await client.shutDown()
    #expect(await events.next() == nil)
  }
}
