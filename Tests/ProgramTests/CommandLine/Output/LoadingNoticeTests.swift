import Testing
import ThumbnailServer

@testable import imgcache
@testable import TestSupport

@Suite struct `The notice in a terminal` {
  private func screen(
    _ notice: LoadingNotice, after elapsed: Duration = .zero, progress: Double = 0,
    words: [String] = [], columns: Int = 80
  ) -> TerminalScreen {
    var screen = TerminalScreen(columns: columns, rows: LoadingNotice.rows)
    let lines = notice.lines(
      after: elapsed, progress: progress, words: words, columns: columns)
    screen.show(Array(lines.joined(separator: "\r\n").utf8))
    return screen
  }

  /// The pixels of the moving picture, or of the ring.
  private func pixels(_ screen: TerminalScreen, _ columns: Range<Int>) -> [Int?] {
    (0..<LoadingNotice.rows).flatMap { row in
      columns.flatMap { screen.pixels(column: $0, row: row) }
    }
  }

  @Test func `the picture has its own timing and begins again`() throws {
    let notice = try LoadingNotice(depth: .full, word: "Loading...")
    let play = LoadingAnimation.delay * LoadingAnimation.frameCount
    func picture(_ elapsed: Duration) -> [Int?] { pixels(screen(notice, after: elapsed), 0..<13) }

    for frame in 0..<LoadingAnimation.frameCount {
      let start = LoadingAnimation.delay * frame
      #expect(picture(start) == picture(start + LoadingAnimation.delay - .milliseconds(1)))
      #expect(picture(start) != picture(start + LoadingAnimation.delay))
      #expect(picture(start) == picture(start + play))
    }
  }

  @Test func `the ring closes as images are done`() throws {
    let notice = try LoadingNotice(depth: .full, word: "Loading...")

    let white = (0...10).map { step in
      pixels(screen(notice, progress: Double(step) / 10), 14..<26).count { ($0 ?? 0) & 255 > 160 }
    }

    #expect(white[0] == 0 && white == white.sorted() && white[10] > 20)
    let colorless = try LoadingNotice(depth: .none, word: "Loading...")
      .lines(after: .zero, progress: 0.5, words: [], columns: 80)
    #expect(colorless.count == LoadingNotice.rows && !colorless.joined().contains("\u{1B}"))
  }

  @Test func `words stand beside it, never beyond the edge, and cannot steer`() throws {
    let notice = try LoadingNotice(depth: .full, word: "加载中...")
    let words = [
      "5/11 images", String(repeating: "加", count: 100), "a\u{1B}[2Jb", "fifth", "sixth",
    ]

    for columns in [60, 61, 80, 200] {
      let screen = screen(notice, progress: 0.456, words: words, columns: columns)
      #expect(screen.row == LoadingNotice.rows - 1 && screen.scrolledCount == 0)
      #expect(screen.text(1).contains("加载中... 45 %") && screen.text(2).contains("5/11 images"))
      #expect(screen.text(4).contains("a\\u{1b}[2Jb") && screen.unknown == [])
      #expect(!screen.texts.contains { $0.contains("fifth") })
    }
  }

  @Test(arguments: [
    (["LANG": "zh_CN.UTF-8"], true), (["LANG": "C"], false), ([:], false),
    (["LC_ALL": "en_GB", "LANG": "zh_TW"], false), (["LC_ALL": "", "LANG": "zh_TW"], true),
    (["LC_MESSAGES": "zh", "LANG": "de_DE"], true),
  ])
  func `its language is that of the environment`(environment: [String: String], isChinese: Bool) {
    #expect(LoadingNotice.word(environment) == (isChinese ? "加载中..." : "Loading..."))
  }
}
