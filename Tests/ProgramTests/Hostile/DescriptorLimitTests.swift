@testable import TestSupport

#if os(Linux)
  import Foundation
  import Testing

  @testable import ImagePipeline
  @testable import imgcache

  /// Servers that have no file descriptors left, because of clients or a low limit.
  @Suite(.needsProgram) struct `Descriptor limits` {
    /// A command that is ready to listen, in front of an origin that answers everything with
    /// `made`.
    enum Program: String, CaseIterable {
      case serve, proxy

      func arguments(_ origin: FaultyOrigin) -> [String] {
        self == .serve ? ["serve"] : ["proxy", "--memory", "--origin", origin.url("")]
      }

      var target: String { self == .serve ? "/healthz" : "/a" }
      var body: String { self == .serve ? "ok\n" : "made" }
    }

    private func origin() throws -> FaultyOrigin {
      try FaultyOrigin(["/a": [.whole(Array("made".utf8), fields: ["Cache-Control: max-age=900"])]])
    }

    private func request(_ program: Program) -> String {
      "GET \(program.target) HTTP/1.1\r\nHost: localhost\r\n\r\n"
    }

    private func isAnswer(_ text: String) -> Bool { text.hasPrefix("HTTP/1.1 200 ") }

    @Test(arguments: Program.allCases)
    func
      `without descriptors, it waits without spinning, serves open connections and accepts later`(
        program: Program
      ) async throws
    {
      let origin = try origin()
      defer { origin.stop() }
      let scratch = try Scratch()
      let first = try await LimitedServer(
        program.arguments(origin), limits: "true", scratch: scratch)
      _ = try await first.exchange(program.target)
      let idleCount = first.openFileCount
      _ = try await first.stop()
      // Room for a few connections: eight descriptors are reserved.
      let server = try await LimitedServer(
        program.arguments(origin), limits: "ulimit -n \(idleCount + 14)", scratch: scratch)
      let kept = try RawClient(port: server.port)
      kept.send(request(program))
      let before = try await OffPool.run { kept.read(until: program.body) }

      // More than it can accept; the system accepts all of them.
      let others = try (0..<60).map { _ in try RawClient(port: server.port) }
      await Condition.until { server.openFileCount >= idleCount + 6 }
      let used = server.processorSeconds
      let start = ContinuousClock.now
      await Condition.until { ContinuousClock.now - start > .seconds(3) }
      let spent = server.processorSeconds - used
      kept.send(request(program))
      let meanwhile = try await OffPool.run { kept.read(until: program.body) }
      for client in others { client.end() }
      let afterwards = try await server.exchange(program.target)
      let metrics = program == .serve ? try await server.exchange("/metrics").text : ""

      #expect(isAnswer(before))
      #expect(isAnswer(meanwhile))
      #expect(afterwards.status == 200)
      // Spinning takes most of the three seconds, and one third of one on a very
      // busy machine.
      #expect(spent < 0.15)
      if program == .serve {
        let pauses = try #require(metrics.firstMatch(of: /imgcache_accept_pauses_total (\d+)/)?.1)
        // It retries once a second, and once for each connection that closes.
        #expect((1...120).contains(Int(pauses) ?? 0))
        #expect(metrics.contains(/imgcache_connections [1-9]/))
      } else {
        #expect(server.errors.contains("Too many open files"))
      }
      #expect(try await server.stop() == 0)
    }

    @Test(arguments: Program.allCases)
    func `the soft limit is raised to the hard one`(program: Program) async throws {
      let origin = try origin()
      defer { origin.stop() }

      let server = try await LimitedServer(
        program.arguments(origin), limits: "ulimit -S -n 100 && ulimit -H -n 9000",
        scratch: Scratch())
      let limits = try String(contentsOfFile: "/proc/\(server.child.pid)/limits", encoding: .utf8)
      let answer = try await server.exchange(program.target)

      #expect(limits.contains(/Max open files\s+9000\s+9000/))
      #expect(answer.status == 200)
      #expect(server.errors.isEmpty)
      #expect(try await server.stop() == 0)
    }

    @Test(arguments: Program.allCases)
    func `a low limit is reported, and permits as many connections as fit`(
      program: Program
    ) async throws {
      let origin = try origin()
      defer { origin.stop() }

      let server = try await LimitedServer(
        program.arguments(origin), limits: "ulimit -n 128", scratch: Scratch())
      let clients = try (0..<32).map { _ in try RawClient(port: server.port) }
      for client in clients { client.send(request(program)) }
      let answers = try await OffPool.run { clients.map { $0.read(until: "\r\n\r\n") } }
      let further = try await server.exchange(program.target)
      let errors = server.errors
      let status = try await server.stop()

      #expect(answers.allSatisfy(isAnswer))
      #expect(further.status == 503)
      #expect(
        errors == "4096 connections need 8256 open files, and the limit is 128 "
          + "(ulimit -n, LimitNOFILE=): at most 32 are served\n")
      #expect(status == 0, "\(server.errors)")
    }

    @Test(arguments: Program.allCases, [10, 18, 26])
    func `a start without descriptors for the event loops reports it`(program: Program, limit: Int)
      async throws
    {
      let origin = try origin()

      let outcome = try await LimitedServer.run(
        program.arguments(origin)
          + ["--listen", "127.0.0.1:0", "--cache-dir", Scratch() / "cache"],
        limits: "ulimit -n \(limit)")

      #expect(outcome.status == 2)
      #expect(outcome.errors.hasPrefix("error: Open files limited to \(limit) (ulimit -n"))
    }

    @Test(
      arguments: [
        (12, [], 2, "wrong  connections: Open files limited to 12"),
        (26, [], 2, "wrong  connections: Open files limited to 26"),
        (300, ["--max-connections", "100"], 0, "ok     connections: 100 at most\n"),
        (300, [], 0, "at most 118 are served\n"),
        (
          300, ["--max-connections", "200"], 2,
          "wrong  connections: 200 connections need 464 open files, and the limit is 300"
        ),
      ] as [(Int, [String], Int32, String)])
    func `the check compares the connections with the limit`(
      limit: Int, options: [String], status: Int32, text: String
    ) async throws {
      let outcome = try await LimitedServer.run(
        ["serve", "--check", "--listen", "127.0.0.1:0", "--cache-dir", Scratch() / "cache"]
          + options, limits: "ulimit -n \(limit)")

      #expect(outcome.status == status)
      #expect(outcome.output.contains(text), "\(outcome.output)")
    }

    @Test(arguments: [(64, 16), (65, 16), (128, 32), (8256, 4096), (Int.max, Int.max / 2 - 32)])
    func `the connection limit leaves room for two files a connection and the program's own`(
      count: Int, connections: Int
    ) {
      #expect(OpenFileLimit(count: count).connectionCount == connections)
    }
  }
#endif
