import Foundation
import Testing

@testable import SampleFeed
@testable import TestSupport
@testable import ThumbnailServer

/// Private origins, as the program reaches them with `--origin-header`.
@Suite(.needsProgram) struct `The option --origin-header` {
  private static let secret = "s3cret-value"

  /// An origin that serves an image only with the secret.
  private func origin(_ control: String = "max-age=600") throws -> FaultyOrigin {
    let origin = try FaultyOrigin()
    origin["/a.jpg"] = [
      .custom { request, connection in
        let isAllowed = request["authorization"] == "Bearer \(Self.secret)"
        var response = LoopbackResponse()
        response.status = isAllowed ? 200 : 403
        response.headers = [
          ("Cache-Control", isAllowed ? control : "no-store"), ("ETag", "\"1\""),
        ]
        response.body = isAllowed ? SampleImages.widePhoto : []
        return connection.send(response.wire(isHead: false, keepsAlive: true))
      }
    ]
    return origin
  }

  /// The option with its value in a file.
  private func option(_ scratch: Scratch, _ value: String = "Bearer \(secret)\n") throws -> [String]
  {
    ["--origin-header", "127.0.0.1: Authorization: @\(try scratch.write(value, to: "key"))"]
  }

  @Test func `fetches from a private origin, and no output has the value`() async throws {
    let origin = try origin()
    let scratch = try Scratch()
    let url = origin.url("/a.jpg")
    let option = [
      "--origin-header", "127.0.0.1:\(origin.port): Authorization: Bearer \(Self.secret)",
    ]

    let outcomes = [
      try await Tool.run(["get", url, "-o", scratch / "a.jpg"], cache: scratch),
      try await Tool.run(
        ["get", url, "-o", scratch / "a.jpg", "--verbose"] + option, cache: scratch),
      try await Tool.run(["explain", url], cache: scratch),
      try await Tool.run(["info", url, "--json"], cache: scratch),
      try await Tool.run(["config", "get"] + option, cache: scratch),
      try await Tool.run(["config", "serve", "--json"] + option, cache: scratch),
      try await Tool.run(["serve", "--check"] + option, cache: scratch),
      try await Tool.run(
        ["get", origin.url("/b.jpg"), "-o", scratch / "b", "--json"] + option, cache: scratch),
    ]

    #expect(outcomes.map(\.status) == [1, 0, 0, 0, 0, 0, 0, 1])
    for outcome in outcomes {
      #expect(!(outcome.output + outcome.errors).contains(Self.secret))
    }
    #expect(outcomes[4].output.contains("127.0.0.1:\(origin.port): Authorization: ***"))
    #expect(outcomes[6].output.contains("origin headers: [127.0.0.1:\(origin.port): Auth"))
  }

  @Test func `is misuse where it cannot be sent`() async throws {
    let scratch = try Scratch()
    for (command, value) in [
      (["get", "http://127.0.0.1:9/a.jpg"], "X: s3cret-value"),
      (["serve", "--listen", "127.0.0.1:0"], "h: X: @\(scratch / "absent")"),
      (
        ["proxy", "--listen", "127.0.0.1:0", "--origin", "http://127.0.0.1:9"],
        "h: Host: s3cret-value"
      ),
    ] {
      let outcome = try await Tool.run(command + ["--origin-header", value], cache: scratch)

      #expect(outcome.status == 64, "\(command[0]) \(value): \(outcome.errors)")
      #expect(!outcome.errors.contains("s3cret"))
      #expect(outcome.errors.contains(/[Oo]rigin[ -]header/))
    }
  }

  @Test func `decides which server serves what was fetched with it`() async throws {
    let origin = try origin("private, max-age=600")
    let scratch = try Scratch()
    let option = try option(scratch)
    let open = ["--allow-host", "127.0.0.1", "--allow-private-network"]
    let target = "/image?url=\(QueryPairs.encoded(origin.url("/a.jpg")))"
    let fetched = try await Tool.run(
      ["get", origin.url("/a.jpg"), "-o", scratch / "a.jpg"] + option, cache: scratch)
    #expect(fetched.status == 0)

    var answers: [RawAnswer] = []
    for arguments in [open, open + option, open + ["--allow-private-entries"], ["--offline"]] {
      let program = try await ServeProgram(arguments, scratch: scratch)
      answers.append(try await program.exchange("GET", target))
      #expect(try await program.stop() == 0)
    }

    #expect(answers.map(\.status) == [502, 200, 200, 404])
    #expect(answers[1]["cache-status"]?.contains("hit; detail=disk") == true)
    #expect(answers[2]["cache-status"]?.contains("hit; detail=disk") == true)
    #expect(origin.requests.map { $0["authorization"] } == ["Bearer \(Self.secret)", nil])
  }
}
