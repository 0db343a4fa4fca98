import ImageCodecs
import ImageModel
import Testing

@testable import TerminalGraphics

@Suite struct `What a terminal says of itself` {
  static let full =
    "\u{1B}_Gi=31;OK\u{1B}\\\u{1B}]11;rgb:1e1e/2E2E/ffff\u{1B}\\\u{1B}[6;20;10t\u{1B}[?62;4;22c"

  private func replies(_ text: String) -> TerminalReplies {
    var replies = TerminalReplies()
    replies.read(Array(text.utf8))
    return replies
  }

  @Test func `all answers are understood`() {
    let replies = replies(Self.full)

    #expect(replies.knowsKitty && replies.knowsSixel && replies.isComplete)
    #expect(replies.cell == PixelSize(width: 10, height: 20))
    #expect(replies.background == PixelColor(red: 0x1E, green: 0x2E, blue: 0xFF))
  }

  @Test func `answers may come in pieces of any size, with keys between them`() {
    let bytes = Array(Self.full.utf8)
    let whole = replies(Self.full)

    for size in 1...bytes.count {
      var pieces = TerminalReplies()
      for start in stride(from: 0, to: bytes.count, by: size) {
        pieces.read(bytes[start..<min(start + size, bytes.count)])
      }
      #expect(pieces == whole)
    }
    #expect(replies("ls\r\u{1B}OA" + Self.full + "q").isComplete)
    #expect(replies("\u{1B}\u{1B}[A\u{1B}[?62;4c").knowsSixel)
  }

  @Test(arguments: [
    ("\u{1B}[?62;22c", false), ("\u{1B}[?62;4c", true), ("\u{1B}[?64;1;2;4;6c", true),
    ("\u{1B}[?4c", false), ("\u{1B}[?62;14;41c", false), ("\u{1B}[?6c", false),
  ])
  func `sixels are attribute 4, not the class`(answer: String, knowsSixel: Bool) {
    let replies = replies(answer)

    #expect(replies.isComplete && !replies.knowsKitty)
    #expect(replies.knowsSixel == knowsSixel)
  }

  @Test(arguments: [
    "\u{1B}_Gi=31;ENOTSUP:no\u{1B}\\", "\u{1B}_Gi=32;OK\u{1B}\\", "\u{1B}_Xi=31;OK\u{1B}\\",
    "\u{1B}[6;0;10t", "\u{1B}[6;20t", "\u{1B}[4;20;10t", "\u{1B}[6;99999;10t",
    "\u{1B}]11;rgb:1e/2e\u{7}", "\u{1B}]11;rgb:xx/yy/zz\u{7}", "\u{1B}]10;rgb:00/00/00\u{7}",
    "\u{1B}]11;rgb:12345/0/0\u{7}", "\u{1B}[62;4c", "\u{1B}[?", "\u{1B}",
  ])
  func `what is no answer to a question changes nothing`(text: String) {
    #expect(replies(text).knowsKitty == false)
    #expect(replies(text).cell == nil && replies(text).background == nil)
    #expect(!replies(text).isComplete)
  }

  @Test func `a colour has one to four digits a sample`() {
    func color(_ text: String) -> PixelColor? { replies("\u{1B}]11;rgb:\(text)\u{7}").background }

    #expect(color("f/0/8") == PixelColor(red: 255, green: 0, blue: 136))
    #expect(color("ff/00/80") == PixelColor(red: 255, green: 0, blue: 128))
    #expect(color("fff/000/800") == PixelColor(red: 255, green: 0, blue: 128))
    #expect(color("ffff/0000/8080") == PixelColor(red: 255, green: 0, blue: 128))
  }

  @Test func `an answer without an end is not gathered for ever`() {
    var replies = TerminalReplies()
    replies.read(Array("\u{1B}]11;".utf8) + Array(repeating: 0x41, count: 100_000))
    replies.read(Array(Self.full.utf8))

    #expect(replies.isComplete && replies.knowsKitty)
  }

  @Test func `the question that all answer comes last, and screen is not asked for kitty graphics`()
  {
    let plain = String(decoding: TerminalReplies.questions(isMultiplexed: false), as: UTF8.self)
    let screen = String(decoding: TerminalReplies.questions(isMultiplexed: true), as: UTF8.self)

    #expect(plain.hasSuffix("\u{1B}[c") && plain.contains("\u{1B}_G"))
    #expect(screen.hasSuffix("\u{1B}[c") && !screen.contains("\u{1B}_"))
  }
}

@Suite struct `The way to draw` {
  private func profile(
    _ answers: String?, _ environment: [String: String], asked: GraphicsMethod? = nil
  ) -> TerminalProfile {
    var replies = TerminalReplies()
    if let answers { replies.read(Array(answers.utf8)) }
    return TerminalProfile(
      columns: 80, rows: 24, pixels: PixelSize(width: 0, height: 0),
      replies: answers == nil ? nil : replies, environment: environment, asked: asked)
  }

