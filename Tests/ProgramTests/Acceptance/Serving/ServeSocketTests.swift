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

  @Test func `one in use is not replaced, one left by a killed server is`() async throws {
    let scratch = try Scratch()
    let socket = scratch / "s"
    let listen = ["--listen", "unix:\(socket)"]
    let killed = try await serve(socket)

    let second = try await Tool.run(["serve"] + listen, cache: scratch)
    let checked = try await Tool.run(["serve", "--check"] + listen, cache: scratch)
    #expect(second.status == 2 && checked.status == 2)
    #expect(
      second.errors == "error: cannot listen on unix:\(socket): Address already in use\n")
    #expect(checked.output.contains("wrong  address: cannot listen on unix:\(socket)"))
    #expect(try await answer(socket) == "200")
    #expect(killed.line.contains("\"address\":\"unix:"))

    killed.child.signal(SIGKILL)
    _ = try await killed.child.end()
    #expect(scratch.has("s"))
    #expect(try await Tool.run(["serve", "--check"] + listen, cache: scratch).status == 0)
    let program = try await serve(socket, ["--socket-mode", "600"])
    let mode = try FileManager.default.attributesOfItem(atPath: socket)[.posixPermissions]
    #expect(try await answer(socket) == "200" && mode as? Int == 0o600)
    #expect(try await program.stop() == 0)
    #expect(!scratch.has("s"))
  }
}
