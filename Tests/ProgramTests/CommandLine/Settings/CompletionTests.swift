import ArgumentParser
import Foundation
import ImageModel
import Testing

@testable import imgcache
@testable import TestSupport

@Suite(.timeLimit(.minutes(5))) struct `Completion` {
  @Test func `a list goes on with the names that it does not have`() {
    let names = ["lru", "sieve", "slru"]

    #expect(CompletionKind.candidates(for: "s", among: names) == ["sieve", "slru"])
    #expect(CompletionKind.candidates(for: "lru,", among: names) == ["lru,sieve", "lru,slru"])
    #expect(CompletionKind.candidates(for: "lru,sl", among: names) == ["lru,slru"])
  }

  @Test func `a day is a word, a day of the cache, or a range of those`() {
    let days = ["20260102", "20260101", "20251231"]

    #expect(KeptDays.candidates(for: "", among: days) == ValueSyntax.relativeDays + days)
    #expect(KeptDays.candidates(for: "2026", among: days) == ["20260102", "20260101"])
    #expect(
      KeptDays.candidates(for: "20260101...", among: days)
        == ["20260101...20260102", "20260101...20260101"])
  }

  @Test(
    .needsProgram,
    arguments: [CompletingShell.bash, .zsh, .fish].filter { $0.path != nil })
  func `a shell offers commands, options, days, values, lists, files and folders`(
    shell: CompletingShell
  ) async throws {
    let scratch = try Scratch()
    var program = Tool.imgcache
    program.environment["IMGCACHE_DIR"] = scratch / "cache"
    _ = try await program.run(["prefetch", "--sample", "-q"])
    let days = try await program.run(["ls", "-j"]).objects().compactMap { $0["days"] as? [String] }
    let day = try #require(days.first?.first)
    let script = try scratch.write(
      try await program.run(["--generate-completion-script", shell.rawValue]).output, to: "script")
    try scratch.write([], to: "out-folder/file")
    try scratch.write([], to: "photo.png")

    for command in ["rm --day ", "prefetch "] {
      var offers = ""
      // On a busy machine the cache takes longer than the program waits for it; a later Tab has its days.
      for _ in 0..<5 where !offers.contains(day) {
        offers = try await shell.offers(for: "imgcache " + command, script: script, in: scratch)
      }
      #expect(offers.contains("latest") && offers.contains(day), "\(command): \(offers)")
    }
    let expected = [
      ("thumb --fit ", "inside"), ("simulate --policy lru,s", "lru,slru"),
      ("prefetch --export out", "out-folder"), ("info pho", "photo.png"), ("tier ", "check"),
      ("thumb --no-c", "--no-color"),
    ]
    for (command, offer) in expected {
      let offers = try await shell.offers(for: "imgcache " + command, script: script, in: scratch)
      #expect(offers.contains(offer), "\(command): \(offers)")
    }
    let others = try await shell.offers(for: "imgcache rm --off", script: script, in: scratch)
    #expect(!others.contains("--offline"), "\(others)")
  }

  @Test(.needsProgram)
  func `completion leaves an absent cache absent and a damaged one alone`() async throws {
    let scratch = try Scratch()
    let call = ["---completion", "rm", "--", "--day", "3", "0", "imgcache", "rm", "--day", ""]
    var program = Tool.imgcache
    program.environment = ["IMGCACHE_DIR": scratch / "cache", "SAP_SHELL": "bash"]

    let absent = try await program.run(call)

    #expect(absent.output == "latest\ntoday\nyesterday\n" && absent.errors.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: scratch / "cache"))
    program.environment["IMGCACHE_DIR"] = scratch / "input"
    let damaged = try await program.run(call)
    #expect(damaged.output == "latest\ntoday\nyesterday\n" && damaged.errors.isEmpty)
  }
}
