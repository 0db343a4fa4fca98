import Foundation
import Testing

@testable import DiskCaching
@testable import ImageCodecs
@testable import ImageModel
@testable import SampleFeed
@testable import TestSupport

/// Behavior that scripts rely on where a command fails, or would write an image to the wrong place.
@Suite(.needsProgram, .timeLimit(.minutes(15)))
struct `Failures and outputs` {
  private let scratch: Scratch
  private let photo: String

  init() throws {
    scratch = try Scratch()
    photo = try scratch.write(
      ImageCodecs.encodeJPEG(SampleImages.quarters(64, 48)), to: "photo.jpg")
    _ = try DiskCache(DiskCache.Configuration(directory: scratch / "cache"))
  }

  private func run(_ arguments: [String]) async throws -> Tool.Outcome {
    try await Tool.imgcache.run(arguments, in: scratch.path)
  }

  private func cached(_ arguments: [String]) async throws -> Tool.Outcome {
    try await Tool.run(arguments, cache: scratch, in: scratch.path)
  }

  @Test func `every failure has a JSON object with --json, and a line`() async throws {
    let failing: [(arguments: [String], status: Int32)] = [
      (["prefetch", "--feed", "absent.xml"], 1), (["prefetch", "20200231"], 64),
      (["prefetch", "--sample", "--export", "out", "--placeholder", "absent"], 64),
      (["prefetch", "--sample", "--record-trace", "photo.jpg"], 64),
      (["get", "http://x.invalid/a", "--offline", "-o", "a"], 1), (["get", "foo"], 64),
      (["get", "s3://a/b", "-o", "a", "--s3", "a=credentials=absent"], 64),
      (["path", "http://x.invalid/a"], 1), (["explain", "foo"], 64), (["info", "absent.jpg"], 1),
      (["thumb", "absent.jpg", "--size", "9x9", "-o", "a.jpg"], 1),
      (["thumb", "", "--size", "9x9", "-o", "a.jpg"], 64), (["decode", "absent.jpg"], 1),
      (["decode", "photo.jpg", "--frames", ""], 64), (["show", "absent.jpg"], 1),
      (["sheet", "20200101", "--offline", "-o", "s.png"], 1),
      (["sheet", "latest", "-o", "s.gif"], 64), (["proxy", "--memory"], 64),
      (["serve", "--sign-key-file", "absent"], 64), (["serve", "--admin-key-file", "absent"], 64),
      (["serve", "--access-log", "/proc/nothing"], 2), (["serve", "--listen", "nowhere"], 64),
      (["proxy", "--origin", "ftp://x"], 64), (["ls", "--day", "latest"], 1),
      (["sign", "--sign-key-file", "absent", "/image?url=a"], 64),
      (["rm", "http://x.invalid/a"], 1), (["rm", "foo"], 64), (["unpin", "20200101"], 1),
      (["verify", "--nonsense"], 64), (["stats", "extra"], 64), (["simulate", "photo.jpg"], 1),
      (["config", "serv"], 64), (["prefech"], 64), (["ls", "--config", "absent.yaml"], 64),
    ]
    for (arguments, status) in failing {
      let outcome = try await cached(arguments + ["--json"])

      #expect(outcome.status == status, "\(arguments): \(outcome.errors)")
      let errors = try outcome.objects().compactMap { $0["error"] as? [String: Any] }
      #expect(!errors.isEmpty, "\(arguments): \(outcome.output)")
      #expect(errors.allSatisfy { $0["code"] is String && $0["message"] is String })
      #expect(outcome.errors.hasPrefix("error: ") || outcome.errors.contains("\nerror: "))
    }
  }

  @Test func `an error about one image names its URL, and what to do`() async throws {
    let server = try LoopbackServer { _ in
      LoopbackResponse(status: 200, body: Array("<html></html>".utf8))
    }
    defer { server.stop() }
    let (absent, page) = ("http://x.invalid/a", server.origin + "/a.jpg")

    let offline = try await cached(["get", absent, "--offline", "-o", "a"])
    let html = try await cached(["get", page, "-o", "a"])
    let made = try await cached(["path", absent, page, "--size", "9x9", "--make"])
    let proxy = try await cached(
      ["get", page, "-o", "a", "--retries", "0", "--proxy", "no-such-host.invalid"])

    #expect(offline.errors == "error: \(absent): not cached, and --offline forbids fetching\n")
    #expect(html.status == 1 && html.errors.hasPrefix("error: \(page): "))
    for url in [absent, page] {
      #expect(made.errors.contains("error: \(url): not cached; 'imgcache get' fetches it\n"))
    }
    #expect(proxy.errors.hasPrefix("error: \(page): no such host in --proxy"), "\(proxy.errors)")
  }

