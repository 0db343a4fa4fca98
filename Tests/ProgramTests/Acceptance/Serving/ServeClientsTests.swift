import Foundation
import Testing

@testable import ImageCodecs
@testable import ImageFeeds
@testable import ImageModel
@testable import ThumbnailServer
@testable import TestSupport

/// The clients of `Distribution`, against the real program, and the program against nginx.
@Suite(.needsProgram) struct `Clients of serve` {
  static let picture = SampleImages.widePhoto
  private static let clients = SharedFixtures.packageRoot.appending(path: "Distribution/clients")
    .path
  private static let hasNode = (ProcessInfo.processInfo.environment["PATH"] ?? "")
    .split(separator: ":").contains { FileManager.default.isExecutableFile(atPath: "\($0)/node") }

  private func origin() throws -> FaultyOrigin {
    try FaultyOrigin([
      "/a b.jpg": [.whole(Self.picture)],
      "/a%20b+c.jpg": [.whole(Self.picture, fields: ["Cache-Control: max-age=600"])],
    ])
  }
  private let open = ["--allow-host", "127.0.0.1", "--allow-private-network"]

  /// The thumbnail that each of them requests.
  private func expected() throws -> [UInt8] {
    try ImageCodecs.thumbnail(
      of: Self.picture.span.bytes, recipe: ThumbnailRecipe(size: PixelSize(width: 40, height: 30))
    ).bytes
  }

  private func run(_ command: [String], _ server: String, _ origin: FaultyOrigin) async throws {
    let scratch = try Scratch()
    for _ in 0..<2 {
      let outcome = try await Tool(path: command[0]).run(
        command.dropFirst() + [server, origin.url("/a%20b+c.jpg"), "40", "30", scratch / "t.jpg"])
      #expect(outcome.status == 0, "\(outcome)")
      #expect(try scratch.bytes(of: "t.jpg") == expected())
    }
  }

  @Test func `scripts get a thumbnail, and further ones from the cache`() async throws {
    let origin = try origin()
    defer { origin.stop() }
    let (program, scratch) = (try await ServeProgram(open), try Scratch())
    let local = try await ServeProgram(
      open, listening: ["--listen", "unix:\(scratch / "s")"], scratch: scratch)

    var scripts = [["sh", "thumbnail.sh"], ["python3", "thumbnail.py"]]
    if Self.hasNode { scripts.append(["node", "thumbnail.mjs"]) }
    for script in scripts {
      try await run([script[0], "\(Self.clients)/\(script[1])"], program.url(""), origin)
    }
    #expect(origin.requests.count == 1)
    try await run(["sh", "\(Self.clients)/thumbnail-socket.sh"], scratch / "s", origin)

    #expect(try await program.stop() == 0)
    #expect(try await local.stop() == 0)
  }

  @Test(.needsBrowser) func `a static page shows one in a browser`() async throws {
    let origin = try origin()
    defer { origin.stop() }
    let (program, scratch) = (try await ServeProgram(open), try Scratch())
    let text = try String(contentsOfFile: "\(Self.clients)/page.html", encoding: .utf8)
      .replacing("IMAGE", with: QueryPairs.encoded(origin.url("/a%20b+c.jpg")))
      .replacing("http://127.0.0.1:8780", with: program.url(""))
    let page = try await BrowserPage()

    try await page.go(to: "file://\(scratch.write(text, to: "page.html"))")
    try await page.wait(until: "document.images[0].naturalWidth > 0")
    // The placeholder would be as wide as what was asked for.
    try await page.expect(value: "document.images[0].naturalWidth < 120", .bool(true))

    #expect(page.faults() == [])
    try await page.close()
    #expect(try await program.stop() == 0)
  }

