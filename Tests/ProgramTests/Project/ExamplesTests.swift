import Foundation
import ImageCodecs
import ImageModel
import Testing

@testable import SampleFeed
@testable import TestSupport

/// The programs of `Examples`, built with `IMGCACHE_EXAMPLES=1`.
@Suite(.startsPrograms) struct `Examples` {
  private static let names = [
    "CustomCodec", "HitRateStudy", "PrefetchJob", "TerminalImage", "ThumbnailService",
  ]

  static func isBuilt(_ name: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: Tool.buildFolder + "/" + name)
  }

  private static func program(_ name: String) -> Tool { Tool(path: Tool.buildFolder + "/" + name) }

  private static func picture(_ width: Int = 160, _ height: Int = 120) throws -> [UInt8] {
    try ImageCodecs.encodeJPEG(
      PixelBuffer(clear: PixelSize(width: width, height: height)))
  }

  @Test(.enabled(if: isBuilt("TerminalImage")))
  func `an image appears in the terminal and in a file`() async throws {
    let scratch = try Scratch()
    try Data(Self.picture()).write(to: URL(fileURLWithPath: scratch / "a.jpg"))

    let outcome = try await Self.program("TerminalImage").run(["a.jpg"], in: scratch.path)

    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.split(separator: "\n").count { $0.contains("▀") } == 30)
    let file = try [UInt8](Data(contentsOf: URL(fileURLWithPath: scratch / "thumbnail.jpg")))
    let info = try ImageCodecs.info(of: file.span.bytes)
    #expect(info.format == .jpeg && info.size == PixelSize(width: 160, height: 120))
  }

  @Test(.enabled(if: isBuilt("PrefetchJob")))
  func `the job fetches each image once and reports what failed`() async throws {
    let scratch = try Scratch()
    let body = try Self.picture()
    let origin = try LoopbackServer { request in
      request.target == "/gone.jpg"
        ? LoopbackResponse(status: 404, body: [])
        : LoopbackResponse(status: 200, headers: [("Cache-Control", "max-age=600")], body: body)
    }
    defer { origin.stop() }
    let urls = ["/a.jpg", "/b.jpg", "/a.jpg", "/gone.jpg"].map { origin.origin + $0 }
    try scratch.write(urls.joined(separator: "\n"), to: "urls.txt")

    let job = Self.program("PrefetchJob")
    let first = try await job.run([scratch / "urls.txt", scratch / "cache"])
    let second = try await job.run([scratch / "urls.txt", scratch / "cache"])

    #expect(first.status == 1 && first.output.contains("2 loaded, 1 already there, 1 failed"))
    #expect(first.output.contains("/gone.jpg: http_status"))
    #expect(second.output.contains("0 loaded, 3 already there, 1 failed"))
  }

  @Test(.enabled(if: isBuilt("CustomCodec")))
  func `a format of the example's own is decoded, and a truncated file refused`() async throws {
    let scratch = try Scratch()
    let header = Array("P6\n3 2\n255\n".utf8)
    let samples = (0..<18).map { UInt8(10 * $0) }
    try Data(header + samples).write(to: URL(fileURLWithPath: scratch / "a.ppm"))
    try Data(header + samples.dropLast()).write(to: URL(fileURLWithPath: scratch / "short.ppm"))

    let codec = Self.program("CustomCodec")
    let outcome = try await codec.run(["a.ppm", "a.png"], in: scratch.path)
    let refused = try await codec.run(["short.ppm", "b.png"], in: scratch.path)

    #expect(outcome.status == 0, "\(outcome.errors)")
    let file = try [UInt8](Data(contentsOf: URL(fileURLWithPath: scratch / "a.png")))
    let pixels = try ImageCodecs.decode(file.span.bytes)
    #expect(pixels.size == PixelSize(width: 3, height: 2))
    #expect(Array(pixels.bytes.suffix(4)) == [150, 160, 170, 255])
    #expect(refused.status == 1 && refused.output == "error: PPM: pixels missing\n")
  }

  @Test(.enabled(if: isBuilt("ThumbnailService")))
  func `the service has the thumbnail routes below a path, and ends in order`() async throws {
    let scratch = try Scratch()
    let body = try Self.picture()
    let origin = try LoopbackServer { _ in
      LoopbackResponse(status: 200, headers: [("Cache-Control", "max-age=600")], body: body)
    }
    defer { origin.stop() }
    let port = try ReservedPort()
    let program = try Self.program("ThumbnailService").start(
      [scratch / "cache", "\(port.number)", origin.origin], writingTo: scratch)
    await Condition.until {
      ["output", "errors"].contains { (try? scratch.text(of: $0))?.contains("listening") == true }
        || program.endedStatus != nil
    }
    let service = "http://127.0.0.1:\(port.number)/images/thumb?url=\(origin.origin)/a.jpg"

    let curl = Tool(path: "curl")
    let answer = try await curl.run(["-sf", service + "&w=40&h=40", "-o", scratch / "thumb.jpg"])
    let head = try await curl.run(["-sI", service + "&w=40&h=40"])
    let part = try await curl.run(
      ["-s", "-r", "0-1", "-o", scratch / "part", "-D", "-", service + "&w=40&h=40"])
    let refused = try await curl.run(["-s", "-w", "%{http_code}", service + "&w=40&h=4000"])
    program.signal(SIGTERM)
    let ended = try await program.end()

    #expect(answer.status == 0 && ended == 0)
    #expect(head.output.contains("Cache-Status: imgcache; hit; detail=memory"))
    #expect(part.output.contains(" 206 ") && part.output.contains("Content-Range: bytes 0-1/"))
    let file = try [UInt8](Data(contentsOf: URL(fileURLWithPath: scratch / "thumb.jpg")))
    #expect(try ImageCodecs.info(of: file.span.bytes).size == PixelSize(width: 40, height: 40))
    #expect(refused.output.contains("\"limit_exceeded\"") && refused.output.hasSuffix("413"))
  }

  @Test(.enabled(if: isBuilt("HitRateStudy")))
  func `the study prints hits of each policy for a trace`() async throws {
    let scratch = try Scratch()
    let lines = (0..<200).map { "\($0).000,https://example.org/\($0 % 7),1000" }
    try scratch.write(lines.joined(separator: "\n"), to: "trace.csv")

    let outcome = try await Self.program("HitRateStudy").run([scratch / "trace.csv"])

    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.hasPrefix("200 requests, 7000 bytes"))
    #expect(outcome.output.contains("\nlru "))
    #expect(outcome.output.split(separator: "\n").count == 11)
  }

  @Test func `their package and the main one build the same programs`() async throws {
    let root = SharedFixtures.packageRoot
    let manifest = try String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)
    let own = try String(
      contentsOf: root.appending(path: "Examples/Package.swift"), encoding: .utf8)
    for name in Self.names {
      let program = try String(
        contentsOf: root.appending(path: "Examples/\(name)/main.swift"), encoding: .utf8)
      #expect(program.split(separator: "\n", omittingEmptySubsequences: false).count - 1 <= 65)
    }
    for name in Self.names + ["LoadTracing"] {
      #expect(own.contains("\"\(name)\"") && manifest.contains("\"\(name)\""), "\(name)")
    }
  }

  @Test func `Getting Started shows the program that is run here`() throws {
    let root = SharedFixtures.packageRoot
    let program = try String(
      contentsOf: root.appending(path: "Examples/TerminalImage/main.swift"), encoding: .utf8)
    let page = try #require(DocumentationPage.all.first { $0.path.hasSuffix("GettingStarted.md") })

    #expect(
      page.blocks.contains {
        $0.text + "\n" == program.replacing("TerminalImage", with: "gallery")
      })
  }
}