  @Test func `an unusable cache is exit 2, with its object`() async throws {
    try scratch.write("a file", to: "file")
    let url = "http://x.invalid/a"
    for (command, directory) in [
      (["ls"], scratch / "file"), (["rm", "--all"], scratch / "file/below"),
      (["path", url], scratch / "file"), (["explain", url], scratch / "file/below"),
      (["prefetch", "--sample"], "/proc/imgcache"),
    ] {
      let outcome = try await run(command + ["--json", "--cache-dir", directory])
      #expect(outcome.status == 2, "\(command)")
      let object = try #require(try outcome.objects().first)
      #expect((object["error"] as? [String: Any])?["code"] as? String == "cache_unusable")
    }
  }

  @Test func `an empty argument or value is misuse, and named`() async throws {
    let file = try scratch.write("export: \"\"\n", to: "c.yaml")

    let argument = try await run(["prefetch", "--sample", "--cache-dir", ""])
    let value = try await run(["prefetch", "--export=", "--sample"])
    let configured = try await run(["prefetch", "--sample", "--config", file])

    for outcome in [argument, value, configured] { #expect(outcome.status == 64) }
    #expect(argument.errors.hasPrefix("error: Empty argument after \"--cache-dir\"\n"))
    #expect(value.errors.hasPrefix("error: Empty value after \"--export=\"\n"))
    #expect(configured.errors.contains("--export is set by \(file):1"), "\(configured.errors)")
  }

  @Test func `a name that only a shell could mean is refused`() async throws {
    let file = try scratch.write("export: ~/a\n", to: "c.yaml")
    let variable = with(Tool.imgcache) { $0.environment = ["IMGCACHE_DIR": "~/a"] }

    let joined = try await run(["ls", "--cache-dir=~/a"])
    let configured = try await run(["prefetch", "--sample", "--config", file])
    let quoted = [
      try await run(["ls", "--cache-dir", "~/a"]),
      try await variable.run(["ls"], in: scratch.path),
    ]

    #expect([joined, configured].map(\.status) == [64, 64])
    #expect(joined.errors.contains("Only a shell expands ~, and not in \"--cache-dir=~/a\""))
    #expect(configured.errors.contains("--export is set by \(file):1"), "\(configured.errors)")
    for outcome in quoted {
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains("--cache-dir is \"~/a\", and only a shell expands ~"))
    }
    #expect(!FileManager.default.fileExists(atPath: scratch / "~"))
  }

