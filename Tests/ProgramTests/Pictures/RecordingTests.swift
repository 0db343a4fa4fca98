import Foundation
import Testing

@testable import TestSupport

/// Makes README's recording of the product at work: `scripts/recording FILE`.
///
/// Everything in it is the program's own output: the terminal is a pseudo-terminal whose screen the
/// browser draws, the reader is served by `imgcache serve`.
@Suite(
  .serialized, .timeLimit(.minutes(10)),
  .enabled(
    if: ProcessInfo.processInfo.environment["IMGCACHE_RECORDING"] != nil,
    "only for scripts/recording"))
struct `Recording` {
  private static let columns = 92
  private static let rows = 26

  @Test func `of the product at work`() async throws {
    let path = ProcessInfo.processInfo.environment["IMGCACHE_RECORDING"] ?? ""
    let scratch = try Scratch()
    let picture = try await TerminalPicture(TerminalScreen(columns: Self.columns, rows: Self.rows))
    var film = Film()
    var scene = TerminalScene(
      columns: Self.columns, rows: Self.rows,
      environment: ["IMGCACHE_DIR": scratch / "cache"])
    func run(_ arguments: [String], pause: Duration = .seconds(2)) async throws {
      try await scene.run(arguments, in: scratch.path) { screen, time in
        try await film.add(picture.image(of: screen), for: time)
      }
      try await film.add(picture.image(of: scene.screen), for: pause)
    }
    let days = ["--sample", "--days", "7"]

    try await run(["prefetch"] + days + ["--bodies", "--limit-rate", "500k"])
    try await run(["ls", "--long", "--day", "latest"])
    try await run(["sheet", "latest", "-o", "day.png"], pause: .milliseconds(500))
    try await film.add(picture.image(of: scratch / "day.png"), for: .seconds(3))
    try await run(["show", "day.png"])
    try await film.add(reader(cache: scratch / "cache"))
    try await run(
      [
        "simulate", "--generate", "days", "--policy", "lru,sieve,gdsf-tb,lhd-tb,pfoo-l",
        "--capacity", "0.1%,1%,10%", "--plot", "hits.png",
      ], pause: .seconds(1))
    try await film.add(picture.image(of: scratch / "hits.png"), for: .seconds(3))
    try await picture.close()

    try film.write(to: path)
    let size = try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    #expect(size < 1_000_000)
  }

  /// The reader, served from the cache that the recording filled.
  private func reader(cache: String) async throws -> [(Data, Duration)] {
    let scratch = try Scratch()
    let child = try Tool.imgcache.start(
      ["serve", "--listen", "127.0.0.1:0", "--json", "--sample", "--cache-dir", cache],
      writingTo: scratch)
    defer { child.stop() }
    let port = try await child.listening(from: scratch).port
    let page = try await BrowserPage(
      features: ["prefers-reduced-motion": "reduce"], language: "en", density: 1,
      size: (Self.columns * 10 + 24, Self.rows * 20 + 24), isMobile: false)
    var pictures: [(Data, Duration)] = []
    try await page.go(to: "http://127.0.0.1:\(port)/")
    try await page.wait(
      until:
        "document.documentElement.classList.contains('ready') && [...document.querySelectorAll('.slide img, .row img')].slice(0, 6).every((image) => image.complete)"
    )
    for tab in ["today", "past", "statistics"] {
      try await page.value("document.querySelector('#tab-\(tab)').click()")
      try await page.wait(
        until:
          "document.querySelector('#page-\(tab) :is(.past-day, .row, dl)') && document.querySelector('#tab-\(tab)').getAttribute('aria-selected') === 'true'"
      )
      try await page.showFrame()
      pictures.append((try await page.screenshot(), .milliseconds(2200)))
    }
    try await page.close()
    return pictures
  }
}
