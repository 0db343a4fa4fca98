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
      SampleImages.quarters(64, 48), options: JPEGEncodingOptions(quality: 90))
  }

  private func put(_ bytes: [UInt8], _ name: String) throws {
    let file = URL(fileURLWithPath: scratch / name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
  }

  private func run(_ arguments: [String], input: [UInt8] = []) async throws -> Tool.Outcome {
    try await Tool.imgcache.run(
      ["thumb"] + arguments + Self.size + ["--cache-dir", scratch / "cache"], input: input,
      in: scratch.path)
  }

  private func names(_ folder: String) -> [String] {
    let found = try? FileManager.default.contentsOfDirectory(atPath: scratch / folder)
    return (found ?? []).sorted()
  }

  private func format(_ name: String) throws -> ImageFormat? {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: scratch / name)))
    let pixels = try ImageCodecs.decode(bytes.span.bytes)
    #expect(pixels.size == PixelSize(width: 20, height: 20))
    return ImageFormat(sniffing: bytes.span.bytes)
  }

  // MARK: Names and lines

  @Test func `each input has its file and its line, and a failure does not end the rest`()
    async throws
  {
    try put(jpeg, "a.jpg")
    try put(Array(jpeg.prefix(jpeg.count / 2)), "cut.jpg")
    try put(try ImageCodecs.encodePNG(SampleImages.translucent(40, 40)), "clear.PNG")
    try put(jpeg, "照片 一.jpeg")
    try put(jpeg, "50%20.jpg")

    let outcome = try await run([
      "a.jpg", "cut.jpg", "clear.PNG", "absent.jpg", "照片 一.jpeg", "50%20.jpg", "-o", "x/y/",
      "--json",
    ])

    #expect(outcome.status == 1)
    #expect(names("x/y") == ["50%20.jpg", "a.jpg", "clear.png", "照片 一.jpg"].sorted())
    #expect(try format("x/y/clear.png") == .png && format("x/y/照片 一.jpg") == .jpeg)
    let objects = try outcome.objects()
    #expect(objects.count == 6)
    #expect(objects.allSatisfy { $0["event"] as? String == "thumb" && $0["ms"] is Int })
    let lines = Dictionary(uniqueKeysWithValues: objects.map { ($0["input"] as? String, $0) })
    let made = try #require(lines["a.jpg"])
    #expect(made["output"] as? String == "x/y/a.jpg" && made["status"] as? String == "ok")
    #expect(made["width"] as? Int == 20 && made["height"] as? Int == 20)
    let byteCount = try Data(contentsOf: URL(fileURLWithPath: scratch / "x/y/a.jpg")).count
    #expect(made["bytes"] as? Int == byteCount && made["error"] == nil)
    for (input, code) in [("cut.jpg", "truncated"), ("absent.jpg", "file_unreadable")] {
      let failed = try #require(lines[input])
      #expect(failed["status"] as? String == "failed" && failed["output"] == nil)
      #expect((failed["error"] as? [String: Any])?["code"] as? String == code)
      #expect(outcome.errors.contains(input))
    }
    #expect(names("cache") == [], "no cache is opened for files")
  }

  @Test func `equal names are numbered in the order of the inputs, and replaced by the next call`()
    async throws
  {
    // The first is the slowest by far, and still it gets the name.
    try put(
      try ImageCodecs.encodeJPEG(SampleImages.gradient(2000, 1500)), "a.jpg")
    for name in ["b/a.jpg", "c/a.jpg", "d/a.jpg"] { try put(jpeg, name) }
    let inputs = ["a.jpg", "b/a.jpg", "c/a.jpg", "d/a.jpg"]

    let first = try await run(inputs + ["-o", "out/", "--json"])
    try put(Array("old".utf8), "out/a.jpg")
    let second = try await run(Array(inputs.dropLast()) + ["-o", "out", "--json"])

    for (outcome, count) in [(first, 4), (second, 3)] {
      #expect(outcome.status == 0, "\(outcome.errors)")
      let outputs = try outcome.objects().map {
        [$0["input"] as? String ?? "", $0["output"] as? String ?? ""]
      }
      let expected = [
        ["a.jpg", "out/a.jpg"], ["b/a.jpg", "out/a-2.jpg"], ["c/a.jpg", "out/a-3.jpg"],
        ["d/a.jpg", "out/a-4.jpg"],
      ]
      #expect(Set(outputs) == Set(expected.prefix(count)))
    }
    #expect(names("out") == ["a-2.jpg", "a-3.jpg", "a-4.jpg", "a.jpg"])
    #expect(try format("out/a.jpg") == .jpeg)
  }

  @Test func `an input is never replaced, nor the target of a link in the folder`() async throws {
    try put(jpeg, "in/a.jpg")
    try put(jpeg, "in/b.png")
    try put(jpeg, "other.jpg")
    try FileManager.default.createSymbolicLink(
      atPath: scratch / "in/b.jpg", withDestinationPath: "../other.jpg")

    let outcome = try await run(["in/a.jpg", "in/b.png", "-o", "in"])

    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("in/a.jpg is one of the inputs"))
    #expect(names("in") == ["a.jpg", "b.jpg", "b.png"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: scratch / "in/a.jpg")) == Data(jpeg))
    #expect(try Data(contentsOf: URL(fileURLWithPath: scratch / "other.jpg")) == Data(jpeg))
    #expect(try format("in/b.jpg") == .jpeg)
  }

  @Test func `--format holds for all, whatever the folder's name`() async throws {
    try put(jpeg, "a.jpg")
    try put(jpeg, "b.jpg")

    let outcome = try await run(["a.jpg", "b.jpg", "--format", "png", "-o", "thumbs.gif/"])
    let single = try await run(["a.jpg", "-o", "thumbs.gif"])

    #expect(outcome.status == 0 && single.status == 0, "\(outcome.errors)")
    #expect(names("thumbs.gif") == ["a.jpg", "a.png", "b.png"])
    #expect(outcome.errors.contains("2 thumbnails in thumbs.gif/"))
  }

  // MARK: Lists

  @Test(arguments: ["\n", "\r\n", "\0"])
  func `a list names inputs by line or by NUL`(separator: String) async throws {
    let list = ["a b.jpg", "照.jpg", "-"] + (separator == "\0" ? ["line\nfeed.jpg"] : [])
    for name in list { try put(jpeg, name) }
    let text = list.joined(separator: separator) + separator + separator
    try put(Array(text.utf8), "list")
    let options = separator == "\0" ? ["-0"] : []

    let file = try await run(["--files-from", "list", "-o", "file/"] + options)
    let stdin = try await run(
      ["--files-from", "-", "-o", "stdin/", "list"] + options, input: Array(text.utf8))

    #expect(file.status == 0, "\(file.errors)")
    let expected = (["a b.jpg", "照.jpg", "-.jpg"] + list.dropFirst(3)).sorted()
    #expect(names("file") == expected)
    #expect(stdin.status == 1 && stdin.errors.contains("list"), "the list itself is not an image")
    #expect(names("stdin") == expected)
  }

  @Test func `a name that is not UTF-8 is read, and its thumbnail has the same bytes`()
    async throws
  {
    try put(jpeg, "a.jpg")
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

  @Test func `a long list is made in one process`() async throws {
    try put(jpeg, "a.jpg")
    let list = (0..<500).map { "\($0 % 7)/../a.jpg" }.joined(separator: "\n")
    for folder in 0..<7 { try put(jpeg, "\(folder)/x") }

    let outcome = try await run(
      ["--files-from", "-", "-o", "out/", "--json"], input: Array(list.utf8))

    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try outcome.objects().count == 500)
    #expect(
      Set(names("out")) == Set(["a.jpg"] + (2...500).map { "a-\($0).jpg" }))
  }

  // MARK: Misuse and limits

  @Test(arguments: [
    ["a.jpg", "a.jpg"], ["a.jpg", "a.jpg", "-o", "-"], ["a.jpg", "a.jpg", "-o", "b.jpg"],
    ["--files-from", "list"], ["--files-from", "list", "-o", "b.jpg"], ["-o", "out/"],
    ["a.jpg", "-0", "-o", "out/"], ["-", "-", "-o", "out/"],
    ["-", "--files-from", "-", "-o", "out/"], ["--files-from", "nul", "-o", "out/"],
  ])
  func `misuse is refused before anything is made`(arguments: [String]) async throws {
    try put(jpeg, "a.jpg")
    try put(Array("a.jpg\n".utf8), "list")
    try put(Array("a.jpg\0".utf8), "nul")

    let outcome = try await run(arguments + ["--json"])

    #expect(outcome.status == 64)
    #expect(try outcome.objects().count == 1)
    #expect(names("out") == [] && names(".") == ["a.jpg", "list", "nul"])
  }

  @Test func `a folder is not an image, and a file is not a folder`() async throws {
    try put(jpeg, "in/a.jpg")

    let folder = try await run(["in", "in/a.jpg", "-o", "out/"])
    let file = try await run(["in/a.jpg", "-o", "in/a.jpg/"])
    let list = try await run(["--files-from", "absent", "-o", "out/"])
    let none = try await run(["--files-from", "/dev/null", "-o", "none/"])

    #expect(folder.status == 1 && names("out") == ["a.jpg"])
    #expect(folder.errors.contains("in is a folder; name its files (in/*)"))
    #expect(file.status == 2 && file.errors.contains("in/a.jpg"))
    #expect(list.status == 1 && list.errors.contains("absent"))
    #expect(none.status == 0 && names("none") == [])
  }

  @Test func `an input that needs more than its share of memory is processed alone`() async throws {
    var options = JPEGEncodingOptions()
    options.isProgressive = true
    // Its coefficients take 7.7 MB of the 12 MiB that are left: more than a half, less than all.
    let large = try ImageCodecs.encodeJPEG(SampleImages.quarters(1700, 1500), options: options)
    for name in ["a.jpg", "b.jpg", "c.jpg"] { try put(large, name) }

    let outcome = try await run(
      ["a.jpg", "b.jpg", "c.jpg", "-o", "out/", "--max-memory", "60MiB", "--json"])
    let little = try await run(["a.jpg", "b.jpg", "-o", "none/", "--max-memory", "50MiB", "--json"])

    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(names("out") == ["a.jpg", "b.jpg", "c.jpg"])
    #expect(little.status == 1 && names("none") == [])
    let codes = try little.objects().map { ($0["error"] as? [String: Any])?["code"] as? String }
    #expect(codes == ["out_of_memory", "out_of_memory"])
  }

  // MARK: URLs, interruptions, terminals

  @Test func `URLs and files mix; a list's URLs may not be private`() async throws {
    let origin = try ListOrigin(count: 3, missing: [1])
    defer { origin.stop() }
    try put(jpeg, "a.jpg")
    try put(Array(origin.urls.joined(separator: "\n").utf8), "list")

    let typed = try await run(origin.urls + ["a.jpg", "-o", "typed/", "--json"])
    let listed = try await run(["--files-from", "list", "-o", "listed/", "--json", "--revalidate"])
    let allowed = try await run([
      "--files-from", "list", "-o", "allowed/", "--allow-private-network",
    ])

    #expect(typed.status == 1 && listed.status == 1 && allowed.status == 1)
    #expect(names("typed") == ["0.jpg", "2.jpg", "a.jpg"])
    #expect(names("allowed") == ["0.jpg", "2.jpg"])
    #expect(names("listed") == [])
    let codes = try listed.objects().map { ($0["error"] as? [String: Any])?["code"] as? String }
    #expect(codes == Array(repeating: "host_not_allowed", count: 3))
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `a signal ends it cleanly: finished thumbnails stay, and no other file`(
    number: Int32
  ) async throws {
    let gate = Gate()
    let origin = try ListOrigin(count: 1, holding: gate)
    defer { origin.stop() }
    try put(jpeg, "a.jpg")
    try put(jpeg, "0.jpg")
    let out = scratch / "out/"

    // The last one waits for its name until the first is there.
    let child = try Tool.imgcache.start(
      ["thumb", origin.urls[0], scratch / "a.jpg", scratch / "0.jpg", "-o", out, "--json"]
        + Self.size + ["--cache-dir", scratch / "cache"], writingTo: scratch)
    await Condition.until { [scratch] in
      let names = try? FileManager.default.contentsOfDirectory(atPath: scratch / "out")
      return names?.count == 2 && names?.contains("a.jpg") == true
    }
    child.signal(number)
    let status = try await child.end()
    gate.open()

    #expect(status == 128 + number)
    #expect(names("out") == ["a.jpg"])
    let output = try String(contentsOfFile: scratch / "output", encoding: .utf8)
    let lines = output.split(separator: "\n")
    #expect(lines.count == 2 && lines[0].contains("/out/a.jpg"))
    #expect(lines.last?.contains(#""code":"interrupted""#) == true)
    let errors = try String(contentsOfFile: scratch / "errors", encoding: .utf8)
    #expect(errors.contains("interrupted after 1 of 3"))
  }

  @Test func `a kill leaves complete files only`() async throws {
    let image = try ImageCodecs.encodeJPEG(SampleImages.gradient(600, 400))
    for index in 0..<60 { try put(image, "in/\(index).jpg") }
    let inputs = (0..<60).map { scratch / "in/\($0).jpg" }

    let child = try Tool.imgcache.start(
      ["thumb"] + inputs + ["-o", scratch / "out/"] + Self.size, writingTo: scratch)
    await Condition.until { [scratch] in
      let names = try? FileManager.default.contentsOfDirectory(atPath: scratch / "out")
      return (names?.count ?? 0) >= 5
    }
    child.signal(SIGKILL)
    _ = try await child.end()

    let left = names("out")
    #expect(left.count >= 5)
    for name in left { #expect(try format("out/" + name) == .jpeg, "\(name)") }
  }

  @Test func `a terminal shows the progress, and clears it at the end`() async throws {
    let gate = Gate()
    let origin = try ListOrigin(count: 3, holding: gate)
    defer { origin.stop() }
    let terminal = try PseudoTerminal(columns: 160)

    let child = try terminal.start(
      Tool.imgcache,
      ["thumb"] + origin.urls + ["-o", scratch / "out/", "--cache-dir", scratch / "cache"]
        + Self.size)
    #expect(await terminal.waits(for: "0/3 images"))
    gate.open()
    let status = try await child.end()

    #expect(status == 0)
    var screen = TerminalScreen(columns: 160)
    screen.show(terminal.end())
    #expect(screen.texts.count == 1 && screen.texts[0].hasPrefix("3 thumbnails in "))
    #expect(names("out") == ["0.jpg", "1.jpg", "2.jpg"])
  }
}
