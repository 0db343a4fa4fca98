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
    photo = scratch / "photo.jpg"
    let jpeg = try ImageCodecs.encodeJPEG(
      SampleImages.quarters(64, 48), options: JPEGEncodingOptions(quality: 90))
    try Data(jpeg).write(to: URL(fileURLWithPath: photo))
    _ = try DiskCache(DiskCache.Configuration(directory: scratch / "cache"))
  }

  private func run(_ arguments: [String]) async throws -> Tool.Outcome {
    try await Tool.imgcache.run(arguments, in: scratch.path)
  }

  // MARK: JSON

  private static let failing: [(arguments: [String], status: Int32)] = [
    (["prefetch", "--feed", "absent.xml"], 1), (["prefetch", "20200231"], 64),
    (["get", "http://x.invalid/a", "--offline", "-o", "a"], 1),
    (["get", "foo"], 64), (["path", "http://x.invalid/a"], 1), (["path", "foo"], 64),
    (["thumb", "absent.jpg", "--size", "9x9", "-o", "a.jpg"], 1),
    (["thumb", "http://x.invalid/a", "--size", "9x9", "-o", "a.jpg", "--offline"], 1),
    (["thumb", "photo.jpg", "--size", "9x9"], 64), (["thumb", "photo.jpg"], 64),
    (["info", "absent.jpg"], 1), (["decode", "absent.jpg"], 1), (["show", "absent.jpg"], 1),
    (["sheet", "20200101", "--offline", "-o", "s.png"], 1),
    (["sheet", "http://x.invalid/a", "--offline", "-o", "s.png"], 1),
    (["serve", "--sign-key-file", "absent"], 64), (["serve", "--listen", "nowhere"], 64),
    (["serve", "--admin-key-file", "absent"], 64), (["serve", "--placeholder", "absent"], 64),
    (["proxy", "--origin", "http://x.invalid", "--admin-key-file", "absent"], 64),
    (["sign", "--sign-key-file", "absent", "/image?url=a"], 64),
    (["prefetch", "--sample", "--export", "out", "--placeholder", "absent"], 64),
    (["get", "http://x.invalid/a", "-o", "a", "--origin-header", "a: X: @absent"], 64),
    (["get", "s3://a/b", "-o", "a", "--s3", "a=credentials=absent"], 64),
    (["thumb", "--files-from", "absent", "--size", "9x9", "-o", "out/"], 1),
    (["proxy", "--origin", "ftp://x"], 64), (["ls", "--day", "latest"], 1),
    (["ls", "--dya", "1"], 64),
    (["explain", "foo"], 64), (["rm", "http://x.invalid/a"], 1), (["rm", "foo"], 64),
    (["pin", "20200101"], 1), (["unpin", "20200101"], 1), (["pin"], 64),
    (["gc", "--max-age", "1"], 64), (["verify", "--nonsense"], 64), (["stats", "extra"], 64),
    (["simulate", "absent.csv"], 1), (["simulate", "photo.jpg"], 1), (["simulate"], 64),
    (["config", "serv"], 64), (["config", "--nonsense"], 64), (["prefech"], 64),
    (["ls", "--config", "absent.yaml"], 64), (["serve", "--access-log", "/proc/nothing"], 2),
    (["serve", "--record-trace", "/proc/nothing"], 2),
    (["prefetch", "--sample", "--record-trace", "photo.jpg"], 64),
    (["prefetch", "--sample", "--export", ""], 64), (["prefetch", "--sample", "--export="], 64),
    (["thumb", "photo.jpg", "--size", "9x9", "-o", ""], 64),
    (["thumb", "", "--size", "9x9", "-o", "a.jpg"], 64), (["info", ""], 64), (["decode", ""], 64),
    (["decode", "photo.jpg", "--frames", ""], 64), (["show", ""], 64), (["sheet", ""], 64),
  ]

  @Test func `an unknown option is named, with the nearest known one`() async throws {
    let outcome = try await run(["prefetch", "--concurency", "3"])

    #expect(outcome.status == 64)
    #expect(
      outcome.errors.hasPrefix(
        #"error: Unknown option "--concurency"; did you mean "--concurrency"?"#))
  }

  @Test(arguments: failing.indices)
  func `every failure has a JSON object with --json, and a line`(index: Int) async throws {
    let (arguments, status) = Self.failing[index]

    let outcome = try await run(arguments + ["--json", "--cache-dir", scratch / "cache"])

    #expect(outcome.status == status, "\(arguments): \(outcome.errors)")
    let errors = try outcome.objects().compactMap { $0["error"] as? [String: Any] }
    #expect(!errors.isEmpty, "\(arguments): \(outcome.output)")
    for error in errors {
      #expect(error["code"] is String && error["message"] is String)
    }
    #expect(outcome.errors.hasPrefix("error: ") || outcome.errors.contains("\nerror: "))
  }

  @Test func `an error about one image names its URL, and what to do where it is not cached`()
    async throws
  {
    let server = try LoopbackServer { _ in
      LoopbackResponse(status: 200, body: Array("<html></html>".utf8))
    }
    defer { server.stop() }
    let (absent, page) = ("http://x.invalid/a", server.origin + "/a.jpg")
    let common = ["--cache-dir", scratch / "cache"]

    let offline = try await run(["get", absent, "--offline", "-o", "a"] + common)
    let html = try await run(["get", page, "-o", "a"] + common)
    let made = try await run(["path", absent, page, "--size", "9x9", "--make"] + common)
    let proxy = try await run(
      ["get", page, "-o", "a", "--retries", "0", "--proxy", "no-such-host.invalid"] + common)

    #expect(offline.errors == "error: \(absent): not cached, and --offline forbids fetching\n")
    #expect(html.status == 1 && html.errors.hasPrefix("error: \(page): "))
    for url in [absent, page] {
      #expect(made.errors.contains("error: \(url): not cached; 'imgcache get' fetches it\n"))
    }
    #expect(proxy.errors.hasPrefix("error: \(page): no such host in --proxy"), "\(proxy.errors)")
  }

  @Test func `memory that is too little is an error with what is needed`() async throws {
    let file = try #require(
      try FileManager.default.attributesOfItem(atPath: photo)[.size] as? Int)

    let nothing = try await run(["decode", "photo.jpg", "--max-memory", "1MiB"])
    let little = try await run(
      ["decode", "photo.jpg", "--max-memory", "\(48 << 20 + file + 8192)"])

    #expect(nothing.status == 1 && little.status == 1)
    #expect(nothing.errors.contains("the program and the file take 48 MiB"), "\(nothing.errors)")
    #expect(
      little.errors.contains(
        "64x48 pixels take 12 KiB of memory, more than the 8 KiB allowed; raise --max-memory"),
      "\(little.errors)")
  }

  @Test func `an unusable cache is exit 2, with its object, for every command`()
    async throws
  {
    try Data("a file".utf8).write(to: URL(fileURLWithPath: scratch / "file"))

    let url = "http://x.invalid/a"
    let commands = [
      ["ls"], ["stats"], ["gc"], ["verify"], ["rm", "--all"], ["pin", "today"], ["path", url],
      ["info", url], ["explain", url],
    ]
    for (number, command) in commands.enumerated() {
      let directory = number % 2 == 0 ? "file/below" : "file"
      let outcome = try await run(command + ["--json", "--cache-dir", scratch / directory])
      #expect(outcome.status == 2, "\(command)")
      let object = try #require(try outcome.objects().first)
      #expect((object["error"] as? [String: Any])?["code"] as? String == "cache_unusable")
    }
  }

  @Test func `--json from a variable or a file counts, too`() async throws {
    var tool = Tool.imgcache
    tool.environment = ["IMGCACHE_JSON": "1"]

    let outcome = try await tool.run(["get", "foo"])

    #expect(outcome.status == 64)
    #expect(try outcome.objects().count == 1)
  }

  @Test func `an empty argument or value is misuse, and named`() async throws {
    let file = scratch / "c.yaml"
    try "export: \"\"\n".write(toFile: file, atomically: true, encoding: .utf8)

    let argument = try await run(["prefetch", "--sample", "--cache-dir", ""])
    let value = try await run(["prefetch", "--export=", "--sample"])
    let configured = try await run(["prefetch", "--sample", "--config", file])

    for outcome in [argument, value, configured] { #expect(outcome.status == 64) }
    #expect(argument.errors.hasPrefix("error: Empty argument after \"--cache-dir\"\n"))
    #expect(value.errors.hasPrefix("error: Empty value after \"--export=\"\n"))
    #expect(configured.errors.contains("--export is set by \(file):1"), "\(configured.errors)")
  }

  @Test func `without HOME the cache is in the home directory of the user database`()
    async throws
  {
    let entry = try #require(getpwuid(getuid()))
    var tool = Tool.imgcache
    tool.environment = ["HOME": "", "XDG_CACHE_HOME": ""]

    let settings = try await tool.run(["config", "--json"], in: scratch.path).objects()

    let directory = settings.first { $0["option"] as? String == "cache-dir" }
    #expect(
      directory?["value"] as? String
        == String(cString: entry.pointee.pw_dir) + "/.cache/imgcache")
  }

  @Test func `what is not UTF-8 in a variable, the working folder or a file is refused`()
    async throws
  {
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

  @Test func `an interruption is an object with --json`() async throws {
    let gate = Gate()
    let origin = try ListOrigin(count: 1, holding: gate)
    defer {
      gate.open()
      origin.stop()
    }
    let files = try Scratch()

    let child = try Tool.imgcache.start(
      ["get", origin.urls[0], "-o", "a", "--json", "--cache-dir", scratch / "cache"],
      in: scratch.path, writingTo: files)
    await gate.arrivals(1)
    child.signal(SIGINT)
    let ended = try await child.end()

    #expect(ended == 130)
    #expect(
      try String(contentsOfFile: files / "output", encoding: .utf8)
        == #"{"event":"error","error":{"code":"interrupted","message":"interrupted"}}"# + "\n")
  }

  @Test func `a thumbnail is made and kept of an image that its origin says not to store`()
    async throws
  {
    let png = try ImageCodecs.encodePNG(SampleImages.quarters(40, 40))
    let server = try LoopbackServer { _ in
      LoopbackResponse(headers: [("Cache-Control", "no-store")], body: png)
    }
    defer { server.stop() }
    let (url, common) = (server.origin + "/a.png", ["--cache-dir", scratch / "cache"])

    let got = try await run(["get", url, "-o", "a.png"] + common)
    let made = try await run(["path", url, "--size", "9x9", "--make"] + common)
    let found = try await run(["path", url, "--size", "9x9"] + common)

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

  // MARK: Sources of values

  @Test func `an error names the variable or the line that set the value`() async throws {
    let file = scratch / "c.yaml"
    try "format: jpeg\nserve:\n  listen: nowhere\nproxy:\n  server-name: [a/b]\n".write(
      toFile: file, atomically: true, encoding: .utf8)
    var tool = Tool.imgcache
    tool.environment = ["IMGCACHE_MAX_SIZE": "much"]

    let variable = try await tool.run(["ls"])
    let section = try await run(["serve", "--config", file])
    let host = try await run([
      "proxy", "--origin", "http://x.invalid", "--cache-dir", scratch / "c", "--config", file,
    ])
    let top = try await run(["decode", photo, "--config", file])
    let thumb = try await run(["thumb", photo, "--size", "9x9", "--config", file, "-o", "a"])
    let own = try await run(["decode", photo, "--config", file, "--format", "gif"])

    #expect(
      variable.errors.contains("64MiB or 2GB (--max-size is set by IMGCACHE_MAX_SIZE)"),
      "\(variable.errors)")
    #expect(section.errors.contains("--listen is set by \(file):3"))
    #expect(host.status == 64 && host.errors.contains("--server-name is set by \(file):5"))
    #expect(top.errors.contains("--format is set by \(file):1, for all commands"))
    #expect(thumb.status == 0)
    #expect(own.status == 64 && !own.errors.contains("is set by"))
  }

  @Test func `the default file applies, and imgcache config reports it`() async throws {
    var tool = Tool.imgcache
    tool.environment = ["XDG_CONFIG_HOME": scratch / "home", "IMGCACHE_PER_HOST": "3"]
    let file = scratch / "home/imgcache/config.yaml"
    try FileManager.default.createDirectory(
      atPath: scratch / "home/imgcache", withIntermediateDirectories: true)
    try "cache-dir: \(scratch / "kept")\nserve:\n  memory: 1GiB\n".write(
      toFile: file, atomically: true, encoding: .utf8)

    let objects = try await tool.run(["config", "serve", "--max-age", "3d", "--json"]).objects()
    let text = try await tool.run(["config"])
    func object(_ option: String) throws -> [String: Any] {
      try #require(objects.first { $0["option"] as? String == option })
    }

    #expect(try object("config")["value"] as? String == file)
    #expect(try object("memory")["value"] as? String == "1GiB")
    #expect(try object("memory")["file"] as? String == file)
    #expect(try object("memory")["line"] as? Int == 3)
    #expect(try object("per-host")["variable"] as? String == "IMGCACHE_PER_HOST")
    #expect(try object("max-age")["source"] as? String == "option")
    #expect(try object("idle-time")["source"] as? String == "default")
    #expect(try object("offline")["value"] as? Bool == false)
    #expect(text.output.contains("serve.memory"))
    #expect(text.output.contains("\(file):1"))
    #expect(try object("cache-dir")["value"] as? String == scratch / "kept")
  }

  // MARK: Images and stdout

  @Test(arguments: [["get", "http://x.invalid/a"], ["thumb", "photo.jpg", "--size", "9x9"]])
  func `an image is never written to a terminal, nor among JSON`(arguments: [String]) async throws {
    for output in [[], ["-o", "-"]] {
      let json = try await run(arguments + output + ["--json", "--offline"])
      #expect(json.status == 64 && json.errors.contains("-o"))
      #expect(try json.objects().count == 1)
    }
    let terminal = try PseudoTerminal(.plain)
    let child = try terminal.start(Tool.imgcache, arguments + ["--offline"])
    #expect(try await child.end() == 64)
    #expect(String(decoding: terminal.end(), as: UTF8.self).contains("stdout is a terminal"))
    let piped = try await Tool.imgcache.run(["thumb", photo, "--size", "9x9", "--format", "gif"])
    #expect(piped.status == 0 && piped.output.hasPrefix("GIF"))
  }

  @Test(arguments: [
    ("a.jpg", ImageFormat.jpeg), ("a.JPEG", .jpeg), ("a.png", .png), ("a.Gif", .gif),
    ("a", .jpeg), ("dir.png/a", .jpeg), (".png", .jpeg),
  ])
  func `the extension chooses the format of a thumbnail`(
    name: String, format: ImageFormat
  ) async throws {
    try FileManager.default.createDirectory(
      atPath: scratch / "dir.png", withIntermediateDirectories: false)

    let outcome = try await run(["thumb", "photo.jpg", "--size", "9x9", "-o", name])

    #expect(outcome.status == 0, "\(outcome.errors)")
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: scratch / name)))
    #expect(ImageFormat(sniffing: bytes.span.bytes) == format)
  }

  @Test(arguments: [
    ("a.heic", []), ("a.bmp", []), ("a.jpg.part", []), ("a.png", ["--format", "jpeg"]),
    ("a.jpg", ["--format", "gif"]), ("a.jpg", ["--quality", "lossless"]),
  ])
  func `an extension that is unknown or contradicts --format is refused before any work`(
    name: String, options: [String]
  ) async throws {
    let outcome = try await run(
      ["thumb", "http://127.0.0.1:1/a.jpg", "--size", "9x9", "-o", name, "--cache-dir", "other"]
        + options)

    #expect(outcome.status == 64)
    let reason = options.contains("lossless") ? "lossless" : "contradicts"
    #expect(outcome.errors.contains(options.isEmpty ? ".png" : reason))
    #expect(!FileManager.default.fileExists(atPath: scratch / name))
    #expect(!FileManager.default.fileExists(atPath: scratch / "other"))
  }

  @Test func `an extension and the same --format agree`() async throws {
    let outcome = try await run(
      ["thumb", "photo.jpg", "--size", "9x9", "-o", "a.png", "--format", "png", "--json"])

    #expect(outcome.status == 0)
    let object = try #require(try outcome.objects().first)
    #expect(object["event"] as? String == "thumb" && object["status"] as? String == "ok")
    #expect(object["format"] as? String == "png")
  }
}
