import Foundation
import Testing

@testable import ImageModel
@testable import ThumbnailServer

@Suite(.needsProgram, .timeLimit(.minutes(15)))
struct `The top command` {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func run(_ arguments: [String]) async throws -> Tool.Outcome {
    try await Tool.imgcache.run(["top"] + arguments, in: scratch.path)
  }

  @Test func `without a terminal the status of a server is printed once`() async throws {
    let server = try await ServerFixture()
    for _ in 0..<3 { _ = try await server.exchange("GET", "/nothing") }
    let base = "http://127.0.0.1:\(server.port)"

    for url in [base, "\(base)/", "\(base)/status", "\(base)/status.json?lang=en"] {
      let text = try await run([url])
      #expect(text.status == 0)
      #expect(text.errors.isEmpty)
      let title = text.output.prefix { $0 != "\n" }
      #expect(title.hasPrefix("\(base)  up ") && title.hasSuffix("s"), "\(title)")
      // On a busy machine the minute of the requests may be over.
      let errors = text.output.split(separator: "\n").first { $0.hasPrefix("errors ") }
      #expect(errors?.split(separator: " ").dropFirst(2).first == "3", "\(text.output)")
      #expect(!text.output.contains("\u{1B}"))
    }
    let json = try await run([base, "--json", "--once"]).objects()
    #expect(json.count == 1)
    #expect((json.first?["hour"] as? [String: Any])?["client_errors"] as? Int == 3)
    _ = try await server.stop()
  }

  @Test func `on a terminal it is redrawn in place, and Ctrl-C leaves the terminal clean`()
    async throws
  {
    let server = try await ServerFixture()
    let terminal = try PseudoTerminal(columns: 60)
    let modes = terminal.modes
    let program = try terminal.start(
      .imgcache, ["top", "http://127.0.0.1:\(server.port)", "--interval", "50ms"])
    #expect(await terminal.waits(for: "in flight", count: 1))
    _ = try await server.exchange("GET", "/nothing")
    // The lines above are erased, and drawn with what changed.
    #expect(await terminal.waits(for: "\r\u{1B}[J", count: 1))
    terminal.type("\u{3}")

    #expect(try await program.end() == 130)
    #expect(terminal.modes == modes)
    let output = String(decoding: terminal.end(), as: UTF8.self)
    #expect(output.components(separatedBy: "\u{1B}[?25l").count == 2)
    #expect(output.contains("\u{1B}[?25h"))
    _ = try await server.stop()
  }

  @Test func `a server on a Unix socket is read there`() async throws {
    let socket = scratch / "数 s"
    let program = try await ServeProgram([], listening: ["--listen", "unix:\(socket)"])

    let text = try await run(["unix:\(socket)"])
    let json = try await run(["unix:数 s", "--json", "--once"])

    #expect(text.status == 0 && text.errors.isEmpty)
    #expect(text.output.hasPrefix("unix:\(socket)  up "))
    #expect(text.output.contains("\nrequests/s "))
    #expect(json.status == 0)
    #expect(try json.objects().first?["uptime_seconds"] != nil)
    #expect(try await program.stop() == 0)
    let stopped = try await run(["unix:\(socket)"])
    #expect(stopped.status == 1 && stopped.output.isEmpty)
    #expect(stopped.errors.contains("unix:\(socket)"), "\(stopped.errors)")
  }

  @Test func `in a window of another size it is drawn again at once, and leaves nothing behind`()
    async throws
  {
    let server = try await ServerFixture()
    let terminal = try PseudoTerminal(columns: 100)
    let program = try terminal.start(
      .imgcache, ["top", "http://127.0.0.1:\(server.port)", "--interval", "1h"])
    #expect(await terminal.waits(for: "in flight"))
    var screen = TerminalScreen(columns: 100)
    let before = terminal.output
    screen.show(before)
    terminal.resize(columns: 60, rows: 24)
    screen.resize(columns: 60, rows: 24)
    #expect(await terminal.waits(for: "in flight", count: 2))
    let after = terminal.output
    screen.show(Array(after[before.count...]))

    #expect(screen.texts.count { $0.hasPrefix("in flight") } == 1)
    #expect(screen.texts.first?.hasPrefix("http://127.0.0.1:\(server.port)  up ") == true)
    terminal.type("\u{3}")
    #expect(try await program.end() == 130)
    screen.show(Array(terminal.end()[after.count...]))
    #expect(screen.allTexts == [] && screen.wrapsLines && screen.showsCursor)
    _ = try await server.stop()
  }

  @Test func `what is no server of ours, or refuses, ends with an error`() async throws {
    let hostile = "{\"time\":\"\u{1B}[2J\"}"
    let origin = try FaultyOrigin([
      "/status.json": [.whole(Array(hostile.utf8))],
      "/away/status.json": [.whole([], status: 302, fields: ["Location: /status.json"])],
      "/closed/status.json": [.whole([], status: 403)],
      "/long/status.json": [.whole([UInt8](repeating: 0x20, count: 2 << 20))],
    ])
    let port = try ReservedPort()
    let cases = [
      (origin.url("/"), "not the status"), (origin.url("/away"), "status.json"),
      (origin.url("/closed"), "--admin-key-file"), (origin.url("/absent"), "status 404"),
      (origin.url("/long"), "status.json"), ("http://127.0.0.1:\(port.number)", "connect"),
    ]
    for (url, text) in cases {
      let outcome = try await run([url])
      #expect(outcome.status == 1, "\(url)")
      #expect(outcome.errors.hasPrefix("error: "))
      #expect(outcome.errors.contains(text), "\(outcome.errors)")
      #expect(!outcome.errors.contains("\u{1B}"))
      #expect(outcome.output.isEmpty)
    }
  }

  @Test(arguments: [
    ["unix:"], ["unix:/\(String(repeating: "a", count: 120))"], ["nonsense"],
    ["http://h", "--interval", "0"], [],
  ])
  func `misuse is told as such`(arguments: [String]) async throws {
    #expect(try await run(arguments).status == 64)
  }
}
