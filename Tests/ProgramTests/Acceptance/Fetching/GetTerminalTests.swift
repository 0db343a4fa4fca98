import Foundation
import Testing

@testable import ImageCodecs
@testable import TextEncodings
@testable import TestSupport

/// `imgcache get` and `imgcache show` of a large image at a terminal.
@Suite(.serialized, .needsProgram, .timeLimit(.minutes(15)))
struct `One image at a terminal` {
  private static func picture() throws -> [UInt8] {
    try ImageCodecs.encodePNG(SampleImages.noise(400, 400, seed: 2))
  }

  @Test func `its bytes are counted as they arrive, and nothing of the line stays`() async throws {
    let (picture, gates) = (try Self.picture(), [Gate(), Gate()])
    let origin = try FaultyOrigin(["/a.png": [.steps(picture, gates)]])
    defer {
      for gate in gates { gate.open() }
      origin.stop()
    }
    let (scratch, terminal) = (try Scratch(), try PseudoTerminal(columns: 60))
    let modes = terminal.modes
    func words(_ part: Int) -> String {
      let (received, all) = (picture.count * part / 3, picture.count)
      return "\(Measure.bytes(received)) of \(Measure.bytes(all)), \(received * 100 / all) %, "
    }

    let child = try terminal.start(
      .imgcache,
      ["get", origin.url("/a.png"), "-o", scratch / "a.png", "--cache-dir", scratch / "cache"])
    #expect(await terminal.waits(for: words(1)))
    var screen = TerminalScreen(columns: 60)
    screen.show(terminal.output)
    #expect(screen.texts.count <= 1 && !screen.showsCursor)
    gates[0].open()
    #expect(await terminal.waits(for: words(2)))
    gates[1].open()

    #expect(try await child.end() == 0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: scratch / "a.png")) == Data(picture))
    screen = TerminalScreen(columns: 60)
    screen.show(terminal.end())
    #expect(screen.allTexts == [] && screen.showsCursor && screen.wrapsLines)
    #expect(screen.unknown == [] && terminal.modes == modes)
  }

  @Test func `without a length there are bytes alone, and show has them too`() async throws {
    let (picture, gate) = (try Self.picture(), Gate())
    let origin = try FaultyOrigin([
      "/a.png": [.steps(picture, [gate], announcesLength: false)]
    ])
    defer {
      gate.open()
      origin.stop()
    }
    let (scratch, terminal) = (try Scratch(), try PseudoTerminal())

    let child = try terminal.start(
      .imgcache, ["show", origin.url("/a.png"), "--cache-dir", scratch / "cache"])
    #expect(await terminal.waits(for: "\(Measure.bytes(picture.count / 2)), "))
    gate.open()

    #expect(try await child.end() == 0)
    let output = String(decoding: terminal.end(), as: UTF8.self)
    #expect(!output.contains(" %") && output.contains("▀"))
  }

  @Test func `a failure and Ctrl-C leave the terminal as it was`() async throws {
    let (picture, gate) = (try Self.picture(), Gate())
    let half = Array(picture[...(picture.count / 2)])
    let origin = try FaultyOrigin([
      "/a.png": [.held(FaultyOrigin.head(length: picture.count) + half, gate)],
      "/b.png": [.held(FaultyOrigin.head(length: picture.count) + half, gate)],
    ])
    defer {
      gate.open()
      origin.stop()
    }
    for (path, status) in [("/a.png", Int32(130)), ("/b.png", 1)] {
      let (scratch, terminal) = (try Scratch(), try PseudoTerminal())
      let modes = terminal.modes
      let child = try terminal.start(
        .imgcache,
        [
          "get", origin.url(path), "-o", scratch / "x.png", "--cache-dir", scratch / "cache",
          "--retries", "0",
        ])
      #expect(await terminal.waits(for: ", 50 %, "))
      if status == 130 { terminal.type("\u{3}") } else { gate.open() }

      #expect(try await child.end() == status && terminal.modes == modes)
      var screen = TerminalScreen()
      screen.show(terminal.end())
      #expect(screen.showsCursor && screen.wrapsLines)
      #expect(!screen.texts.contains { $0.contains("%") }, "\(screen.texts)")
    }
  }

  @Test(arguments: [["--quiet"], ["--no-progress"], ["--json"]])
  func `nothing is drawn where that is not wanted`(options: [String]) async throws {
    let origin = try ListOrigin(count: 1)
    defer { origin.stop() }
    let (scratch, terminal) = (try Scratch(), try PseudoTerminal())

    let child = try terminal.start(
      .imgcache,
      ["get", origin.urls[0], "-o", scratch / "x", "--cache-dir", scratch / "cache"] + options)

    #expect(try await child.end() == 0)
    #expect(!terminal.end().contains(0x1B))
  }
}
