import Foundation
import Testing
import TextEncodings

@testable import ImageCodecs
@testable import ImageModel
@testable import imgcache
@testable import TestSupport

@Suite struct `Output` {
  @Test func `a line of JSON keeps its order, leaves out what is nil and escapes the rest`() {
    let line: JSONLine = [
      "b": 1, "a": "say \"hi\"\\\r\n\t\u{1}知乎", "gone": Int?.none, "list": ["x", "y"],
      "inner": ["ok": true] as JSONLine, "half": 0.5, "none": JSONNull(),
    ]

    #expect(
      line.description
        == #"{"b":1,"a":"say \"hi\"\\\r\n\t\u0001知乎","list":["x","y"],"inner":{"ok":true},"half":0.5,"none":null}"#
    )
  }

  @Test func `control characters from the network cannot steer the terminal`() {
    let title = "a\u{1B}[2J\r\u{7}b\u{9B}c\u{202E}d"

    #expect(title.escapingControls() == "a\\u{1b}[2J\\u{d}\\u{7}b\\u{9b}c\\u{202e}d")
    #expect(
      "a\u{61C}\u{200E}\u{200F}\u{2028}\u{2029}".escapingControls()
        == "a\\u{61c}\\u{200e}\\u{200f}\\u{2028}\\u{2029}")
    #expect("知乎日报 \t ok".escapingControls() == "知乎日报 \t ok")
  }

  @Test func `a setting that a library's message names is printed as its option`() {
    let error = ImageError(
      .cacheFull, "it does not fit; raise DiskCache.Configuration.maximumByteCount")

    #expect(CommandFailure(error).text == "it does not fit; raise --max-size")
    #expect(error.json.description.contains("it does not fit; raise --max-size"))
  }

  @Test(.isLong) func `no message of a library names an option, and each setting named has one`()
    throws
  {
    let options = Set(String.options.map(\.0))
    var named: Set<String> = []
    for file in try SourceTree(under: "Sources").files
    where !file.path.hasPrefix("Sources/imgcache/") && file.path.hasSuffix(".swift") {
      // Strings of one line and lines of longer ones: what is neither a comment nor code.
      for line in file.code.split(separator: "\n") {
        #expect(!line.contains(/(^|["( ])--[a-z]/), "\(file.path): \(line)")
        for match in line.matches(of: /[A-Z]\w+(\.[A-Z]\w+)*(\.[a-z]\w+)+(\(\w+:\))?/)
        where options.contains(String(match.0)) {
          named.insert(String(match.0))
        }
      }
    }

    #expect(named == options)
  }

  @Test func `a progress bar tells images, bytes, rate and the time left`() {
    let bar = ProgressBar(total: 20, finished: 5, failed: 1, byteCount: 102_400)
    let large = ProgressBar(total: 100_000, finished: 99_999, failed: 12, byteCount: 1 << 40)

    #expect(
      bar.line(after: .seconds(2), columns: 100)
        == "[#######-----------------------] 5/20 images, 1 failed, 100 KiB, 50 KiB/s, 6 s left")
    #expect(ProgressBar().line(after: .zero, columns: 80).hasSuffix("0/0 images, 0 B, 0 B/s"))
    #expect(bar.line(after: .seconds(1), columns: 10) == "5/20 ima…")
    for columns in [10, 20, 40, 60, 80, 200] {
      #expect(large.line(after: .seconds(100_000), columns: columns).count < columns)
    }
  }

  @Test func `a file is replaced, also behind a link, and a pipe is written into`() throws {
    let folder = TemporaryDirectory()
    let (file, link, pipe) = (folder.path("file"), folder.path("link"), folder.path("pipe"))
    try Data("old".utf8).write(to: URL(fileURLWithPath: file))
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "file")
    try #require(mkfifo(pipe, 0o600) == 0)
    let reader = open(pipe, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }

    try OutputFile.write(Array("new".utf8), to: link)
    try OutputFile.write(Array("flow".utf8), to: pipe)
    var came = [UInt8](repeating: 0, count: 16)
    let count = read(reader, &came, came.count)

    #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data("new".utf8))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "file")
    #expect(came.prefix(max(0, count)) == Array("flow".utf8)[...])
    #expect(folder.files().count == 3)
  }

  @Test func `numbers have their nouns in singular and plural`() {
    #expect([0, 1, 2].map { $0.counted("image") } == ["0 images", "1 image", "2 images"])
    #expect(1.counted("entry", "entries") == "1 entry")
    #expect(2.counted("entry", "entries") == "2 entries")
    #expect(["a", "b", "c"].enumerated == "a, b and c")
    #expect(["a"].enumerated == "a" && [String]().enumerated == "")
  }

  @Test func `an option is found in a message as a word of its own`() {
    #expect(ProgramExit.names("--max-age", in: "invalid for '--max-age <duration>'"))
    #expect(ProgramExit.names("--day", in: "--day"))
    #expect(!ProgramExit.names("--max", in: "invalid for '--max-age <duration>'"))
    #expect(!ProgramExit.names("--day", in: "--days is 1"))
  }
}

@Suite(.needsProgram) struct `Output to a pipe` {
  @Test func `does not keep a signal from ending the program`() async throws {
    let body =
      try ImageCodecs.encodePNG(SampleImages.gradient(8, 8)) + [UInt8](repeating: 7, count: 1 << 20)
    let (origin, scratch) = (try FaultyOrigin(["/a.png": [.whole(body)]]), try Scratch())
    let pipe = scratch / "pipe"
    try #require(mkfifo(pipe, 0o600) == 0)
    let reader = open(pipe, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }

    let child = try Tool.imgcache.start(
      [
        "get", origin.url("/a.png"), "-o", pipe, "--check", "none", "--cache-dir",
        scratch / "cache",
      ],
      writingTo: scratch)
    // More than fits is on its way.
    await Condition.until {
      var waiting = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
      return poll(&waiting, 1, 0) > 0 && waiting.revents & Int16(POLLIN) != 0
    }
    child.signal(SIGTERM)

    #expect(try await child.end() == 143)
  }

  @Test func `no option puts a line into the header of a request`() async throws {
    let run = try await Tool.imgcache.run(
      ["get", "http://127.0.0.1:1/a", "--user-agent", "a\r\nX-Other: b"])

    #expect(run.status == 64 && run.errors.contains("--user-agent has a control character"))
  }

  @Test(.needsProgram) func `a line feed in the name of a file does not break a message`()
    async throws
  {
    let directory = TemporaryDirectory()
    let file = directory.path("a\nerror: b.png")
    try Data("no image".utf8).write(to: URL(filePath: file))

    let run = try await Tool.imgcache.run(["info", file])

    #expect(run.status == 1)
    #expect(run.errors.contains("/a\\nerror: b.png"))
    #expect(run.errors.split(separator: "\n").count == 1)
  }
}
