@testable import TestSupport

#if os(Linux)
  import Foundation
  import Testing

  @testable import ImageModel
  @testable import ImagePipeline

  /// Starts under `ulimit -u`, as some administrators set it: the threads of a user are limited,
  /// and those of a library that gets none wait for ever.
  @Suite(.needsProgram, .enabled(if: geteuid() == 0, "root's threads are not limited"))
  struct `Thread limits` {
    /// A user that no other process has.
    private static let user = 54_321

    @Test(
      .serialized,
      arguments: [1, 3, 8, 12, 20, 30, 60].map { ($0, "serve") }
        + [1, 2, 5, 12, 16, 25, 60].map { ($0, "proxy") })
    func `a server starts and answers, or reports why it cannot`(
      limit: Int, command: String
    ) async throws {
      let origin = try FaultyOrigin(["/healthz": [.whole(Array("made".utf8))]])
      defer { origin.stop() }
      let scratch = try Scratch()
      let arguments = command == "proxy" ? ["proxy", "--origin", origin.url("")] : ["serve"]
      do {
        let server = try await LimitedServer(
          arguments, limits: "ulimit -u \(limit)", user: Self.user + limit, scratch: scratch)
        for _ in 0..<20 { #expect(try await server.exchange("/healthz").status == 200) }
        #expect(try await server.stop() == 0)
        #expect(limit >= 12)
      } catch let error as ImageError where error.code == .connectionFailed {
        let errors = try String(contentsOfFile: scratch / "errors", encoding: .utf8)
        #expect(
          errors.hasPrefix("error: The system grants only ") && errors.contains("ulimit -u"),
          "\(errors)")
        #expect(limit < 60)
      }
    }
  }
#endif
