import Foundation
import Testing

@testable import TestSupport
@testable import ThumbnailServer

/// SIGHUP, and notifications of other commands on the cache to a running server.
@Suite(.needsProgram) struct `A running imgcache serve` {
  private func origin() throws -> FaultyOrigin {
    try FaultyOrigin([
      "/a.jpg": [.whole(SampleImages.widePhoto, fields: ["Cache-Control: max-age=600"])]
    ])
  }

  private func thumb(_ origin: FaultyOrigin, _ rest: String = "w=40&h=30") -> String {
    "/thumb?url=\(QueryPairs.encoded(origin.url("/a.jpg")))&\(rest)"
  }

  private let memory = "imgcache; hit; detail=memory"

  @Test func `SIGHUP reloads hosts, presets and keys, and drops no request`() async throws {
    let origin = try origin()
    defer { origin.stop() }
    let scratch = try Scratch()
    @Sendable func text(_ name: String) -> String { (try? scratch.text(of: name)) ?? "" }
    func configure(_ rest: String) throws {
      try scratch.write(
        """
        allow-private-network: true
        admin-key-file: \(scratch / "keys")
        access-log: \(scratch / "log")
        \(rest)
        """, to: "config.yaml")
    }
    try scratch.write("first\n", to: "keys")
    try configure("preset: [card=w=10&h=10]")
    let program = try await ServeProgram(
      ["--config", scratch / "config.yaml", "--head-time", "10m"], scratch: scratch)
    func reload(_ lines: Int) async throws {
      program.child.signal(SIGHUP)
      await Condition.until(turns: Condition.turnsOfStart) {
        text("errors").split(separator: "\n").count { $0.contains("reloaded") } == lines
      }
    }
    func remove(_ key: String) async throws -> Int {
      try await program.exchange("DELETE", "/tags/none", ["Authorization: Bearer \(key)"]).status
    }
    #expect(try await program.exchange("GET", thumb(origin)).status == 403)
    #expect(try await remove("first") == 200)

    // A request is answered by its connection, whatever is reloaded meanwhile.
    let client = try RawClient(port: program.port)
    client.send("GET /healthz HTTP/1.1\r\n")
    try scratch.write("second\n", to: "keys")
    try configure("allow-host: [127.0.0.1]\npreset: [card=w=20&h=20]\nmemory: 1M")
    try await reload(1)
    client.send("Host: localhost\r\nConnection: close\r\n\r\n")
    let slow = try await OffPool.run { client.readToEnd() }
    #expect(slow.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(slow)")
    #expect(text("errors").contains("reloaded; a restart is needed for --memory"))
    #expect(try await program.exchange("GET", thumb(origin)).status == 200)
    #expect(try await program.exchange("GET", thumb(origin, "preset=card")).status == 200)
    #expect(try await remove("first") == 403)
    #expect(try await remove("second") == 200)

    // An invalid file changes nothing, but the log is reopened.
    try FileManager.default.moveItem(atPath: scratch / "log", toPath: scratch / "log.1")
    try configure("allow-host: [not/a/host]")
    try await reload(2)
    #expect(text("errors").contains("the former configuration stays in force"))
    #expect(try await program.exchange("GET", thumb(origin)).status == 200)
    #expect(try await remove("second") == 200)
    await Condition.until { text("log").contains("/tags/none") }
    #expect(text("log.1").contains("/healthz"))

    #expect(try await program.stop() == 0)
    #expect(text("log").split(separator: "\n").count == 2)
  }

  @Test func `rm on its cache empties its memory`() async throws {
    let origin = try origin()
    let program = try await ServeProgram([
      "--allow-host", "127.0.0.1", "--allow-private-network",
    ])
    _ = try await program.exchange("GET", thumb(origin))
    let hot = try await program.exchange("GET", thumb(origin))
    let arguments = ["rm", "--json", "--tag", "host-127.0.0.1"]

    let planned = try await Tool.run(arguments + ["--dry-run"], cache: program.scratch)
    let removed = try await Tool.run(arguments, cache: program.scratch)
    let again = try await Tool.run(arguments, cache: program.scratch)

    #expect(hot["cache-status"] == memory)
    #expect(planned.output.contains("\"would_remove\":2"))
    #expect(removed.status == 0 && removed.output.contains("\"removed\":2"))
    #expect(again.status == 1)
    // It looks at the cache once a second.
    var cold = try await program.exchange("GET", thumb(origin))
    for _ in 0..<500 where cold["cache-status"] == memory {
      try await Task.sleep(for: .milliseconds(20))
      cold = try await program.exchange("GET", thumb(origin))
    }
    #expect(cold["cache-status"] == "imgcache; fwd=miss")
    #expect(origin.requests.count == 2)
    #expect(try await program.stop() == 0)
  }
}
