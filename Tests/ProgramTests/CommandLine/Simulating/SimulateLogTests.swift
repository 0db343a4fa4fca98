import Foundation
import Testing

@testable import ImageModel
@testable import TestSupport

/// `imgcache simulate` with logs that servers wrote.
@Suite(.needsProgram) struct `imgcache simulate of an access log` {
  private func simulate(_ arguments: String...) async throws -> Tool.Outcome {
    try await Tool.imgcache.run(["simulate"] + arguments)
  }

  private func rows(_ log: String) async throws -> (row: [String: Any], errors: String) {
    let outcome = try await simulate(log, "--policy", "lru", "--capacity", "100%", "--json")
    try #require(outcome.status == 0, "\(outcome.errors)")
    return (try #require(try outcome.objects().first), outcome.errors)
  }

  @Test(.enabled(if: NginxProgram.isPossible, "needs nginx"))
  func `reads what nginx wrote`() async throws {
    let scratch = try Scratch()
    try scratch.write([UInt8](repeating: 1, count: 1_000), to: "a.jpg")
    try scratch.write([UInt8](repeating: 2, count: 3_000), to: "b c.jpg")
    let nginx = try await NginxProgram.start { port in
      """
      types { image/jpeg jpg; }
      server { listen 127.0.0.1:\(port); root \(scratch / ""); access_log \(scratch / "access.log") combined; }
      """
    }
    let port = nginx.port
    func ask(_ method: String, _ target: String, _ lines: [String] = []) async throws -> RawAnswer {
      try await OffPool.run { try RawClient(port: port).exchange(method, target, lines: lines) }
    }
    let first = try await ask("GET", "/a.jpg", ["User-Agent: a \"b\" \\ (KHTML, like Gecko)"])
    let tag = try #require(first["etag"])
    _ = try await ask("GET", "/b%20c.jpg", ["Referer: https://example.org/?q=\"x\" 200 5"])
    let known = try await ask("GET", "/a.jpg", ["If-None-Match: \(tag)"])
    let part = try await ask("GET", "/b%20c.jpg", ["Range: bytes=0-9"])
    _ = try await ask("HEAD", "/a.jpg")
    _ = try await ask("GET", "/absent.jpg")
    // What a port scanner sends.
    _ = try? await ask("\u{16}\u{3}\u{1}", "/")
    nginx.stop()

    let (row, errors) = try await rows(scratch / "access.log")

    #expect(known.status == 304 && part.status == 206)
    let facts = try #require(row["facts"] as? [String: Any])
    #expect(row["requests"] as? Int == 4 && row["hits"] as? Int == 2)
    #expect(facts["objects"] as? Int == 2)
    #expect(facts["footprint_bytes"] as? Int == 4_000)
    #expect(facts["requested_bytes"] as? Int == 8_000)
    #expect(
      errors.contains("4 of 7 lines are requests; left out: 2 not GET, 1 with a status other"))
  }

  @Test(arguments: ["text", "combined", "json"])
  func `reads what serve wrote`(format: String) async throws {
    let scratch = try Scratch()
    let log = scratch / "access.log"
    let program = try await ServeProgram.sample(
      days: 1, ["--access-log", log, "--log-format", format])
    let days = try await program.exchange("GET", "/days/latest")
    let again = try await program.exchange("GET", "/days/latest")
    _ = try await program.exchange("GET", "/none?\"x\"%20y")
    _ = try await program.exchange("HEAD", "/days/latest")
    #expect(try await program.stop() == 0)

    let (row, errors) = try await rows(log)

    let written = try scratch.text(of: "access.log")
    #expect(row["requests"] as? Int == 2 && row["hits"] as? Int == 1, "\(written)")
    let facts = try #require(row["facts"] as? [String: Any])
    #expect(facts["requested_bytes"] as? Int == days.body.count + again.body.count)
    #expect(
      errors.contains("2 of 4 lines are requests; left out: 1 not GET, 1 with a status other"))
  }

  @Test func `reads a log from stdin, and converts it to a trace`() async throws {
    let scratch = try Scratch()
    let line = "192.0.2.1 - - [27/Nov/2026:08:46:50 +0000] \"GET /a HTTP/1.1\" 200 10 \"-\" \"-\"\n"
    let log = try scratch.write(line + line + "cut", to: "access.log")

    let read = try await Tool.imgcache.run(
      ["simulate", "-", "--policy", "lru", "--capacity", "1KiB", "--format", "csv"],
      input: Array((line + line).utf8))
    let written = try await simulate(log, "-o", scratch / "trace.csv")

    #expect(read.output.contains("\nstdin,lru,1KiB,2,1,0.5"))
    #expect(read.errors == "" && written.status == 0)
    #expect(written.errors.hasSuffix("left out: 1 malformed (the first is line 3)\n"))
    #expect(
      try scratch.text(of: "trace.csv") == "time,key,size\n1795769210,0,10\n1795769210,0,10\n")
  }

  @Test func `refuses what is not a trace, with what one has`() async throws {
    let scratch = try Scratch()
    let empty = try scratch.write("", to: "empty.log")
    let words = try scratch.write("hello world\n", to: "words")
    let image = try scratch.write(Array(SampleImages.widePhoto.prefix(100)), to: "a.jpg")
    let errors = try scratch.write(
      "192.0.2.1 - - [27/Nov/2026:08:46:50 +0000] \"GET /a HTTP/1.1\" 404 10\n", to: "errors.log")

    let outcome = try await simulate(empty, words, image, errors, "--policy", "lru")

    #expect(outcome.status == 1 && outcome.output == "")
    for message in [
      "empty.log has no requests; a trace has lines 'time,key,size', or is an access log",
      "words: line 1 is neither 'time,key,size' nor of an access log in the common or combined",
      "a.jpg is an image (jpeg), not a trace",
      "errors.log has no requests: 0 of 1 lines are requests; left out: 1 with a status other",
    ] {
      #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }
  }
}
