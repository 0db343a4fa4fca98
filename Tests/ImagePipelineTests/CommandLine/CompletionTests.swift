import Foundation
import ImageModel
import Testing

@testable import imgcache

@Suite(.timeLimit(.minutes(5))) struct `Completion` {
  @Test func `a list goes on with the names that it does not have`() {
    let names = ["lru", "sieve", "slru"]

    #expect(ListedNames.candidates(for: "s", among: names) == ["sieve", "slru"])
    #expect(ListedNames.candidates(for: "lru,", among: names) == ["lru,sieve", "lru,slru"])
    #expect(ListedNames.candidates(for: "lru,sl", among: names) == ["lru,slru"])
  }

  @Test func `a day is a word, a day of the cache, or a range of those`() {
    let days = ["20260102", "20260101", "20251231"]

    #expect(KeptDays.candidates(for: "", among: days) == ValueSyntax.relativeDays + days)
    #expect(KeptDays.candidates(for: "2026", among: days) == ["20260102", "20260101"])
    #expect(
      KeptDays.candidates(for: "20260101...", among: days)
        == ["20260101...20260102", "20260101...20260101"])
  }

  @Test func `a call of fish without a cursor gets one at the end of the word`() {
    let call = ["---completion", "rm", "--", "--day", "3", "imgcache", "rm", "--day"]

    let repaired = CompletionCall.repaired(call + ["20"])

    #expect(repaired[5] == "2" && repaired.count == call.count + 2)
    #expect(CompletionCall.repaired(call + ["''"])[5] == "0")
    #expect(CompletionCall.repaired(["ls", "--", "a"]) == ["ls", "--", "a"])
  }

  // MARK: In shells

  enum Shell: String, CaseIterable {
    case bash, fish

    static func path(_ name: String) -> String? {
      ["/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"].map { $0 + name }
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    }
    static var available: [Shell] { allCases.filter { path($0.rawValue) != nil } }

    /// Prints what it offers for the text `$2`, with the completion script `$1`.
    var program: String {
      switch self {
      case .bash:
        """
        source "$1"
        read -ra COMP_WORDS <<< "$2"
        [[ $2 == *' ' ]] && COMP_WORDS+=('')
        COMP_LINE=$2 COMP_POINT=${#2} COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _imgcache imgcache "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
        printf '%s\\n' "${COMPREPLY[@]}"
        """
      case .fish:
        """
        source $argv[1]
        complete -C $argv[2]
        """
      }
    }

    func offers(for text: String, script: String, in scratch: Scratch) async throws -> String {
      var tool = Tool(path: try #require(Self.path(rawValue)))
      tool.environment = [
        "IMGCACHE_DIR": scratch / "cache", "HOME": scratch.path, "TERM": "xterm",
        "PATH": Tool.buildFolder + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? ""),
      ]
      let file = scratch / "complete.\(rawValue)"
      try Data(program.utf8).write(to: URL(fileURLWithPath: file))
      let options: [String] =
        switch self {
        case .bash: ["--norc", file]
        case .fish: ["--no-config", "-i", file]
        }
      return try await tool.run(options + [script, text], in: scratch.path).output
    }
  }

  @Test(.enabled(if: Tool.isBuilt), arguments: Shell.available)
  func `a shell offers days, values, lists, folders and commands`(shell: Shell) async throws {
    let scratch = try Scratch()
    var program = Tool.imgcache
    program.environment["IMGCACHE_DIR"] = scratch / "cache"
    _ = try await program.run(["prefetch", "--sample", "-q"])
    let days = try await program.run(["ls", "-j"]).objects().compactMap { $0["days"] as? [String] }
    let day = try #require(days.first?.first)
    let script = scratch / "script"
    let text = try await program.run(["--generate-completion-script", shell.rawValue]).output
    try Data(text.utf8).write(to: URL(fileURLWithPath: script))
    try FileManager.default.createDirectory(
      atPath: scratch / "out-folder", withIntermediateDirectories: true)

    for command in ["rm --day ", "pin ", "sheet ", "prefetch ", "refresh ", "ls --day "] {
      let offers = try await shell.offers(for: "imgcache " + command, script: script, in: scratch)
      #expect(offers.contains("latest") && offers.contains(day), "\(command): \(offers)")
    }
    let expected = [
      "thumb --fit ": "inside", "simulate --policy lru,s": "lru,slru-disk",
      "prefetch --export out": "out-folder", "pref": "prefetch",
    ]
    for (command, offer) in expected {
      let offers = try await shell.offers(for: "imgcache " + command, script: script, in: scratch)
      #expect(offers.contains(offer), "\(command): \(offers)")
    }
  }

  @Test(.enabled(if: Tool.isBuilt))
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
