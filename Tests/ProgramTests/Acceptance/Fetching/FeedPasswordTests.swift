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

  private final class Origin: Sendable {
    let server: LoopbackServer
    private let log = Locked<[LoopbackRequest]>([])

    /// - Parameter elsewhere: Where `/away.png` redirects to.
    init(isOpen: Bool = false, elsewhere: String = "") throws {
      server = try LoopbackServer { [log] request in
        log.withLock { $0.append(request) }
        guard isOpen || request["authorization"] == field else {
          return LoopbackResponse(status: 401)
        }
        let host = request["host"] ?? ""
        let address = "http://user:s3c%3Aret%40x@\(host)"
        switch request.path {
        case "/feed.xml":
          let text = """
            <rss><channel><item><guid>1</guid><title>T</title><link>\(address)/post</link>
            <pubDate>20 Nov 2026</pubDate><enclosure type="image/png" url="http://\(host)/a.png"/>
            <enclosure type="image/png" url="/away.png"/>
            <description>&lt;p>See &lt;img src="\(address)/b.png"></description></item></channel></rss>
            """
          return .file(
            Array(text.utf8), mediaType: "application/rss+xml", entityTag: "\"1\"",
            cacheControl: "max-age=86400", for: request)
        case "/list.txt":
          return LoopbackResponse(
            status: 200, body: Array("\(address)/a.png\n\(address)/b.png\n".utf8))
        case "/away.png": return LoopbackResponse(status: 302, headers: [("Location", elsewhere)])
        default:
          guard let bytes = try? FeedOrigin.image(request.path) else {
            return LoopbackResponse(status: 404)
          }
          return .file(
            bytes, mediaType: "image/png", entityTag: "\"\(request.path)\"",
            cacheControl: "max-age=3600", for: request)
        }
      }
    }

    var requests: [LoopbackRequest] { log.withLock { $0 } }
    /// The URL of a path with the password.
    func secret(_ path: String) -> String {
      server.origin.replacing("http://", with: "http://user:s3c%3Aret%40x@") + path
    }
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
    let other = try Origin(isOpen: true)
    let origin = try Origin(elsewhere: other.server.origin + "/c.png")
    defer {
      origin.server.stop()
      other.server.stop()
    }
    let (cache, out) = (try Scratch(), try Scratch())
    let arguments = [
      "--feed", origin.secret("/feed.xml"), "--allow-private-network", "--export", out.path,
      "--verbose", "--record-trace", out / "trace",
    ]

    let first = try await Tool.prefetch(cache, arguments)
    let again = try await Tool.prefetch(cache, arguments)
    var outputs = [first.errors, again.errors]
    for report in [first, again] { outputs += report.images.map { "\($0)" } }
    for command in [
      ["ls", "--json"], ["ls", "-l"], ["stats", "--json"],
      ["config", "--feed", origin.secret("/")],
      ["info", origin.secret("/a.png")], ["explain", origin.secret("/a.png"), "--offline"],
      ["get", origin.secret("/none.png")], ["get", "http://user:s3c@h:99999/"],
      ["prefetch", origin.secret("/feed.xml")], ["refresh"],
    ] {
      let outcome = try await Tool.run(command, cache: cache)
      outputs += [outcome.output, outcome.errors]
    }
    let path = try await Tool.run(["path", origin.secret("/a.png")], cache: cache)
    let offline = try await Tool.prefetch(cache, ["20261120", "--offline"])
    let program = try await ServeProgram(["--offline"], scratch: cache)
    let day = try await program.exchange("GET", "/days/20261120")
    let image = try await program.exchange(
      "GET", "/image?url=\(QueryPairs.encoded(origin.server.origin + "/a.png"))")
    let page = try await program.exchange("GET", "/")
    _ = try await program.stop()
    outputs += [day.text, page.text, path.output]

    #expect(first.status == 0, "\(first.errors)")
    #expect(first.summary["downloaded"] as? Int == 3)
    #expect(again.status == 0 && again.summary["cached"] as? Int == 3, "\(again.errors)")
    #expect(offline.status == 0 && path.status == 0)
    #expect(day.text.contains("/b.png") && image.status == 200)
    #expect(other.requests.count == 1 && other.requests.allSatisfy { $0["authorization"] == nil })
    #expect(try leaks([cache.path, out.path], outputs) == [])
  }

  @Test func `a netrc file has the password, also for a refresh`() async throws {
    let origin = try Origin(elsewhere: "http://127.0.0.1:9/")
    defer { origin.server.stop() }
    let (cache, home) = (try Scratch(), try Scratch())
    try home.write("machine 127.0.0.1 login user password \(Self.password)\n", ".netrc")
    let list = origin.server.origin + "/list.txt"
    func run(_ arguments: [String], _ environment: [String: String]) async throws -> Tool.Outcome {
      var tool = Tool.imgcache
      tool.environment = environment
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
