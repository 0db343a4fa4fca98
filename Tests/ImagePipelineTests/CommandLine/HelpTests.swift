import ArgumentParser
import Foundation
import Testing

@testable import imgcache

@Suite struct `Help` {
  /// The paths of all commands: `["prefetch"]`, `["tier", "check"]`.
  static let paths: [[String]] = {
    func below(_ path: [String]) -> [[String]] {
      let names = ImgCache.commandNames(at: path).filter { $0 != "help" }
      return names.flatMap { name in [path + [name]] + below(path + [name]) }
    }
    return [[]] + below([])
  }()

  private func command(_ path: [String]) throws -> Settings.Command {
    try Settings.Command(describing: ImgCache.command(at: path))
  }

  private func page(_ path: [String], columns: Int = 80, isStyled: Bool = false) throws -> HelpPage
  {
    HelpPage(try command(path), path: path, columns: columns, isStyled: isStyled)
  }

  @Test(arguments: paths)
  func `short help fits a screen and begins with the usage`(path: [String]) throws {
    let lines = try page(path).brief().split(separator: "\n", omittingEmptySubsequences: false)

    #expect(lines.count < 24)
    #expect(lines.allSatisfy { $0.count <= 80 })
    #expect(lines[0].hasPrefix("Usage: \((["imgcache"] + path).joined(separator: " "))"))
    let hasCommands = !ImgCache.commandNames(at: path).isEmpty
    #expect(lines[0].contains("<command> [<options>]") == hasCommands)
  }

  @Test(arguments: paths, [40, 80, 100])
  func `no line is wider than the terminal`(path: [String], columns: Int) throws {
    let lines = try page(path, columns: columns).full().split(separator: "\n")

    // The name of an option and of its value stay on one line, and so does a word of an example.
    let long = lines.filter { line in
      line.count > columns && !line.hasPrefix("      --")
        && line.dropLast(2).split(separator: " ").allSatisfy { $0.count < columns - 16 }
    }
    #expect(long == [])
  }

  @Test(arguments: paths)
  func `full help has every option once and no default twice`(path: [String]) throws {
    let text = try page(path).full()
    // Lines of examples and of the description may begin with options, too.
    var isProse = false
    let labels = text.split(separator: "\n").filter { line in
      if !line.hasPrefix(" ") {
        isProse = ["NAME", "USAGE", "EXAMPLES", "DESCRIPTION"].contains(String(line))
      }
      return !isProse && (line.hasPrefix("  -") || line.hasPrefix("      --"))
    }.flatMap { $0.matches(of: /(?:^| )(--[a-z0-9-]+)(?= |,|$)/).prefix(1).map { String($0.1) } }

    for argument in try command(path).arguments ?? [] where argument.shouldDisplay {
      guard let name = argument.longName else { continue }
      #expect(labels.filter { $0 == "--\(name)" }.count == 1, "--\(name)")
    }
    #expect(!text.contains(#/\(default: [^)]*\)\W*\s*\(default: /#))
  }