  @Test func `without HOME the user database has the home directory`() async throws {
    let entry = try #require(getpwuid(getuid()))
    let tool = with(Tool.imgcache) { $0.environment = ["HOME": "", "XDG_CACHE_HOME": ""] }

    let settings = try await tool.run(["config", "--json"], in: scratch.path).objects()

    let directory = settings.first { $0["option"] as? String == "cache-dir" }
    #expect(
      directory?["value"] as? String
        == String(cString: entry.pointee.pw_dir) + "/.cache/imgcache")
  }

  @Test func `a variable, folder or file that is not UTF-8 is refused`() async throws {
    let script = """
      mkdir "$(printf 'a\\377')" && (cd "$(printf 'a\\377')" && "$0" prefetch --sample --cache-dir c)
      echo $?
      IMGCACHE_DIR="$(printf 'b\\377')" "$0" prefetch --sample; echo $?
      printf 'export: c\\377' > c.yaml; "$0" prefetch --sample --config c.yaml; echo $?
      ls -d a* b* | wc -l
      """

    let outcome = try await Tool(path: "/bin/sh").run(
      ["-c", script, Tool.imgcache.path], in: scratch.path)

    #expect(outcome.output == "2\n2\n64\n1\n", "\(outcome)")
    #expect(outcome.errors.contains("is not UTF-8; give --cache-dir another directory"))
    #expect(outcome.errors.contains("c.yaml: not UTF-8"))
  }

  @Test func `several URLs are files of a folder, beside failures`() async throws {
    let png = try ImageCodecs.encodePNG(SampleImages.quarters(40, 40))
    let server = try LoopbackServer { request in
      request.path.hasSuffix("none") ? LoopbackResponse(status: 404) : LoopbackResponse(body: png)
    }
    defer { server.stop() }
    let urls = ["/1/a.jpg", "/2/a.jpg", "/none", "/b"].map { server.origin + $0 }

    let got = try await cached(["get"] + urls + ["-o", "images/", "--json", "--retries", "0"])
    let refused = try await cached(["get"] + urls + ["-o", "a.png"])
    let thumbs = try await cached(
      ["thumb"] + urls.dropLast(2)
        + ["--size", "9x9", "--size", "20x0", "-o", "s/{name}-{w}-{hash}.{ext}"])
    let told = try await cached(
      ["thumb", urls[0], urls[3], "--size", "9x9", "--size", "20x0", "-o", "t/{name}-{w}.{ext}"])

    #expect(got.status == 1 && scratch.names(in: "images") == ["a-2.png", "a.png", "b.png"])
    #expect(try scratch.bytes(of: "images/a-2.png") == png)
    let objects = try got.objects()
    #expect(objects.count == 4)
    for object in objects {
      let failed = (object["url"] as? String)?.hasSuffix("none") == true
      #expect(object["event"] as? String == "get")
      #expect(object["status"] as? String == (failed ? "failed" : "ok"))
      #expect((object["path"] == nil) == failed)
    }
    #expect(refused.status == 64 && refused.errors.contains("-o a.png/"))
    #expect(thumbs.status == 1 && thumbs.errors.contains("already; use more fields"))
    #expect(scratch.names(in: "s").count == 2, "\(thumbs.errors)")
    #expect(told.status == 0 && scratch.names(in: "t").count == 4, "\(told.errors)")
  }

  @Test func `a thumbnail is made of an image that is marked no-store`() async throws {
    let png = try ImageCodecs.encodePNG(SampleImages.quarters(40, 40))
    let server = try LoopbackServer { _ in
      LoopbackResponse(headers: [("Cache-Control", "no-store")], body: png)
    }
    defer { server.stop() }
    let url = server.origin + "/a.png"

    let got = try await cached(["get", url, "-o", "a.png"])
    let made = try await cached(["path", url, "--size", "9x9", "--make"])
    let found = try await cached(["path", url, "--size", "9x9"])

    #expect(got.status == 0 && made.status == 0, "\(made.errors)")
    #expect(found.output == made.output && made.output.hasPrefix(scratch / "cache"))
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "needs /dev/full"))
  func `a full disk behind stdout is exit 2, with its reason`() async throws {
    let shell = Tool(path: "/bin/sh")

    let outcome = try await shell.run([
      "-c", "\"$0\" ls --cache-dir \"$1\" --help >/dev/full", Tool.imgcache.path, scratch / "c",
    ])

    #expect(outcome.status == 2)
    #expect(outcome.errors == "error: cannot write to stdout: No space left on device\n")
  }

  @Test func `the default file applies, and imgcache config reports it`() async throws {
    let tool = with(Tool.imgcache) { $0.environment = ["XDG_CONFIG_HOME": scratch / "home"] }
    let file = try scratch.write("serve:\n  memory: 1GiB\n", to: "home/imgcache/config.yaml")

    let objects = try await tool.run(["config", "serve", "--json"]).objects()
    let text = try await tool.run(["config"])

    let memory = objects.first { $0["option"] as? String == "memory" }
    #expect(memory?["value"] as? String == "1GiB" && memory?["path"] as? String == file)
    #expect(memory?["line"] as? Int == 2)
    #expect(text.output.contains("serve.memory") && text.output.contains("\(file):2"))
  }

  @Test func `an image is never written to a terminal, nor among JSON`() async throws {
    let thumb = ["thumb", "photo.jpg", "--size", "9x9"]
    for arguments in [thumb, thumb + ["-o", "-"], ["get", "http://x.invalid/a", "--offline"]] {
      let json = try await run(arguments + ["--json"])
      #expect(json.status == 64 && json.errors.contains("-o"))
      #expect(try json.objects().count == 1)
    }
    let terminal = try PseudoTerminal(.plain)
    let child = try terminal.start(Tool.imgcache, thumb, in: scratch.path)
    #expect(try await child.end() == 64)
    #expect(String(decoding: terminal.end(), as: UTF8.self).contains("stdout is a terminal"))
    let piped = try await run(thumb + ["--format", "gif"])
    #expect(piped.status == 0 && piped.output.hasPrefix("GIF"))
  }
}
