@testable import TestSupport

#if os(Linux)
  import Foundation
  import Testing

  @testable import ImagePipeline

  /// Connections that the system has accepted when a server is told to stop, and the server has
  /// not.
  @Suite(.needsProgram) struct `The backlog at SIGTERM` {
    /// The address of a server.
    enum Way: CaseIterable {
      case serveTCP, serveUnix, proxyTCP, proxyUnix
      var isUnix: Bool { self == .serveUnix || self == .proxyUnix }
      var isProxy: Bool { self == .proxyTCP || self == .proxyUnix }
    }

    /// Connects this many times, sends a request on each, suspends the program meanwhile, and
    /// prints the statuses. In Python, because it runs while the program is stopped.
    private static let script = """
      import os, signal, socket, sys
      address, count, pid = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
      os.kill(pid, signal.SIGSTOP)
      clients = []
      for index in range(count):
          if address.startswith("/"):
              client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
              client.connect(address)
          else:
              client = socket.create_connection(("127.0.0.1", int(address)))
          clients.append(client)
          client.sendall(sys.argv[4].encode().decode("unicode_escape").encode())
      os.kill(pid, signal.SIGTERM)
      os.kill(pid, signal.SIGCONT)
      for client in clients:
          answer = b""
          try:
              while chunk := client.recv(4096):
                  answer += chunk
          except OSError as error:
              answer = str(error).encode()
          print(answer[:12].decode())
      """

    @Test(arguments: Way.allCases)
    func `connections in it are answered`(way: Way) async throws {
      let count = 100
      let origin = try FaultyOrigin(["/a": [.whole(Array("made".utf8))]])
      defer { origin.stop() }
      let scratch = try Scratch()
      let listen = way.isUnix ? "unix:\(scratch / "s")" : "127.0.0.1:0"
      let child = try Tool.imgcache.start(
        (way.isProxy ? ["proxy", "--memory", "--origin", origin.url("")] : ["serve"])
          + ["--json", "--listen", listen, "--cache-dir", scratch / "cache"],
        writingTo: scratch)
      let port = try await child.listening(from: scratch).port
      let request =
        "GET \(way.isProxy ? "/a" : "/healthz") HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n"

      let outcome = try await Tool(path: "python3").run([
        "-c", Self.script, way.isUnix ? scratch / "s" : "\(port)", "\(count)", "\(child.pid)",
        request,
      ])
      let status = try await child.end()

      let lines = outcome.output.split(separator: "\n")
      #expect(lines.count == count, "\(outcome.errors)")
      #expect(Set(lines) == ["HTTP/1.1 200"])
      #expect(status == 0)
    }

    /// Timeouts are long enough for a busy machine: what has arrived before the signal counts.
    @Test func `a request with a partly received head is answered`() async throws {
      let program = try await ServeProgram(["--head-time", "10m", "--drain-time", "10m"])
      let client = try RawClient(port: program.port)
      client.send("GET /healthz HTTP/1.1\r\nHo")
      program.child.signal(SIGTERM)
      await Condition.until { (try? RawClient(port: program.port)) == nil }

      client.send("st: localhost\r\n\r\n")
      let answer = try await OffPool.run { client.readToEnd() }

      #expect(answer.hasSuffix("ok\n"))
      #expect(try await program.child.end() == 0)
    }
  }
#endif
