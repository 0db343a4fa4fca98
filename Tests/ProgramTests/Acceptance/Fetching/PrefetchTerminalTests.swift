import Foundation
import Testing

@testable import ImageCodecs
@testable import TextEncodings
@testable import TestSupport

/// `imgcache prefetch` at a terminal.
@Suite(.serialized, .needsProgram, .timeLimit(.minutes(15)))
struct `Prefetch at a terminal` {
  private func start(
    _ terminal: PseudoTerminal, _ feed: String, _ cache: Scratch, _ options: [String] = [],
    output: String? = nil
  ) throws -> ChildProcess {
    try terminal.start(
      .imgcache, ["prefetch", "--feed", feed, "--cache-dir", cache / "cache"] + options,
      output: output)
  }

  @Test func `the notice moves and counts, and nothing of it stays`() async throws {
    let gate = Gate()
    let origin = try ListOrigin(count: 4, holding: gate)
    defer { origin.stop() }
    let (cache, terminal) = (try Scratch(), try PseudoTerminal())
    let modes = terminal.modes

    let child = try start(terminal, origin.feed, cache)
    #expect(await terminal.waits(for: "Loading... 0 %"))
    #expect(await terminal.waits(for: "0/4 images"))
    // Drawn anew: the picture moved, for nothing else changed.
    #expect(await terminal.waits(for: "\r\u{1B}[J", count: 3))
    var screen = TerminalScreen()
    screen.show(terminal.output)
    #expect(screen.texts.contains { $0.contains("Loading... 0 %") } && !screen.showsCursor)
    #expect(terminal.modes & tcflag_t(ECHO) == 0)
    gate.open()
    let status = try await child.end()

    #expect(status == 0 && terminal.modes == modes)
    screen = TerminalScreen()
    screen.show(terminal.end())
    #expect(screen.texts.count == 1 && screen.texts[0].contains("4 images: 4 downloaded"))
    #expect(screen.showsCursor && screen.pen == TerminalScreen.Cell() && screen.unknown == [])
  }

