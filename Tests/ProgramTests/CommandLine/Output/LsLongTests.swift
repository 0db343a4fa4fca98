import DiskCaching
import Foundation
import ImageModel
import TerminalGraphics
import Testing

@testable import imgcache
@testable import TestSupport

@Suite struct `Ls with columns` {
  private let now = Date(timeIntervalSince1970: 1_800_000_000)

  private func record(_ url: String, age: Double) -> CacheRecord {
    var record = CacheRecord(key: .original(url: url), at: now.addingTimeInterval(-age))
    record.format = .jpeg
    record.size = PixelSize(width: 640, height: 480)
    return record
  }

  private func line(
    _ url: String, age: Double = 5, days: [String] = [], columns: Int? = nil
  ) -> String {
    LongListing(columns: columns, now: now).line(record(url, age: age), url: url, days: days)
  }

  @Test func `columns are below their names`() {
    let url = "https://example.org/a.jpg"
    let header = LongListing(now: now).header

    #expect(header == "    SIZE     PIXELS  TYPE      AGE  DAY          URL")
    #expect(
      line(url, days: ["20200615", "20200616"])
        == "     0 B    640x480  jpeg      5 s  20200616 +1  " + url)
    #expect(line(url) == "     0 B    640x480  jpeg      5 s  -            " + url)
  }

  @Test(arguments: [
    (-60.0, " 0 s "), (59.9, " 59 s "), (60, " 1 min "), (7_300, " 2 h "), (8.64e6, " 100 d "),
    (1e300, " d "),
  ])
  func `an age has its largest unit`(age: Double, text: String) {
    #expect(line("a", age: min(age, 1e12)).contains(text))
  }

  @Test(arguments: [1, 8, 20, 40, 60, 80, 120])
  func `no line wraps on a terminal, where a URL shows its beginning and its end`(columns: Int) {
    let url = "https://example.org/" + String(repeating: "知\u{1B}\n", count: 5_000) + ".jpg"
    let header = LongListing(columns: columns, now: now).header.split(separator: "\n")
    let lines = line(url, columns: columns).split(separator: "\n")

    #expect(lines.count == (columns < 79 ? 2 : 1) && header.count == lines.count)
    for line in header + lines {
      #expect(TextColumns.count(line) <= columns && !line.contains("\u{1B}"))
    }
    #expect(lines.last?.contains("…") == true)
    if columns >= 40 {
      #expect(lines.last?.contains("  https://ex") == true && lines.last?.hasSuffix(".jpg") == true)
    }
  }

  @Test(arguments: [
    (40, "     0 B    640x480  jpeg   20200616 +1"),
    (60, "     0 B    640x480  jpeg      5 s  20200616 +1"),
  ])
  func `a narrow terminal has the URL below the columns it has room for`(
    columns: Int, facts: String
  ) {
    let url = "https://example.org/a.jpg"

    #expect(
      line(url, days: ["20200615", "20200616"], columns: columns) == facts + "\n  " + url)
    #expect(LongListing(columns: columns, isColored: true).header.contains("m  URL\u{1B}["))
  }
}

@Suite(.needsProgram, .timeLimit(.minutes(15)))
struct `Ls on a terminal` {
  @Test func `long lines fit, and only the header is coloured`() async throws {
    let origin = try ListOrigin(count: 2)
    let cache = try Scratch()
    for url in origin.urls { _ = try await Tool.run(["show", url], cache: cache) }

    for (options, escapes) in [([], 4), (["--no-color"], 0)] {
      let terminal = try PseudoTerminal(columns: 64, rows: 10)
      let child = try terminal.start(
        .imgcache, ["ls", "--long", "--cache-dir", cache / "cache"] + options)
      #expect(try await child.end() == 0)

      let output = terminal.end()
      var screen = TerminalScreen(columns: 64, rows: 10)
      screen.show(output)
      #expect(screen.row == 6 && screen.scrolledCount == 0 && screen.unknown == [])
      #expect(screen.text(0).contains("SIZE") && screen.text(1) == "  URL")
      #expect(screen.text(2).contains("png") && screen.text(3).hasSuffix(".png"))
      #expect(output.count { $0 == 0x1B } == escapes)
    }
    let piped = try await Tool.run(["ls", "--long"], cache: cache)
    #expect(origin.urls.allSatisfy { piped.output.contains($0 + "\n") })
    #expect(!piped.output.contains("\u{1B}"))
  }
}
