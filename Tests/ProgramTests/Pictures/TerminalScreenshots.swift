import Foundation
import Testing

@testable import TestSupport

/// Makes an image of what each command shows in a terminal of 60 and of 120 columns:
/// `scripts/screenshots DIR`.
@Suite(
  .serialized, .timeLimit(.minutes(10)),
  .enabled(
    if: ProcessInfo.processInfo.environment["IMGCACHE_SCREENSHOTS"] != nil,
    "only for scripts/screenshots"))
struct `Screenshots of the terminal` {
  private static let commands: [(name: String, arguments: [String])] = [
    ("help", ["-h"]), ("help-prefetch", ["prefetch", "-h"]), ("help-simulate", ["simulate", "-h"]),
    ("misspelt", ["prefech"]), ("unknown-option", ["thumb", "a.jpg", "--sise", "10x10"]),
    ("prefetch", ["prefetch", "--sample", "--days", "3", "--bodies", "--limit-rate", "400k"]),
    ("prefetch-again", ["prefetch", "--sample", "--days", "3"]),
    ("ls", ["ls", "--day", "latest"]), ("ls-long", ["ls", "--long", "--day", "latest"]),
    ("stats", ["stats"]), ("config", ["config"]),
    ("show", ["show", "day.png"]),
    (
      "simulate",
      [
        "simulate", "--generate", "days", "--policy", "lru,sieve,gdsf-tb,pfoo-l", "--capacity",
        "0.1%,1%,10%",
      ]
    ),
  ]

  @Test(arguments: [60, 120])
  func `of each command`(columns: Int) async throws {
    let folder = ProcessInfo.processInfo.environment["IMGCACHE_SCREENSHOTS"] ?? ""
    let scratch = try Scratch()
    let rows = 40
    let picture = try await TerminalPicture(TerminalScreen(columns: columns, rows: rows))
    let environment = ["IMGCACHE_DIR": scratch / "cache"]
    var tool = Tool.imgcache
    tool.environment = environment
    func save(_ screen: TerminalScreen, _ name: String) async throws {
      let path = "\(folder)/terminal-\(name)-\(columns).png"
      try await picture.image(of: screen).write(to: URL(fileURLWithPath: path))
    }
    for (name, arguments) in Self.commands {
      var scene = TerminalScene(columns: columns, rows: rows, environment: environment)
      var screens: [TerminalScreen] = []
      try await scene.run(arguments, in: scratch.path, status: nil) { screen, _ in
        screens.append(screen)
      }
      if name == "prefetch" { try await save(screens[screens.count * 2 / 3], "prefetching") }
      try await save(scene.screen, name)
      if name == "prefetch" {
        let sheet = ["sheet", "latest", "-o", "day.png", "--quiet"]
        #expect(try await tool.run(sheet, in: scratch.path).status == 0)
      }
    }
    try await picture.close()
  }
}