  @Test(.enabled(if: NginxProgram.isPossible, "needs nginx"))
  func `nginx in front gives HTTP/2 over TLS, and passes everything on`() async throws {
    let origin = try origin()
    defer { origin.stop() }
    let scratch = try Scratch()
    let program = try await ServeProgram(
      open + ["--sample", "--socket-mode", "666"],
      listening: ["--listen", "unix:\(scratch / "s")"], scratch: scratch)
    let made = try await Tool(path: "openssl").run([
      "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
      "-keyout", scratch / "thumbs.key", "-out", scratch / "thumbs.crt",
    ])
    try #require(made.status == 0, "\(made.errors)")
    let shipped = try String(
      contentsOf: SharedFixtures.packageRoot.appending(path: "Distribution/nginx.conf"),
      encoding: .utf8)
    let nginx = try await NginxProgram.start { port in
      shipped.replacing("/run/imgcache/http.sock", with: scratch / "s")
        .replacing("listen 443", with: "listen 127.0.0.1:\(port)")
        .replacing("/etc/nginx/", with: scratch / "")
    }
    defer { nginx.stop() }
    let target =
      "https://127.0.0.1:\(nginx.port)/thumb?url=\(QueryPairs.encoded(origin.url("/a%20b+c.jpg")))&w=40&h=30"
    func curl(_ arguments: String...) async throws -> Tool.Outcome {
      try await Tool(path: "curl").run(["-sk", "--http2"] + arguments)
    }

    let got = try await curl(target, "-o", scratch / "t.jpg", "-w", "%{http_version} %{http_code}")
    let head = try await curl("-I", target)
    let tag = try #require(head.output.firstMatch(of: /etag: (\S+)/)?.1)
    let known = try await curl(target, "-H", "If-None-Match: \(tag)", "-w", "%{http_code}")
    let part = try await curl(target, "-r", "0-9", "-w", "%{http_code}", "-o", scratch / "part")
    let refused = try await curl("https://127.0.0.1:\(nginx.port)/thumb?w=1", "-w", "%{http_code}")
    let begun = try await curl(
      "-X", "POST", "https://127.0.0.1:\(nginx.port)/days/latest/refresh", "-H",
      "Origin: https://127.0.0.1:\(nginx.port)", "-w", "%{http_code}")
    let events = try await curl("-N", "https://127.0.0.1:\(nginx.port)/days/latest/events")

    #expect(got.output == "2 200")
    #expect(try scratch.bytes(of: "t.jpg") == expected())
    // From memory, or from the disk after more than a minute.
    #expect(head.output.contains("cache-status: imgcache; hit; detail="))
    #expect(known.output == "304" && part.output == "206")
    #expect(refused.output.contains("bad_parameter") && refused.output.hasSuffix("400"))
    #expect(begun.output.hasSuffix("202"))
    #expect(events.output.contains("event: done"))
    #expect(try await program.stop() == 0)
  }

  @Test(.enabled(if: NginxProgram.isPossible, "needs nginx"))
  func `HEAD, conditions and ranges are answered as nginx answers them for a file`() async throws {
    let origin = try origin()
    defer { origin.stop() }
    let program = try await ServeProgram(open)
    let scratch = try Scratch()
    try scratch.write(Self.picture, to: "a.jpg")
    let nginx = try await NginxProgram.start { port in
      "types { image/jpeg jpg; } server { listen 127.0.0.1:\(port); root \(scratch / ""); }"
    }
    defer { nginx.stop() }
    let ours = "/image?url=\(QueryPairs.encoded(origin.url("/a%20b+c.jpg")))"
    func ask(_ port: UInt16, _ target: String, _ method: String, _ lines: [String]) async throws
      -> RawAnswer
    {
      try await OffPool.run { try RawClient(port: port).exchange(method, target, lines: lines) }
    }
    let mine = try await ask(program.port, ours, "GET", [])
    let theirs = try await ask(nginx.port, "/a.jpg", "GET", [])
    let count = Self.picture.count
    // TAG and DATE are those of the server that is asked.
    let rows = [
      "GET", "HEAD", "GET If-None-Match: TAG", "GET If-None-Match: W/TAG",
      "GET If-None-Match: \"x\", TAG", "GET If-None-Match: *", "GET If-None-Match: \"x\"",
      "HEAD If-None-Match: TAG", "GET If-Modified-Since: DATE",
      "GET If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT",
      "GET If-None-Match: \"x\"\r\nIf-Modified-Since: DATE", "GET Range: bytes=0-0",
      "GET Range: bytes=10-99", "GET Range: bytes=\(count - 5)-", "GET Range: bytes=-7",
      "GET Range: bytes=5-\(10 * count)", "GET Range: bytes=\(count)-",
      "GET Range: bytes=0-9\r\nIf-Range: TAG", "GET Range: bytes=0-9\r\nIf-Range: \"x\"",
      "GET If-Match: \"x\"", "GET If-Match: TAG",
      "GET If-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT",
    ]

    for row in rows {
      func exchange(_ port: UInt16, _ target: String, _ first: RawAnswer) async throws -> RawAnswer
      {
        let words = row.replacing("TAG", with: first["etag"] ?? "")
          .replacing("DATE", with: first["last-modified"] ?? "").split(separator: " ", maxSplits: 1)
        return try await ask(port, target, String(words[0]), words.dropFirst().map(String.init))
      }
      let one = try await exchange(program.port, ours, mine)
      let other = try await exchange(nginx.port, "/a.jpg", theirs)
      #expect(one.status == other.status, "\(row)")
      #expect(one["content-range"] == other["content-range"], "\(row)")
      if one.status < 300 {
        #expect(one.body == other.body, "\(row)")
        #expect(one["content-length"] == other["content-length"], "\(row)")
        #expect(one["content-type"] == other["content-type"], "\(row)")
      }
    }
    #expect(try await program.stop() == 0)
  }
}