  @Test func `pictures are shown as they arrive, each with its line`() async throws {
    let origin = try ListOrigin(count: 3)
    defer { origin.stop() }
    let (cache, terminal) = (try Scratch(), try PseudoTerminal(rows: 40))

    let status = try await start(terminal, origin.feed, cache, ["--show"]).end()

    #expect(status == 0)
    var screen = TerminalScreen(rows: 40)
    screen.show(terminal.end())
    for number in 0..<3 {
      let color = (number * 37 % 256) << 16 | (number * 91 % 256) << 8 | 128
      let row = try #require(
        (0..<40).first { screen.text($0).hasPrefix("story list-\(number)  \(8 + number)x8 png") })
      for column in 0..<8 + number {
        #expect(screen.pixels(column: column, row: row - 4) == [color, color])
      }
    }
    #expect(screen.texts.last?.contains("3 downloaded") == true)
  }

  /// In columns and rows: where the notice is drawn, where there is room for a line, and back.
  @Test(arguments: [true, false])
  func `a window of another size has nothing left of the notice, above it or in the scrollback`(
    reflows: Bool
  ) async throws {
    let gate = Gate()
    let origin = try ListOrigin(count: 4, holding: gate)
    defer { origin.stop() }
    let (cache, terminal) = (try Scratch(), try PseudoTerminal())
    var screen = TerminalScreen()
    let above = (0..<40).map { "line \($0)" }
    screen.show(above.joined(separator: "\r\n") + "\r\n")
    var shown = 0
    func show() {
      let output = terminal.output
      screen.show(Array(output[shown...]))
      shown = output.count
    }

    let child = try start(terminal, origin.feed, cache)
    #expect(await terminal.waits(for: "0/4 images"))
    // The notice of the size before may be drawn once more, and the first of another form is new.
    for (columns, rows, sign, drawings) in [
      (50, 10, "[-", 1), (100, 30, "Loading", 1), (72, 20, "Loading", 2),
    ] {
      show()
      let before = String(decoding: terminal.output, as: UTF8.self).ranges(of: sign).count
      terminal.resize(columns: UInt16(columns), rows: UInt16(rows))
      screen.resize(columns: columns, rows: rows, reflows: reflows)
      #expect(await terminal.waits(for: sign, count: before + drawings))
      show()
      #expect(screen.texts.count { $0.contains(sign) } == 1, "\(screen.texts)")
    }
    gate.open()

    #expect(try await child.end() == 0)
    _ = terminal.end()
    show()
    #expect(screen.allTexts.dropLast() == above[...])
    #expect(screen.allTexts.last?.contains("4 downloaded") == true)
    #expect(screen.wrapsLines && screen.showsCursor && screen.unknown == [])
  }

  @Test func `nothing is drawn where that is not wanted`() async throws {
    let origin = try ListOrigin(count: 2)
    defer { origin.stop() }
    for option in ["--quiet", "--json", "--no-progress"] {
      let (cache, terminal) = (try Scratch(), try PseudoTerminal())

      let status = try await start(terminal, origin.feed, cache, [option, "--show"]).end()

      #expect(status == 0 && !terminal.end().contains(0x1B), "\(option)")
    }
  }

  @Test(arguments: [SIGINT: Int32(130), SIGHUP: 129])
  func `interrupted, the terminal is as it was`(signal: Int32, status: Int32) async throws {
    let gate = Gate()
    let origin = try ListOrigin(count: 4, holding: gate)
    defer {
      gate.open()
      origin.stop()
    }
    let (cache, terminal) = (try Scratch(), try PseudoTerminal())
    let modes = terminal.modes

    let child = try start(terminal, origin.feed, cache)
    #expect(await terminal.waits(for: "Loading"))
    if signal == SIGINT { terminal.type("\u{3}") } else { child.signal(signal) }
    let ended = try await child.end()

    #expect(ended == status && terminal.modes == modes)
    var screen = TerminalScreen()
    screen.show(terminal.end())
    #expect(screen.showsCursor && !screen.texts.contains { $0.contains("Loading") })
  }

  @Test func `it ends where its lines are not read any more`() async throws {
    let gate = Gate()
    let origin = try ListOrigin(count: 2, holding: gate)
    defer {
      gate.open()
      origin.stop()
    }
    let (cache, terminal) = (try Scratch(), try PseudoTerminal())
    let modes = terminal.modes
    // As `| head` does: a reader that is there first, and goes.
    try #require(mkfifo(cache / "lines", 0o600) == 0)
    let reader = open(cache / "lines", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    try #require(reader >= 0)

    let child = try start(terminal, origin.feed, cache, output: cache / "lines")
    #expect(await terminal.waits(for: "Loading"))
    #expect(terminal.modes & tcflag_t(ECHO) == 0)
    close(reader)
    gate.open()
    let ended = try await child.end()

    #expect(ended == 141 && terminal.modes == modes)
    var screen = TerminalScreen()
    screen.show(terminal.end())
    #expect(screen.showsCursor && screen.texts == [])
  }

  @Test func `stopped, it takes its notice away; continued, it draws it again`() async throws {
    let gate = Gate()
    let origin = try ListOrigin(count: 4, holding: gate)
    defer { origin.stop() }
    let (cache, terminal) = (try Scratch(), try PseudoTerminal())
    let modes = terminal.modes

    let child = try start(terminal, origin.feed, cache)
    #expect(await terminal.waits(for: "Loading"))
    child.signal(SIGTSTP)
    child.waitUntilStopped()
    #expect(await terminal.waits(for: "\u{1B}[?25h"))
    var screen = TerminalScreen()
    screen.show(terminal.output)
    #expect(screen.texts == [] && screen.showsCursor && terminal.modes == modes)
    let before =
      String(decoding: terminal.output, as: UTF8.self)
      .components(separatedBy: "Loading").count - 1
    child.signal(SIGCONT)
    #expect(await terminal.waits(for: "Loading", count: before + 1))
    gate.open()

    #expect(try await child.end() == 0)
    #expect(terminal.modes == modes)
  }

  @Test func `get counts its bytes as they arrive, and nothing of the line stays`() async throws {
    let picture = try ImageCodecs.encodePNG(SampleImages.noise(100, 100, seed: 2))
    let gates = [Gate(), Gate()]
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
    #expect(try scratch.bytes(of: "a.png") == picture)
    screen = TerminalScreen(columns: 60)
    screen.show(terminal.end())
    #expect(screen.allTexts == [] && screen.showsCursor && screen.wrapsLines)
    #expect(screen.unknown == [] && terminal.modes == modes)
  }
}