  @Test(arguments: paths)
  func `every option is explained by sentences`(path: [String]) throws {
    for argument in try command(path).arguments ?? [] where argument.shouldDisplay {
      let text = argument.explanation(in: path.last ?? "imgcache")
      #expect(
        text.hasSuffix(".") && !text.replacing("...", with: "").contains(".."),
        "\(argument.longName ?? ""): \(text)")
    }
  }

  @Test(arguments: paths)
  func `own options come before those that commands share`(path: [String]) throws {
    let headings = try page(path).full().split(separator: "\n")
      .filter { !$0.hasPrefix(" ") && $0 == $0.uppercased() }.map(String.init)
    let shared = ["WHERE FROM", "LIMITS", "NETWORK", "SEVERAL SERVERS", "CACHE", "COMMON"]
    let found = headings.filter(shared.contains)

    #expect(found == shared.filter(found.contains))
    let rest = headings.drop { !shared.contains($0) }.filter { !shared.contains($0) }
    #expect(rest.allSatisfy { $0 == "EXIT STATUS" })
  }

  @Test func `headings are bold only where they are asked to be`() throws {
    #expect(try page(["ls"], isStyled: true).full().contains("\u{1B}[1mUSAGE\u{1B}[0m"))
    #expect(!(try page(["ls"]).full().contains("\u{1B}")))
  }

  @Test func `a command has the default of its own`() throws {
    #expect(try page(["serve"], columns: 100).full().contains("of a transfer (default: 1)."))
    #expect(try page(["get"], columns: 100).full().contains("of a transfer (default: 3)."))
  }

  @Test func `an admin key file is described by what its command does`() throws {
    #expect(try page(["serve"]).full().contains("/status. They send"))
    #expect(!(try page(["proxy"]).full().contains("/status")))
  }

  @Test func `a word that is too long is broken after a separator`() {
    #expect(
      HelpText.wrapped("at redis://10.0.0.1:6379,10.0.0.2:6379 there", columns: 30)
        == ["at", "redis://10.0.0.1:6379,", "10.0.0.2:6379 there"])
    #expect(HelpText.wrapped("abcdefghijklm", columns: 10) == ["abcdefghij", "klm"])
  }

  @Test func `an example is broken between words, and no option from its value`() {
    let examples = HelpExamples("imgcache x --list 'a=b&c=d' --all 'https://example.org/a.jpg'")

    #expect(
      examples.lines(columns: 26)
        == [
          "imgcache x \\", "    --list 'a=b&c=d' \\",
          "    --all 'https://example.org/a.jpg'",
        ])
  }

  @Test func `an example that is too long goes on after a backslash`() {
    let examples = HelpExamples("imgcache get URL -o file   note\nimgcache x\n\nThe rest\nof it.")

    #expect(examples.lines(columns: 60) == ["imgcache get URL -o file   note", "imgcache x"])
    #expect(
      examples.lines(columns: 22, limit: 1)
        == ["imgcache get URL \\", "    -o file", "    # note"])
    #expect(examples.rest == ["The rest of it."])
  }

  @Test func `a command line asks for short or full help of the command it names`() throws {
    func request(_ words: String...) throws -> HelpRequest? {
      HelpRequest(words, parsedAs: try ImgCache.parseAsRoot(words))
    }

    #expect(try request("thumb", "-h")?.isBrief == true)
    #expect(try request("thumb", "--help")?.isBrief == false)
    #expect(try request("help", "tier", "check")?.path == ["tier", "check"])
    #expect(try request("help", "tier", "check")?.isBrief == false)
    #expect(try request("ls", "-q") == nil)
  }

  @Test(arguments: [
    (
      "The value 'covr' is invalid for '--fit <fit>'. Please provide one of 'cover' or 'fill'.",
      " Did you mean 'cover'?"
    ),
    (
      "The value 'lastest' is invalid for '--day <day>': it is not a day",
      "; did you mean 'latest'?"
    ),
    ("The value 'qqqqqqqq' is invalid for '--day <day>': it is not a day", ""),
    ("Missing value for '--fit <fit>'", ""),
  ])
  func `a misspelt value is corrected`(message: String, suggestion: String) {
    #expect(ValueSyntax.suggestion(for: message) == suggestion)
  }

  @Test(
    .needsProgram,
    arguments: [
      (["prefech"], "did you mean \"prefetch\"?", "imgcache -h"),
      (["tier", "chek"], "did you mean \"check\"?", "imgcache tier -h"),
      (["ls", "--jsn"], "did you mean \"--json\"?", "imgcache ls -h"),
      (["thumb", "x", "--size", "9x9", "--fit", "covr"], "'contain', 'fill'", "imgcache thumb -h"),
      (["ls", "--durability", "lax"], "'relaxed' and 'strict'", "imgcache ls -h"),
      (["pin", "latest", "--verify-reads", "x"], "'sampled' and 'always'", "imgcache pin -h"),
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
