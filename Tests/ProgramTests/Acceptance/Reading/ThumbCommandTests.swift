import Foundation
import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

/// `imgcache thumb` with several inputs: one thumbnail each, in a folder.
@Suite(.serialized, .needsProgram, .timeLimit(.minutes(15)))
struct `Thumbnails of many images` {
  private let scratch: Scratch
  private let jpeg: [UInt8]
  private static let size = ["--size", "20x20"]

  init() throws {
    scratch = try Scratch()
    jpeg = try ImageCodecs.encodeJPEG(
      SampleImages.quarters(64, 48), options: EncodingOptions(quality: 90))
  }

  private func run(_ arguments: [String], input: [UInt8] = []) async throws -> Tool.Outcome {
    try await Tool.imgcache.run(
      ["thumb"] + arguments + Self.size + ["--cache-dir", scratch / "cache"], input: input,
      in: scratch.path)
  }

  private func format(_ name: String) throws -> ImageFormat? {
    let bytes = try scratch.bytes(of: name)
    let pixels = try ImageCodecs.decode(bytes.span.bytes)
    #expect(pixels.size == PixelSize(width: 20, height: 20))
    return ImageFormat(sniffing: bytes.span.bytes)
  }

  @Test func `each input has its file and its line, beside failures`() async throws {
    try scratch.write(jpeg, to: "a.jpg")
    try scratch.write(Array(jpeg.prefix(jpeg.count / 2)), to: "cut.jpg")
    try scratch.write(try ImageCodecs.encodePNG(SampleImages.translucent(40, 40)), to: "clear.PNG")
    try scratch.write(jpeg, to: "照片 一.jpeg")
    try scratch.write(jpeg, to: "50%20.jpg")

    let outcome = try await run([
      "a.jpg", "cut.jpg", "clear.PNG", "absent.jpg", "照片 一.jpeg", "50%20.jpg", "-o", "x/y/",
      "--json",
    ])

    #expect(outcome.status == 1)
    #expect(scratch.names(in: "x/y") == ["50%20.jpg", "a.jpg", "clear.png", "照片 一.jpg"].sorted())
    #expect(try format("x/y/clear.png") == .png && format("x/y/照片 一.jpg") == .jpeg)
    let objects = try outcome.objects()
    #expect(objects.count == 6)
    #expect(objects.allSatisfy { $0["event"] as? String == "thumb" && $0["ms"] is Int })
    let lines = Dictionary(uniqueKeysWithValues: objects.map { ($0["input"] as? String, $0) })
    let made = try #require(lines["a.jpg"])
    #expect(made["output"] as? String == "x/y/a.jpg" && made["status"] as? String == "ok")
    #expect(made["width"] as? Int == 20 && made["height"] as? Int == 20)
    #expect(
      try made["bytes"] as? Int == scratch.bytes(of: "x/y/a.jpg").count && made["error"] == nil)
    for (input, code) in [("cut.jpg", "truncated"), ("absent.jpg", "file_unreadable")] {
      let failed = try #require(lines[input])
      #expect(failed["status"] as? String == "failed" && failed["output"] == nil)
      #expect((failed["error"] as? [String: Any])?["code"] as? String == code)
      #expect(outcome.errors.contains(input))
    }
    #expect(scratch.names(in: "cache") == [], "no cache is opened for files")
  }

  /// Files of no bytes are found first, and cannot be loaded.
  @Test func `without libavif and libheif says what is missing`() async throws {
    for name in ["libavif.so.15", "libavif.so.16", "libheif.so.1"] {
      try scratch.write([], to: "lib/\(name)")
    }
    for (name, folder) in [("plain.heic", "heic"), ("plain.avif", "avif")] {
      let file = SharedFixtures.packageRoot.appending(path: "Tests/Fixtures/\(folder)/\(name)")
      try scratch.write([UInt8](try Data(contentsOf: file)), to: name)
    }
    try scratch.write(jpeg, to: "a.jpg")
    var tool = Tool.imgcache
    tool.environment["LD_LIBRARY_PATH"] = scratch / "lib"
    func errors(_ input: String, _ output: String) async throws -> String {
      let outcome = try await tool.run(
        ["thumb", input] + Self.size + ["-o", output], in: scratch.path)
      #expect(outcome.status != 0 && !FileManager.default.fileExists(atPath: scratch / output))
      return outcome.errors
    }

    #expect(try await errors("plain.heic", "b.jpg").contains("HEIC needs libheif"))
    #expect(try await errors("plain.avif", "b.jpg").contains("AVIF needs libavif"))
    #expect(try await errors("a.jpg", "b.avif").contains("AVIF needs libavif"))
    let version = try await tool.run(["--version"]).output
    #expect(version.contains("writes: JPEG") && !version.contains("AVIF"))
  }

  @Test func `--format holds for all, whatever the folder's name`() async throws {
    try scratch.write(jpeg, to: "a.jpg")
    try scratch.write(jpeg, to: "b.jpg")

    let outcome = try await run(["a.jpg", "b.jpg", "--format", "png", "-o", "thumbs.gif/"])
    let single = try await run(["a.jpg", "-o", "thumbs.gif"])

    #expect(outcome.status == 0 && single.status == 0, "\(outcome.errors)")
    #expect(scratch.names(in: "thumbs.gif") == ["a.jpg", "a.png", "b.png"])
    #expect(outcome.errors.contains("2 thumbnails in thumbs.gif/"))
  }

  @Test func `a name that is not UTF-8 is that of its thumbnail, too`() async throws {
    try scratch.write(jpeg, to: "a.jpg")
    let script = """
      export LC_ALL=C
      for name in "caf\\351" "caf\\350"; do cp a.jpg "$(printf "$name.jpg")"; done
      printf 'caf\\351.jpg\\0caf\\350.jpg\\0' |
        "$0" thumb --files-from - -0 --size 9x9 -o list/ --json &&
      "$0" thumb caf*.jpg --size 9x9 -o words/ &&
      "$0" thumb "$(printf 'caf\\351.jpg')" --size 9x9 -o "$(printf '\\377.png')" &&
      "$0" info "$(printf 'caf\\351.jpg')" && "$0" decode "$(printf 'caf\\351.jpg')" &&
      for folder in list words .; do ls -b $folder; done
      printf 'http://x.invalid/\\351' | "$0" thumb --files-from - --size 9x9 -o list/ || echo $?
      "$0" prefetch --sample --export "$(printf 'e\\377')" || echo $?
      ls -d e*
      """

    let outcome = try await Tool(path: "/bin/sh").run(
      ["-c", script, Tool.imgcache.path], in: scratch.path)

    let lines = outcome.output.split(separator: "\n").map(String.init)
    #expect(
      lines.suffix(12) == [
        #"caf\350.jpg"#, #"caf\351.jpg"#, #"caf\350.jpg"#, #"caf\351.jpg"#, "a.jpg",
        #"caf\350.jpg"#, #"caf\351.jpg"#, "list", "words", #"\377.png"#, "64", "64",
      ], "\(outcome)")
    #expect(lines.filter { $0.contains("\"input\":\"caf\u{FFFD}.jpg\"") }.count == 2)
    #expect(outcome.errors.contains("the URL \"http://x.invalid/\u{FFFD}\" is not UTF-8"))
    #expect(outcome.errors.contains("The argument \"e\u{FFFD}\" is not UTF-8"))
  }

  @Test func `a folder is not one image, and a file is not a folder`() async throws {
    try scratch.write(jpeg, to: "in/a.jpg")

    let folder = try await run(["in", "-o", "out.jpg"])
    let file = try await run(["in/a.jpg", "-o", "in/a.jpg/"])

    #expect(folder.status == 64 && folder.errors.contains("in is a folder, whose thumbnails"))
    #expect(file.status == 2 && file.errors.contains("in/a.jpg"))
  }

  @Test func `an input that needs more than its share of memory is processed alone`() async throws {
    let options = with(EncodingOptions()) { $0.isProgressive = true }
    // Its coefficients take 7.7 MB of the 12 MiB that are left: more than a half, less than all.
    let large = try ImageCodecs.encodeJPEG(SampleImages.quarters(1700, 1500), options: options)
    for name in ["a.jpg", "b.jpg", "c.jpg"] { try scratch.write(large, to: name) }

    let outcome = try await run(
      ["a.jpg", "b.jpg", "c.jpg", "-o", "out/", "--max-memory", "60MiB", "--json"])
    let little = try await run(["a.jpg", "b.jpg", "-o", "none/", "--max-memory", "50MiB", "--json"])

    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(scratch.names(in: "out") == ["a.jpg", "b.jpg", "c.jpg"])
    #expect(little.status == 1 && scratch.names(in: "none") == [])
    let codes = try little.objects().map { ($0["error"] as? [String: Any])?["code"] as? String }
    #expect(codes == ["out_of_memory", "out_of_memory"])
  }

  @Test func `URLs and files mix; a list's URLs may not be private`() async throws {
    let origin = try ListOrigin(count: 3, missing: [1])
    defer { origin.stop() }
    try scratch.write(jpeg, to: "a.jpg")
    try scratch.write(Array(origin.urls.joined(separator: "\n").utf8), to: "list")

    let typed = try await run(origin.urls + ["a.jpg", "-o", "typed/", "--json"])
    let listed = try await run(["--files-from", "list", "-o", "listed/", "--json", "--revalidate"])
    let allowed = try await run([
      "--files-from", "list", "-o", "allowed/", "--allow-private-network",
    ])

    #expect(typed.status == 1 && listed.status == 1 && allowed.status == 1)
    #expect(scratch.names(in: "typed") == ["0.png", "2.jpg", "a.jpg"])
    #expect(scratch.names(in: "allowed") == ["0.png", "2.jpg"])
    #expect(scratch.names(in: "listed") == [])
    let codes = try listed.objects().map { ($0["error"] as? [String: Any])?["code"] as? String }
    #expect(codes == Array(repeating: "host_not_allowed", count: 3))
  }

  @Test func `a signal leaves finished thumbnails, and no other file`() async throws {
    let gate = Gate()
    let origin = try ListOrigin(count: 1, holding: gate)
    defer { origin.stop() }
    try scratch.write(jpeg, to: "a.jpg")
    try scratch.write(jpeg, to: "0.jpg")
    let out = scratch / "out/"

    // The last one waits for its name until the first is there.
    let child = try Tool.imgcache.start(
      ["thumb", origin.urls[0], scratch / "a.jpg", scratch / "0.jpg", "-o", out, "--json"]
        + Self.size + ["--cache-dir", scratch / "cache"], writingTo: scratch)
    await Condition.until { [scratch] in
      let names = scratch.names(in: "out")
      return names.count == 2 && names.contains("a.jpg")
    }
    child.signal(SIGINT)
    let status = try await child.end()
    gate.open()

    #expect(status == 130)
    #expect(scratch.names(in: "out") == ["a.jpg"])
    let lines = try scratch.text(of: "output").split(separator: "\n")
    #expect(lines.count == 2 && lines[0].contains("/out/a.jpg"))
    #expect(lines.last?.contains(#""code":"interrupted""#) == true)
    #expect(try scratch.text(of: "errors").contains("interrupted after 1 of 3"))
  }

  @Test func `a kill leaves complete files only`() async throws {
    let image = try ImageCodecs.encodeJPEG(SampleImages.gradient(600, 400))
    for index in 0..<60 { try scratch.write(image, to: "in/\(index).jpg") }
    let inputs = (0..<60).map { scratch / "in/\($0).jpg" }

    let child = try Tool.imgcache.start(
      ["thumb"] + inputs + ["-o", scratch / "out/"] + Self.size, writingTo: scratch)
    await Condition.until { [scratch] in scratch.names(in: "out").count >= 5 }
    child.signal(SIGKILL)
    _ = try await child.end()

    let left = scratch.names(in: "out")
    #expect(left.count >= 5)
    for name in left { #expect(try format("out/" + name) == .jpeg, "\(name)") }
  }
}
