import Foundation
import Testing
@testable import TestSupport

/// Compares the command lines of README and the guides with the parser of the program and with the
/// files of the project.
@Suite(.needsProgram) struct `Documentation commands` {
  private static let shells: Set = ["sh", "console", "bash", ""]

  @Test func `every command line of README and the guides names commands and options that exist`()
    async throws
  {
    let help = try await ProgramHelp.dump()
    var faults: [String] = []
    var count = 0
    for page in DocumentationPage.all {
      let blocks = page.blocks.filter { Self.shells.contains($0.language) }
        .flatMap { ShellLine.commands(in: $0.text) }
      let inline = page.inlineCode.filter { $0.hasPrefix("imgcache ") }
        .flatMap { ShellLine.commands(in: $0) }
      for words in blocks + inline where words[0].split(separator: "/").last == "imgcache" {
        count += 1
        if let fault = Self.fault(Array(words.dropFirst()), in: help.command) {
          faults.append("\(page.path): \(words.joined(separator: " ")): \(fault)")
        }
      }
    }

    #expect(count > 80)
    #expect(faults == [])
  }

  /// What is wrong with the words behind the program's name; `nil` for nothing, also where a
  /// placeholder stands for the command.
  private static func fault(_ words: [String], in parent: ProgramHelp.Command) -> String? {
    var (words, command) = (words, parent)
    while let name = words.first,
      let next = command.subcommands?.first(where: { $0.commandName == name })
    {
      words.removeFirst()
      command = next
    }
    // `config serve` takes the options of `serve`.
    if command.commandName == "config", let name = words.first {
      command = parent.subcommands?.first { $0.commandName == name } ?? command
    }
    if command.commandName == parent.commandName, let word = words.first,
      word.first?.isLowercase == true
    {
      return "no command \(word)"
    }
    for word in words.prefix(while: { $0 != "--" }) where word.hasPrefix("-") && word.count > 1 {
      let option = word.split(separator: "=")[0].trimmingCharacters(in: .punctuationCharacters)
      let name = (word.hasPrefix("--") ? "--" : "-") + option
      if !command.options.contains(name) { return "no option \(name)" }
    }
    return nil
  }

  @Test func `every script, make target and path of the project that is named exists`() throws {
    let root = SharedFixtures.packageRoot
    let makefile = try String(contentsOf: root.appending(path: "Makefile"), encoding: .utf8)
    let path =
      /^(?:\.\/|imgcache\/)?((?:Sources|Tests|Distribution|Examples|Benchmarks|Fuzz|scripts)\/[\w.\/+-]+|demo|test)$/
    var faults: [String] = []
    var count = 0
    func check(_ word: String, _ page: DocumentationPage) {
      guard let match = word.wholeMatch(of: path), !["demo", "test"].contains(word),
        // The program that Getting Started makes.
        !word.hasPrefix("Sources/gallery/")
      else { return }
      count += 1
      if !FileManager.default.fileExists(atPath: root.appending(path: String(match.1)).path) {
        faults.append("\(page.path) names \(word)")
      }
    }
    for page in DocumentationPage.all {
      for word in page.inlineCode { check(word, page) }
      for words in page.blocks.filter({ Self.shells.contains($0.language) })
        .flatMap({ ShellLine.commands(in: $0.text) })
      {
        for word in words { check(word, page) }
        guard words[0] == "make" else { continue }
        for target in words.dropFirst() where !target.contains("=") {
          if !makefile.contains("\n\(target):") { faults.append("\(page.path): make \(target)") }
        }
      }
    }

    #expect(count > 30)
    #expect(faults == [])
  }
}

/// As much of a shell's grammar as examples use.
private enum ShellLine {
  /// The simple commands of a script, each as its words, without variables and `sudo` in front.
  static func commands(in script: String) -> [[String]] {
    var commands: [[String]] = []
    for line in script.replacing("\\\n", with: " ").split(separator: "\n") {
      for words in words(of: line).split(whereSeparator: { separators.contains($0) }) {
        let command = words.drop { $0 == "sudo" || $0 == "$" || $0.contains(/^\w+=/) }
        if !command.isEmpty { commands.append(Array(command)) }
      }
    }
    return commands
  }

  private static let separators: Set = ["|", "||", "&&", "&", ";", "(", ")"]

  /// The words of a line up to a comment, with quotes removed.
  private static func words(of line: Substring) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    for character in line {
      if let open = quote {
        if character == open { quote = nil } else { word?.append(character) }
      } else if character == "'" || character == "\"" {
        quote = character
        word = word ?? ""
      } else if character == " " {
        if let ended = word { words.append(ended) }
        word = nil
      } else if character == "#", word == nil {
        break
      } else {
        word = (word ?? "") + String(character)
      }
    }
    if let word { words.append(word) }
    return words
  }
}
