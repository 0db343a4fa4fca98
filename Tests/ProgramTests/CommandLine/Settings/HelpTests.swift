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

  @Test(.isLong, arguments: paths)
  func `full help has every option once, explained by a sentence, and no default twice`(
    path: [String]
  ) throws {
    let command = ImgCache.command(at: path)
    let text = ImgCache.helpMessage(for: command)
    let labels = text.split(separator: "\n").compactMap { line in
      line.prefixMatch(of: #/  (?:-., )?(--[a-z0-9-]+)/#).map { String($0.1) }
    }

    for argument in try Settings.Command(describing: command).arguments ?? [] {
      let (name, abstract) = (argument.longName ?? "", argument.abstract ?? "")
      #expect(abstract.hasSuffix("."), "\(name): \(abstract)")
      #expect(name.isEmpty || labels.filter { $0 == "--\(name)" }.count == 1, "--\(name)")
    }
    #expect(!text.contains(#/\(default: [^)]*\)\W*\s*\(default: /#))
  }

  @Test(.needsProgram) func `help of a command is its full help`() async throws {
    let help = try await Tool.imgcache.run(["help", "tier", "check"])
    let full = try await Tool.imgcache.run(["tier", "check", "--help"])

    #expect(help.output == full.output && help.status == 0)
    #expect(full.output.contains("\nCOMMON:\n"))
  }

  @Test(.needsProgram) func `without a command the short help names all`() async throws {
    let none = try await Tool.imgcache.run([])
    let short = try await Tool.imgcache.run(["-h"])

    #expect(none.output == short.output && none.status == 0)
    #expect(ImgCache.commandNames().allSatisfy(short.output.contains))
  }

  /// A command line, the way out, and the command whose help is named.
  private static let misuses = """
    prefech -> did you mean "prefetch"? -> imgcache
    delete -> did you mean "rm"? -> imgcache
    List -> did you mean "ls"? -> imgcache
    clear -> did you mean "rm"? -> imgcache
    version -> did you mean "--version"? -> imgcache
    tier chek -> did you mean "check"? -> imgcache tier
    ls --jsn -> did you mean "--json"? -> imgcache ls
    gc --eviction lhd-tc -> Did you mean 'lhd-tb'? -> imgcache gc
    refresh --offline -> Unknown option -> imgcache refresh
    help prefech -> did you mean "prefetch"? -> imgcache
    help tier bogus -> Unknown command "bogus" -> imgcache
    config serve --memory -> Missing value for '--memory -> imgcache config
    ls --day 20200101...20200102 -> is a range; write one day -> imgcache ls
    """.split(separator: "\n").map { $0.split(separator: " -> ").map(String.init) }

  @Test(.needsProgram, arguments: misuses)
  func `misuse is one line with a hint`(row: [String]) async throws {
    let outcome = try await Tool.imgcache.run(row[0].split(separator: " ").map(String.init))

    #expect(outcome.status == 64)
    let lines = outcome.errors.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines[0].hasPrefix("error: ") && lines[0].contains(row[1]), "\(lines)")
    #expect(lines[1] == "hint: '\(row[2]) -h' shows its options")
  }

  @Test(.needsProgram) func `the version has the formats, as an object with --json`() async throws {
    let text = try await Tool.imgcache.run(["--version"], in: NSTemporaryDirectory())
    let short = try await Tool.imgcache.run(["ls", "-V"])
    let objects = try await Tool.imgcache.run(["ls", "-j", "-V"]).objects()

    let lines = text.output.split(separator: "\n")
    #expect(lines.first?.wholeMatch(of: /\d+\.\d+\.\d+/) != nil)
    #expect(lines.contains { $0.hasPrefix("reads: JPEG, PNG, GIF, WebP") })
    #expect(lines.contains { $0.hasPrefix("writes: JPEG, PNG, GIF, WebP") })
    #expect(short.output == text.output && short.status == 0)
    let object = try #require(objects.first)
    #expect(objects.count == 1 && object["version"] as? String == Version.text)
    #expect((object["reads"] as? [String])?.contains("jpeg") == true)
    #expect((object["writes"] as? [String])?.contains("webp") == true)
  }
}
