import Foundation
import Testing

@testable import ImageModel
@testable import SampleFeed
@testable import TestSupport
@testable import ThumbnailServer

/// Feeds behind a password, in their URL or in a netrc file.
@Suite(.serialized, .needsProgram, .timeLimit(.minutes(5)))
struct `Feeds behind a password` {
  private static let password = "s3c:ret@x"
  private static let field = "Basic " + Data("user:\(password)".utf8).base64EncodedString()

  /// An origin that wants the password, with a feed and a list of images; the last one is elsewhere.
  private func origin(elsewhere: String = "http://127.0.0.1:9/") throws -> FaultyOrigin {
    let origin = try FaultyOrigin()
    let (plain, secret) = (origin.url(""), secret(origin, ""))
    let feed = """
      <rss><channel><item><guid>1</guid><title>T</title><link>\(secret)/post</link>
      <pubDate>20 Nov 2026</pubDate><enclosure type="image/png" url="\(plain)/a.png"/>
      <enclosure type="image/png" url="/away.png"/>
      <description>&lt;p>See &lt;img src="\(secret)/b.png"></description></item></channel></rss>
      """
    let responses: [String: LoopbackResponse] = [
      "/feed.xml": LoopbackResponse(
        headers: [("Cache-Control", "max-age=86400")], body: Array(feed.utf8)),
      "/list.txt": LoopbackResponse(body: Array("\(secret)/a.png\n\(secret)/b.png\n".utf8)),
      "/away.png": LoopbackResponse(status: 302, headers: [("Location", elsewhere)]),
      "/a.png": LoopbackResponse(
        headers: [("Cache-Control", "max-age=3600")], body: try FeedOrigin.image("a")),
      "/b.png": LoopbackResponse(
        headers: [("Cache-Control", "max-age=3600")], body: try FeedOrigin.image("b")),
    ]
    for (path, response) in responses {
      origin[path] = [
        .custom { request, connection in
          let isAllowed = request["authorization"] == Self.field
          let answer = isAllowed ? response : LoopbackResponse(status: 401)
          return connection.send(answer.wire(isHead: false, keepsAlive: true))
        }
      ]
    }
    return origin
  }

  /// The URL of a path with the password.
  private func secret(_ origin: FaultyOrigin, _ path: String) -> String {
    origin.url(path).replacing("http://", with: "http://user:s3c%3Aret%40x@")
  }

  /// The files below a folder, and outputs, that show the password.
  private func leaks(_ folders: [String], _ outputs: [String] = []) throws -> [String] {
    var found = outputs.filter { $0.contains("s3c") }
    for folder in folders {
      for case let name as String in FileManager.default.enumerator(atPath: folder) ?? .init() {
        let data = FileManager.default.contents(atPath: "\(folder)/\(name)") ?? Data()
        if name.contains("s3c") || data.range(of: Data("s3c".utf8)) != nil { found.append(name) }
      }
    }
    return found
  }

  @Test func `a password is sent to its origin alone, and appears nowhere`() async throws {
    let other = try FeedOrigin(images: ["c"])
    let origin = try origin(elsewhere: other.image("c"))
    defer {
      origin.stop()
      other.stop()
    }
    func secret(_ path: String) -> String { self.secret(origin, path) }
    let (cache, out) = (try Scratch(), try Scratch())
    let arguments = [
      "--feed", secret("/feed.xml"), "--allow-private-network", "--export", out.path,
      "--verbose", "--record-trace", out / "trace",
    ]

    let first = try await Tool.prefetch(cache, arguments)
    let again = try await Tool.prefetch(cache, arguments)
    var outputs = [first.errors, again.errors]
    for report in [first, again] { outputs += report.images.map { "\($0)" } }
    for command in [
      ["ls", "--json"], ["ls", "-l"], ["stats", "--json"],
      ["config", "--feed", secret("/")],
      ["info", secret("/a.png")], ["explain", secret("/a.png"), "--offline"],
      ["get", secret("/none.png")], ["get", "http://user:s3c@h:99999/"],
      ["prefetch", secret("/feed.xml")], ["refresh"],
    ] {
      let outcome = try await Tool.run(command, cache: cache)
      outputs += [outcome.output, outcome.errors]
    }
    let path = try await Tool.run(["path", secret("/a.png")], cache: cache)
    let offline = try await Tool.prefetch(cache, ["20261120", "--offline"])
    let program = try await ServeProgram(["--offline"], scratch: cache)
    let day = try await program.exchange("GET", "/days/20261120")
    let image = try await program.exchange(
      "GET", "/image?url=\(QueryPairs.encoded(origin.url("/a.png")))")
    let page = try await program.exchange("GET", "/")
    _ = try await program.stop()
    outputs += [day.text, page.text, path.output]

    #expect(first.status == 0, "\(first.errors)")
    #expect(first.summary["downloaded"] as? Int == 3)
    #expect(again.status == 0 && again.summary["cached"] as? Int == 3, "\(again.errors)")
    #expect(offline.status == 0 && path.status == 0)
    #expect(day.text.contains("/b.png") && image.status == 200)
    #expect(other.requestCount == 1 && other.field("authorization", ofLast: "/c.png") == nil)
    #expect(try leaks([cache.path, out.path], outputs) == [])
  }

  @Test func `a netrc file has the password, also for a refresh`() async throws {
    let origin = try origin()
    defer { origin.stop() }
    let (cache, home) = (try Scratch(), try Scratch())
    try home.write("machine 127.0.0.1 login user password \(Self.password)\n", to: ".netrc")
    let list = origin.url("/list.txt")
    func run(_ arguments: [String], _ environment: [String: String]) async throws -> Tool.Outcome {
      let tool = with(Tool.imgcache) { $0.environment = environment }
      return try await tool.run(arguments + ["--cache-dir", cache / "cache"])
    }

    let without = try await Tool.prefetch(cache, ["--feed", list])
    let fetched = try await run(["prefetch", "--feed", list, "--netrc"], ["HOME": home.path])
    let configured = try await run(
      ["refresh", "--allow-private-network"],
      ["NETRC": home / ".netrc", "IMGCACHE_NETRC": "true"])
    let missing = try await run(
      ["prefetch", "--feed", list, "--netrc"], ["NETRC": home / "none"])

    #expect(without.status == 1 && without.errors.contains("401"))
    #expect(fetched.status == 0, "\(fetched.errors)")
    #expect(configured.status == 0, "\(configured.errors)")
    #expect(missing.status == 64 && missing.errors.contains(home / "none"))
  }
}
