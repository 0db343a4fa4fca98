import Foundation
import Testing

@testable import TestSupport
@testable import ThumbnailServer

/// Two programs and one Unix socket.
@Suite(.needsProgram) struct `Unix sockets of serve` {
  /// Starts a server on the socket, with a new cache.
  private func serve(_ socket: String, _ arguments: [String] = []) async throws -> ServeProgram {
    try await ServeProgram(arguments, listening: ["--listen", "unix:\(socket)"])
  }

  /// The status of a response, as curl prints it.
  private func answer(_ socket: String, _ target: String = "/healthz") async throws -> String {
    try await Tool(path: "curl").run([
      "-s", "--unix-socket", socket, "http://localhost\(target)", "-o", "/dev/null", "-w",
      "%{http_code}",
    ]).output
  }

  @Test func `one in use is not replaced, and the check reports it, too`() async throws {
    let scratch = try Scratch()
    let socket = scratch / "s"
    let program = try await serve(socket)

    let arguments = ["--listen", "unix:\(socket)", "--cache-dir", scratch / "cache"]
    let second = try Tool.imgcache.start(["serve"] + arguments, writingTo: scratch)
    await Condition.until {
      second.endedStatus != nil
        || (try? String(contentsOfFile: scratch / "output", encoding: .utf8))?.isEmpty == false
    }
    let status = second.endedStatus
    second.stop()
    let errors = try String(contentsOfFile: scratch / "errors", encoding: .utf8)
    let checked = try await Tool.imgcache.run(["serve", "--check"] + arguments)
    let served = try await answer(socket)

    #expect(status == 2)
    #expect(
      errors == "error: cannot listen on unix:\(socket): Address already in use\n")
    #expect(checked.status == 2)
    #expect(checked.output.contains("wrong  address: cannot listen on unix:\(socket)"))
    #expect(served == "200")
    #expect(try await program.stop() == 0)
    #expect(!FileManager.default.fileExists(atPath: socket))
  }

  @Test func `one left by a killed server is replaced`() async throws {
    let scratch = try Scratch()
    let socket = scratch / "s"
    let killed = try await serve(socket)
    killed.child.signal(SIGKILL)
    _ = try await killed.child.end()
    let isLeft = FileManager.default.fileExists(atPath: socket)

    let checked = try await Tool.imgcache.run([
      "serve", "--check", "--listen", "unix:\(socket)", "--cache-dir", scratch / "cache",
    ])
    let program = try await serve(socket, ["--socket-mode", "600"])
    let served = try await answer(socket)
    let mode = try FileManager.default.attributesOfItem(atPath: socket)[.posixPermissions]

    #expect(isLeft)
    #expect(checked.status == 0, "\(checked)")
    #expect(served == "200")
    #expect(mode as? Int == 0o600)
    #expect(try await program.stop() == 0)
    #expect(!FileManager.default.fileExists(atPath: socket))
  }

  @Test func `a server that stops leaves its successor's socket`() async throws {
    let gate = Gate()
    let picture = SampleImages.widePhoto
    let origin = try FaultyOrigin([
      "/a.jpg": [.held(FaultyOrigin.head(length: picture.count), gate, picture)]
    ])
    defer { origin.stop() }
    let scratch = try Scratch()
    let socket = scratch / "s"
    // Timeouts long enough for the other one to start.
    let old = try await serve(
      socket,
      [
        "--allow-host", "127.0.0.1", "--allow-private-network", "--timeout", "600", "--max-time",
        "600", "--drain-time", "600s",
      ])
    let target = "/image?url=\(QueryPairs.encoded(origin.url("/a.jpg")))"
    async let last = answer(socket, target)
    await Condition.until { origin.requests.count == 1 }

    // The old one drains, and does not finish before the new one has started.
    old.child.signal(SIGTERM)
    await Condition.until { !FileManager.default.fileExists(atPath: socket) }
    let new = try await serve(socket)
    gate.open()
    let ended = try await old.child.end()
    let served = try await answer(socket)
    let finished = try await last

    #expect(finished == "200")
    #expect(ended == 0)
    #expect(served == "200")
    #expect(try await new.stop() == 0)
  }

  @Test func `a file that is not a socket is left unchanged`() async throws {
    let scratch = try Scratch()
    try Data("mine".utf8).write(to: URL(fileURLWithPath: scratch / "s"))

    let outcome = try await Tool.imgcache.run([
      "serve", "--listen", "unix:\(scratch / "s")", "--cache-dir", scratch / "cache",
    ])

    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("exists and is not a socket"))
    #expect(try String(contentsOfFile: scratch / "s", encoding: .utf8) == "mine")
  }
}
