@testable import ImageModel
@testable import TestSupport

#if os(Linux)
  import Foundation
  import Testing

  @testable import ImagePipeline

  /// Starts under `ulimit -v`, as some containers and administrators set it.
  @Suite(.needsProgram) struct `Address space limits` {
    /// Every second pair of a limit and a command.
    private static func pairs(_ commands: String...) -> [(Int, String)] {
      [180, 220, 260, 300, 350, 400, 500, 600, 800, 1200].enumerated().flatMap { index, limit in
        commands.enumerated().filter { (index + $0.offset) % 2 == 0 }.map { (limit, $0.element) }
      }
    }

    @Test(arguments: pairs("serve", "proxy", "proxy --memory --max-size 1MiB"))
    func `a server starts, or reports why it cannot`(limit: Int, command: String) async throws {
      let origin = try FaultyOrigin(["/a": [.whole(Array("made".utf8))]])
      defer { origin.stop() }
      let scratch = try Scratch()
      let words = command.split(separator: " ").map(String.init)
      let arguments = words + (words[0] == "proxy" ? ["--origin", origin.url("")] : [])
      do {
        let server = try await LimitedServer(
          arguments, limits: "ulimit -v \(limit << 10)", scratch: scratch)
        let target = words[0] == "proxy" ? "/a" : "/healthz"
        for _ in 0..<20 { #expect(try await server.exchange(target).status == 200) }
        #expect(try await server.stop() == 0)
      } catch let error as ImageError where error.code == .connectionFailed {
        let errors = try String(contentsOfFile: scratch / "errors", encoding: .utf8)
        #expect(Self.isExplained(errors), "\(errors)")
        #expect(limit < 800)
      }
    }

    @Test(arguments: pairs("prefetch --sample", "get http://127.0.0.1:9/"))
    func `a command runs, or reports why it cannot`(limit: Int, command: String) async throws {
      let scratch = try Scratch()

      let outcome = try await LimitedServer.run(
        command.split(separator: " ").map(String.init) + ["--cache-dir", scratch / "cache"],
        limits: "ulimit -v \(limit << 10)")

      if outcome.status == 2 || outcome.status == 127 {
        #expect(Self.isExplained(outcome.errors), "\(outcome.errors)")
        #expect(limit < 600)
      } else {
        // The origin of the sample may lack threads, which makes an image unavailable.
        let isShort = command.hasPrefix("get") || limit < 600
        #expect(outcome.status == 0 || isShort && outcome.status == 1, "\(outcome.errors)")
      }
    }

    /// With very little, the system's loader fails before the program begins.
    private static func isExplained(_ errors: String) -> Bool {
      errors.hasPrefix("error: Address space limited to ") && errors.contains("ulimit -v")
        || errors.contains("error while loading shared libraries")
    }
  }
#endif
