import ArgumentParser
import Foundation
import Testing

@testable import imgcache
@testable import TestSupport

@Suite struct `Help` {
  /// The paths of all commands: `["prefetch"]`, `["tier", "check"]`.
  static let paths: [[String]] = {
    func below(_ path: [String]) -> [[String]] {
      let names = ImgCache.commandNames(at: path).filter { $0 != "help" }
      return names.flatMap { name in [path + [name]] + below(path + [name]) }
    }
    return [[]] + below([])
  }()

  @Test(.needsProgram, arguments: paths)
  func `short help fits a screen, and names the full one`(path: [String]) async throws {
    let outcome = try await Tool.imgcache.run(path + ["-h"])
    let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    let name = (["imgcache"] + path).joined(separator: " ")

    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    #expect(lines.count < 24 && lines.allSatisfy { $0.count <= 80 })
    #expect(outcome.output.contains("\nUSAGE: \(name)"))
    #expect(lines.last?.contains("'\(name) --help'") == true)
  }

  @Test(.needsProgram, arguments: paths)
  func `full help has every option once and no default twice`(path: [String]) async throws {
    let text = try await Tool.imgcache.run(path + ["--help"]).output
    let labels = text.split(separator: "\n").compactMap { line in
      line.prefixMatch(of: #/  (?:-., )?(--[a-z0-9-]+)/#).map { String($0.1) }
    }

    for name in try arguments(path).compactMap(\.longName) {
      #expect(labels.filter { $0 == "--\(name)" }.count == 1, "--\(name)")
    }
    #expect(!text.contains(#/\(default: [^)]*\)\W*\s*\(default: /#))
  }

  @Test(arguments: paths)
  func `every option is explained by a sentence`(path: [String]) throws {
    for argument in try arguments(path) {
      let text = argument.abstract ?? ""
      #expect(text.hasSuffix("."), "\(argument.longName ?? ""): \(text)")
    }
  }

  private func arguments(_ path: [String]) throws -> [Settings.Command.Argument] {
    try Settings.Command(describing: ImgCache.command(at: path)).arguments ?? []
  }

  @Test(.needsProgram, arguments: [["thumb"], ["tier", "check"]])
  func `help of a command is its full help`(path: [String]) async throws {
    let help = try await Tool.imgcache.run(["help"] + path)
    let full = try await Tool.imgcache.run(path + ["--help"])

    #expect(help.output == full.output && help.status == 0)
    #expect(full.output.contains("\nCOMMON:\n"))
  }

  @Test(.needsProgram) func `short help is printed without a command, with all of them`()
    async throws
  {
    let none = try await Tool.imgcache.run([])
    let short = try await Tool.imgcache.run(["-h"])

    #expect(none.output == short.output && none.status == 0)
    #expect(ImgCache.commandNames().allSatisfy(short.output.contains))
  }

  @Test(
    .needsProgram,
    arguments: [
      (["prefech"], "did you mean \"prefetch\"?", "imgcache -h"),
      (["delete"], "did you mean \"rm\"?", "imgcache -h"),
      (["List"], "did you mean \"ls\"?", "imgcache -h"),
      (["clear"], "did you mean \"rm\"?", "imgcache -h"),
      (["version"], "did you mean \"--version\"?", "imgcache -h"),
      (["tier", "chek"], "did you mean \"check\"?", "imgcache tier -h"),
      (["ls", "--jsn"], "did you mean \"--json\"?", "imgcache ls -h"),
      (["thumb", "x", "--size", "9x9", "--fit", "covr"], "'contain', 'fill'", "imgcache thumb -h"),
      (["ls", "--durability", "lax"], "'relaxed' and 'strict'", "imgcache ls -h"),
      (["pin", "latest", "--verify-reads", "x"], "'sampled' or 'always'", "imgcache pin -h"),
      (["verify", "--eviction", "lhd-tc"], "'lru', 'gdsf-tb'", "imgcache verify -h"),
      (["gc", "--eviction", "lhd-tc"], "Did you mean 'lhd-tb'?", "imgcache gc -h"),
      (["get", "http://example.org/", "--per-host", "2"], "Unknown option", "imgcache get -h"),
      (["refresh", "--offline"], "Unknown option", "imgcache refresh -h"),
      (["serve", "--revalidate"], "Unknown option", "imgcache serve -h"),
      (
        ["prefetch", "--export", "a.zip", "--export-links"], "cannot have hard links",
        "imgcache prefetch -h"
      ),
      (["prefetch", "lastest"], "did you mean 'latest'?", "imgcache prefetch -h"),
      (["prefetch", "--export-links"], "--export-links needs --export", "imgcache prefetch -h"),
      (
        ["prefetch", "--export-names", "{title}"], "--export-names needs --export",
        "imgcache prefetch -h"
      ),
      (["help", "prefech"], "did you mean \"prefetch\"?", "imgcache -h"),
      (["help", "tier", "bogus"], "Unknown command \"bogus\"", "imgcache -h"),
      (["config", "serve", "--memory", "foo"], "64MiB or 2GB", "imgcache config -h"),
      (["config", "serve", "--memory"], "Missing value for '--memory", "imgcache config -h"),
      (["config", "ls", "get"], "Unexpected argument 'get'", "imgcache config -h"),
      (["ls", "--day", "foo"], "YYYYMMDD, YYYY-MM-DD or YYYY/MM/DD", "imgcache ls -h"),
      (["ls", "--day", "20200101...20200102"], "is a range; write one day", "imgcache ls -h"),
      (["thumb", "x", "--size", "0x0"], "up to 65535: 200x200", "imgcache thumb -h"),
      (["thumb", "x", "--size", "9x9", "--quality", "0"], "from 1 to 100", "imgcache thumb -h"),
      (["thumb", "x", "--size", "9x9", "--focus", "2,2"], "from 0 to 1", "imgcache thumb -h"),
      (["get", "http://x.invalid/", "--proxy", "ftp://x"], "HOST:PORT", "imgcache get -h"),
    ])
  func `misuse is one line with a hint`(
    words: [String], reason: String, command: String
  ) async throws {
    let outcome = try await Tool.imgcache.run(words)

    #expect(outcome.status == 64)
    let lines = outcome.errors.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines[0].hasPrefix("error: ") && lines[0].contains(reason), "\(lines)")
    #expect(lines[1] == "hint: '\(command)' shows its options")
  }

  @Test(.needsProgram)
  func `-j is --json, -V is --version`() async throws {
    let failure = try await Tool.imgcache.run(["ls", "-qj", "--day", "no"])
    let (short, long) = (
      try await Tool.imgcache.run(["ls", "-V"]), try await Tool.imgcache.run(["--version"])
    )

    #expect(try failure.objects().first?["event"] as? String == "error")
    #expect(short.output == long.output && short.status == 0)
  }

  @Test(.needsProgram, arguments: [["--version", "--json"], ["ls", "-j", "-V"]])
  func `the version is an object with --json`(words: [String]) async throws {
    let outcome = try await Tool.imgcache.run(words)

    #expect(outcome.status == 0)
    let objects = try outcome.objects()
    let object = try #require(objects.first)
    #expect(objects.count == 1 && object["version"] as? String == Version.text)
    #expect((object["reads"] as? [String])?.contains("jpeg") == true)
    #expect((object["writes"] as? [String])?.contains("webp") == true)
  }
}
