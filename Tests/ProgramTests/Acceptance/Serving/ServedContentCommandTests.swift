import Foundation
import Testing

@testable import TestSupport
@testable import ThumbnailServer

@Suite(.needsProgram) struct `What a server shows` {
  @Test func `files of --root by presets and defaults, and nothing but images with --only`()
    async throws
  {
    let scratch = try Scratch()
    try scratch.write(SampleImages.widePhoto, to: "photos/a b.jpg")
    let program = try await ServeProgram(
      [
        "--root", "photos=\(scratch / "photos")", "--only", "images", "--cors",
        "https://example.org", "--preset", "card=w=40", "--default", "h=20&fit=fill",
        "--admin-listen", "unix:\(scratch / "admin")",
      ], scratch: scratch)
    let url = QueryPairs.encoded("local://photos/a%20b.jpg")

    let card = try await program.exchange(
      "GET", "/thumb?preset=card&url=\(url)", ["Origin: https://example.org"])
    let refused = try await program.exchange("GET", "/image?url=local%3A%2F%2Fother%2Fa.jpg")
    _ = try await program.exchange("GET", "/image?url=http%3A%2F%2Fexample.org%2Fa.jpg")
    _ = try await program.exchange("GET", "/image?url=http%3A%2F%2Fexample.org%2Fb.jpg")
    let hidden = try await program.exchange("GET", "/metrics")
    let metrics = try await Tool(path: "curl").run([
      "-s", "--unix-socket", scratch / "admin", "http://localhost/metrics",
    ])
    #expect(try await program.stop() == 0)
    let errors = try scratch.text(of: "errors")

    #expect(card.status == 200 && card["access-control-allow-origin"] == "https://example.org")
    #expect(refused.status == 403 && hidden.status == 404)
    #expect(metrics.output.contains("\nprocess_open_fds "))
    #expect(
      errors.contains(
        "refused an image of local://other (host_not_allowed): name its directory by --root\n"))
    #expect(
      errors.split(separator: "\n").filter { $0.contains("example.org") }
        == [
          "refused an image of example.org (host_not_allowed): permit it by --allow-host example.org"
        ])
  }

  @Test func `a directory of --root that is not there is an error of the start`() async throws {
    let scratch = try Scratch()

    let outcome = try await Tool.run(
      ["serve", "--listen", "127.0.0.1:0", "--root", "photos=\(scratch / "absent")"],
      cache: scratch)

    #expect(outcome.status == 2 || outcome.status == 64 || outcome.status == 1)
    #expect(outcome.errors.contains("--root photos="))
  }

  @Test func `sign makes the whole URL of an image, which its server accepts`() async throws {
    let scratch = try Scratch()
    try scratch.write(SampleImages.widePhoto, to: "photos/a.jpg")
    let keys = ["--sign-key-file", try scratch.write("k1:secret\n", to: "keys")]
    let program = try await ServeProgram(
      keys + [
        "--root", "photos=\(scratch / "photos")",
        "--preset", "card=w=40",
      ], scratch: scratch)
    func signed(_ arguments: String...) async throws -> Tool.Outcome {
      try await Tool.imgcache.run(["sign", "--server", program.url("/")] + keys + arguments)
    }
    let image = "local://photos/a.jpg"

    let card = try await signed("--preset", "card", image)
    let size = try await signed("--size", "30x20:fill", image)
    let whole = try await signed(image)
    var statuses: [Int] = []
    for outcome in [card, size, whole] {
      let line = outcome.output.trimmingCharacters(in: .newlines)
      statuses.append(
        try await program.exchange("GET", String(line.dropFirst(program.url("").count))).status)
    }
    var refused: Set<Int32> = []
    for wrong in [
      "a.jpg", "ftp://example.org/a", "local://photos/", program.url("/thumb?url=a&sig=b"),
    ] {
      refused.insert(try await signed(wrong).status)
    }
    for wrong in ["/days?url=a", "/thumb?url=a&sig=b", "https://example.org/a.jpg"] {
      refused.insert(try await Tool.imgcache.run(["sign", wrong] + keys).status)
    }
    _ = try await program.stop()

    #expect(
      card.output.hasPrefix(
        program.url("/thumb?preset=card&url=local%3A%2F%2Fphotos%2Fa.jpg&kid=k1&sig=")))
    #expect(size.output.contains("/thumb?w=30&h=20&fit=fill&url="))
    #expect(whole.output.contains("/image?url="))
    #expect(statuses == [200, 200, 200])
    #expect(refused == [64])
  }
}
