import Foundation
import Testing

@testable import ImageCodecs
@testable import TestSupport

/// `imgcache show` as a script and as a person at a terminal meet it.
@Suite(.serialized, .needsProgram, .timeLimit(.minutes(15)))
struct `The show command` {
  /// Red, green, blue, each for a tenth of a second.
  static func animation(loops: Int, _ delays: [Int] = [100, 100, 100]) throws -> [UInt8] {
    let colors: [[UInt8]] = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255]]
    return try ImageCodecs.encodeGIF(
      zip(colors, delays).map {
        AnimationFrame(pixels: SampleImages.flat(6, 4, $0), delay: .milliseconds($1))
      }, options: EncodingOptions(loopCount: loops))
  }

  @Test func `without a terminal it is a line of text`() async throws {
    let scratch = try Scratch()
    let gif = try scratch.write(Self.animation(loops: 0), to: "a.gif")

    for options in [[], ["--protocol", "kitty", "--once"]] {
      let outcome = try await Tool.imgcache.run(["show", gif] + options)
      #expect(outcome.status == 0 && outcome.errors.isEmpty)
      #expect(outcome.output.split(separator: "\n").count == 1)
      for word in ["gif", "6x4", "3 frames in 300 ms", "for ever"] {
        #expect(outcome.output.contains(word), "\(word)")
      }
      #expect(!outcome.output.unicodeScalars.contains { $0.value < 32 && $0 != "\n" })
    }
    let object = try #require(
      try await Tool.imgcache.run(["show", gif, "--json"]).objects().first)
    #expect(object["frames"] as? Int == 3 && object["format"] as? String == "gif")
  }

  @Test func `a URL is kept, and what cannot be shown has its exit status`() async throws {
    let origin = try ListOrigin(count: 1)
    let cache = try Scratch()
    let show = ["show", origin.urls[0]]
    let text = try cache.write("no image", to: "a.txt")

    let first = try await Tool.run(show, cache: cache)
    let second = try await Tool.run(show + ["--offline"], cache: cache)
    let notAnImage = try await Tool.run(["show", text], cache: cache)
    let noFrame = try await Tool.run(show + ["--frame", "3"], cache: cache)

    #expect(first.status == 0 && first.output.contains("png, 8x8"))
    #expect(second.output == first.output && origin.pictureRequests.count == 1)
    #expect(notAnImage.status == 1 && notAnImage.errors.contains("not an image"))
    #expect(noFrame.status == 64 && noFrame.output.isEmpty && notAnImage.output.isEmpty)
  }

  private static let square = Result {
    try ImageCodecs.encodePNG(
      SampleImages.quarters(800, 800), options: EncodingOptions(level: 1))
  }

  @Test(arguments: [
    (PseudoTerminal.Kind.plain, (80, 24)), (.plain, (40, 12)), (.plain, (10, 2)),
    (.kitty, (120, 40)), (.kitty, (20, 8)), (.sixel, (80, 24)), (.sixel, (30, 5)),
  ])
  func `the top of a square picture is visible when the prompt is back`(
    kind: PseudoTerminal.Kind, size: (columns: Int, rows: Int)
  ) async throws {
    let scratch = try Scratch()
    let png = try scratch.write(Self.square.get(), to: "a.png")
    let terminal = try PseudoTerminal(
      kind, columns: UInt16(size.columns), rows: UInt16(size.rows))

    #expect(try await terminal.start(.imgcache, ["show", png]).end() == 0)

    // A shell whose prompt is at the bottom.
    var screen = TerminalScreen(columns: size.columns, rows: size.rows)
    screen.show(String(repeating: "\r\n", count: size.rows) + "$ show a\r\n")
    screen.show(terminal.end())
    screen.show("$ ")
    let tops =
      kind == .plain
      ? screen.lines.indices.filter { screen.pixels(column: 0, row: $0)[0] != nil }.prefix(1)
      : screen.commands.filter { $0.body.hasPrefix("Ga=T") || $0.kind == "P" }
        .map { $0.row - (screen.scrolledCount - $0.scrolledCount) }[...]
    let top = try #require(tops.first)
    #expect(top >= 0 && screen.row < size.rows && screen.row > top)
    if kind == .plain {
      // All of it: as many rows as columns are wide, two pixels each.
      let rows = (top..<screen.row).filter { screen.pixels(column: 0, row: $0)[0] != nil }
      #expect(rows.count == screen.row - top)
    }
    if size.rows >= 8 { #expect(screen.text(top - 1) == "$ show a") }
  }

  @Test(arguments: [PseudoTerminal.Kind.kitty, .sixel])
  func `a terminal that knows graphics gets them`(kind: PseudoTerminal.Kind) async throws {
    let scratch = try Scratch()
    let picture = SampleImages.quarters(30, 50)
    let png = try scratch.write(ImageCodecs.encodePNG(picture), to: "a.png")
    let terminal = try PseudoTerminal(kind)

    let status = try await terminal.start(.imgcache, ["show", png]).end()

    #expect(status == 0)
    var screen = TerminalScreen()
    screen.show(terminal.end())
    let drawn = try #require(screen.commands.last)
    #expect(screen.row == 3 && screen.column == 0 && drawn.row == 0 && drawn.column == 0)
    if kind == .kitty {
      let text = try #require(drawn.body.split(separator: ";").last)
      let bytes = [UInt8](try #require(Data(base64Encoded: String(text))))
      #expect(try ImageCodecs.decode(bytes.span.bytes) == picture)
    } else {
      let sixels = SixelPicture(drawn.body)
      #expect(sixels.isSound && sixels.pixels.count == 1500)
    }
  }

  @Test func `without colours nothing is coloured`() async throws {
    let scratch = try Scratch()
    let png = try scratch.write(ImageCodecs.encodePNG(SampleImages.gradient(20, 20)), to: "a.png")
    for environment in [["NO_COLOR": "1"], ["TERM": "vt100", "COLORTERM": ""]] {
      let terminal = try PseudoTerminal()
      let tool = with(Tool.imgcache) { $0.environment = environment }

      #expect(try await terminal.start(tool, ["show", png]).end() == 0)

      let text = String(decoding: terminal.end(), as: UTF8.self)
      #expect(text.contains("█") && !text.contains("38;") && !text.contains("48;"))
    }
  }

  @Test func `an animation plays as often as it says, every frame in its place`() async throws {
    let scratch = try Scratch()
    let gif = try scratch.write(Self.animation(loops: 2, [40, 40, 40]), to: "a.gif")
    let terminal = try PseudoTerminal()
    let modes = terminal.modes

    let began = ContinuousClock.now
    let status = try await terminal.start(.imgcache, ["show", gif]).end()
    let elapsed = ContinuousClock.now - began

    // Two plays; the last frame stays and is not waited for. A loaded machine may take longer.
    #expect(status == 0 && elapsed >= .milliseconds(200))
    let output = terminal.end()
    var screen = TerminalScreen()
    screen.show(output)
    #expect(screen.pixels(column: 5, row: 1) == [0x0000FF, 0x0000FF])
    #expect(screen.row == 2 && screen.showsCursor && screen.unknown == [])
    #expect(terminal.modes == modes)
  }

  @Test(arguments: [SIGTERM: Int32(143), SIGQUIT: 131])
  func `an endless animation ends with a signal, and the terminal is as it was`(
    signal: Int32, status: Int32
  ) async throws {
    let scratch = try Scratch()
    let gif = try scratch.write(Self.animation(loops: 0), to: "a.gif")
    let terminal = try PseudoTerminal()
    let modes = terminal.modes

    let child = try terminal.start(.imgcache, ["show", gif])
    // The third frame is there.
    #expect(await terminal.waits(for: "48;2;0;0;255"))
    #expect(terminal.modes & tcflag_t(ECHO) == 0)
    child.signal(signal)
    let ended = try await child.end()

    #expect(ended == status && terminal.modes == modes)
    var screen = TerminalScreen()
    screen.show(terminal.end())
    #expect(screen.showsCursor && screen.row == 2 && screen.column == 0)
    #expect(screen.pen == TerminalScreen.Cell())
  }

  /// Once a frame was drawn, and as soon as the terminal is taken.
  @Test(arguments: ["\u{1B}[21A", "\u{1B}[?25l"])
  func `a window of another size is drawn on anew`(after sign: String) async throws {
    let scratch = try Scratch()
    let frames = (0..<2).map {
      AnimationFrame(
        pixels: SampleImages.gradient(60, 60, shift: 90 * $0), delay: .milliseconds(100))
    }
    let gif = try scratch.write(ImageCodecs.encodeGIF(frames), to: "a.gif")
    let terminal = try PseudoTerminal(columns: 80, rows: 24)

    let child = try terminal.start(.imgcache, ["show", gif])
    #expect(await terminal.waits(for: sign))
    terminal.resize(columns: 20, rows: 8)
    #expect(await terminal.waits(for: "\u{1B}[5A"))
    child.signal(SIGINT)

    #expect(try await child.end() == 130)
  }

  @Test func `a damaged frame ends the play, and the terminal is as it was`() async throws {
    let scratch = try Scratch()
    var damaged = SampleImages.GIF(6, 4, loops: 0)
    damaged.add(6, 4, index: 1)
    // A second frame whose first code stands for nothing yet: a clear code, and then 7.
    damaged.bytes += [0x21, 0xF9, 4, 0, 10, 0, 0, 0, 0x2C, 0, 0, 0, 0, 6, 0, 4, 0, 0]
    damaged.bytes += [2, 1, 0x3C, 0]
    let gif = try scratch.write(damaged.finished(), to: "a.gif")
    let terminal = try PseudoTerminal()
    let modes = terminal.modes

    let status = try await terminal.start(.imgcache, ["show", gif, "--once"]).end()

    #expect(terminal.modes == modes)
    var screen = TerminalScreen()
    screen.show(terminal.end())
    #expect(status == 1 && screen.showsCursor)
    #expect(screen.texts.contains { $0.contains("cannot show") })
  }
}