  @Test func `what the terminal answers goes before its name, and what the user names before both`()
  {
    let kitty = "\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[?62;4c"

    #expect(profile(kitty, ["TERM": "foot"]).method == .kitty)
    #expect(profile("\u{1B}[?62;4c", ["TERM": "xterm-kitty"]).method == .sixel)
    #expect(profile("\u{1B}[?62c", ["TERM": "xterm-kitty"]).method == .blocks)
    for method in GraphicsMethod.allCases {
      #expect(profile(kitty, ["TERM": "foot"], asked: method).method == method)
      #expect(profile(nil, [:], asked: method).method == method)
    }
  }

  @Test(arguments: [
    (["TERM": "xterm-kitty"], GraphicsMethod.kitty), (["TERM": "xterm-ghostty"], .kitty),
    (["TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"], .kitty),
    (["TERM": "xterm-256color", "TERM_PROGRAM": "ghostty"], .kitty),
    (["TERM": "foot-extra"], .sixel), (["TERM": "mlterm"], .sixel),
    (["TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"], .sixel),
    (["TERM": "xterm-256color"], .blocks), (["TERM": "linux"], .blocks), ([:], .blocks),
    (["TERM": "tmux-256color", "KITTY_WINDOW_ID": "1"], .blocks),
    (["TERM": "screen", "TERM_PROGRAM": "WezTerm"], .blocks),
  ])
  func `a terminal that does not answer is known by its name`(
    environment: [String: String], method: GraphicsMethod
  ) {
    #expect(profile(nil, environment).method == method)
    #expect(profile("", environment).method == method)
  }

  @Test func `a cell is what the terminal says, else what the kernel counts, else unknown`() {
    func cell(_ answers: String, _ pixels: PixelSize) -> PixelSize? {
      var replies = TerminalReplies()
      replies.read(Array(answers.utf8))
      return TerminalProfile(
        columns: 80, rows: 24, pixels: pixels, replies: replies, environment: [:]
      ).cell
    }
    let (none, some) = (PixelSize(width: 0, height: 0), PixelSize(width: 640, height: 384))

    #expect(cell("\u{1B}[6;18;9t", some) == PixelSize(width: 9, height: 18))
    #expect(cell("", some) == PixelSize(width: 8, height: 16))
    #expect(cell("", none) == nil)
    #expect(cell("", PixelSize(width: 80, height: 24)) == nil)
  }

  @Test(arguments: [
    (["TERM": "xterm-256color"], ColorDepth.indexed), (["TERM": "linux"], .indexed),
    (["TERM": "xterm-256color", "COLORTERM": "truecolor"], .full),
    (["TERM": "xterm", "COLORTERM": "24bit"], .full), (["TERM": "xterm-direct"], .full),
    (["TERM": "foot"], .full), (["TERM": "dumb", "COLORTERM": "truecolor"], .none), ([:], .none),
    (["TERM": "vt100"], .none), (["TERM": "xterm-kitty", "NO_COLOR": "1"], .none),
    (["TERM": "xterm-kitty", "NO_COLOR": ""], .full),
  ])
  func `colours are those that the variables promise`(
    environment: [String: String], depth: ColorDepth
  ) {
    #expect(ColorDepth(environment: environment) == depth)
    #expect(ColorDepth(environment: environment, isColorless: true) == .none)
  }

  @Test func `an indexed colour is the nearest one`() {
    func rgb(_ index: Int) -> [Int] {
      if index >= 232 { return Array(repeating: 8 + 10 * (index - 232), count: 3) }
      let number = index - 16
      return [number / 36, number / 6 % 6, number % 6].map { $0 == 0 ? 0 : 55 + 40 * $0 }
    }
    func distance(_ index: Int, _ color: [Int]) -> Int {
      zip(rgb(index), color).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
    }

    for red in stride(from: 0, through: 255, by: 36) {
      for green in stride(from: 0, through: 255, by: 36) {
        for blue in stride(from: 0, through: 255, by: 36) {
          let color = PixelColor(red: UInt8(red), green: UInt8(green), blue: UInt8(blue))
          let best = (16...255).map { distance($0, [red, green, blue]) }.min() ?? 0
          let chosen = Int(ColorDepth.index(of: color))
          #expect(chosen >= 16)
          // The grey is that of the mean, which may be one step beside the nearest.
          #expect(distance(chosen, [red, green, blue]) <= best + 3 * 11 * 11)
        }
      }
    }
    #expect(ColorDepth.index(of: .black) == 16)
    #expect(ColorDepth.index(of: .white) == 231)
  }
}
