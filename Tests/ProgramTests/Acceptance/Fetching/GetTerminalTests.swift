import Foundation
import Testing

@testable import ImageCodecs
@testable import TestSupport
@testable import TextEncodings

/// `imgcache get` and `imgcache show` of a large image at a terminal.
@Suite(.serialized, .needsProgram, .timeLimit(.minutes(15)))
struct `One image at a terminal` {
  private let picture: [UInt8]
  private let scratch: Scratch

  init() throws {
    picture = try ImageCodecs.encodePNG(SampleImages.noise(100, 100, seed: 2))
    scratch = try Scratch()
  }

  private func start(
    _ command: String, _ url: String, on terminal: PseudoTerminal, _ options: [String] = []
  ) throws -> ChildProcess {
    try terminal.start(
      .imgcache, [command, url, "--retries", "0", "--cache-dir", scratch / "cache"] + options)
  }

  @Test func `its bytes are counted as they arrive, and nothing of the line stays`() async throws {
    let gates = [Gate(), Gate()]
    let origin = try FaultyOrigin(["/a.png": [.steps(picture, gates)]])
    defer {
      for gate in gates { gate.open() }
      origin.stop()
    }
    let terminal = try PseudoTerminal(columns: 60)
    let modes = terminal.modes
    func words(_ part: Int) -> String {
      let (received, all) = (picture.count * part / 3, picture.count)
      return "\(Measure.bytes(received)) of \(Measure.bytes(all)), \(received * 100 / all) %, "
    }

    let child = try start("get", origin.url("/a.png"), on: terminal, ["-o", scratch / "a.png"])
    #expect(await terminal.waits(for: words(1)))
    var screen = TerminalScreen(columns: 60)
    screen.show(terminal.output)
    #expect(screen.texts.count <= 1 && !screen.showsCursor)
    gates[0].open()
    #expect(await terminal.waits(for: words(2)))
    gates[1].open()

    #expect(try await child.end() == 0)
    #expect(try scratch.bytes("a.png") == picture)
    screen = TerminalScreen(columns: 60)
    screen.show(terminal.end())
    #expect(screen.allTexts == [] && screen.showsCursor && screen.wrapsLines)
    #expect(screen.unknown == [] && terminal.modes == modes)
  }

  @Test func `without a length there are bytes alone, and show has them too`() async throws {
    let gate = Gate()
    let origin = try FaultyOrigin([
      "/a.png": [.steps(picture, [gate], announcesLength: false)]
    ])
    defer {
      gate.open()
      origin.stop()
    }
    let terminal = try PseudoTerminal()

    let child = try start("show", origin.url("/a.png"), on: terminal)
    #expect(await terminal.waits(for: "\(Measure.bytes(picture.count / 2)), "))
    gate.open()

    #expect(try await child.end() == 0)
    let output = String(decoding: terminal.end(), as: UTF8.self)
    #expect(!output.contains(" %") && output.contains("▀"))
  }
}
