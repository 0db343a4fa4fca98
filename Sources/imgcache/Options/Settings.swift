import ArgumentParser
import FoundationEssentials
import ImagePipeline
import Yams

/// Options from variables and from `--config`, put into the command line before it is parsed.
///
/// Every long option of the chosen sub-command can be set as `IMGCACHE_LONG_NAME` or as `long-name` in the
/// file, at its top level or in a section named after the sub-command. A value on the command line goes before
/// a variable, a variable before the file, the section before the top level. Options that repeat are a list in the
/// file and lines in a variable; an option that has no value in the file is not set.
struct Settings {
  /// The long options of one sub-command.
  struct Command: Decodable {
    struct Name: Decodable {
      var kind: String
      var name: String
    }
    struct Argument: Decodable {
      var kind: String
      var names: [Name]?
      var isRepeating: Bool
    }
    var commandName: String
    var subcommands: [Command]?
    var arguments: [Argument]?
  }

  private struct Tool: Decodable { var command: Command }

  private let tool: Command

  /// - Parameter description: The tool's own account of its options: `ParsableArguments._dumpHelp()`.
  init(describedBy description: String) throws {
    tool = try JSONDecoder().decode(Tool.self, from: Data(description.utf8)).command
  }

  /// Whether anything outside the command line could change it; parsing the options' account costs
  /// milliseconds, so the usual call is spared them.
  static func mayApply(to arguments: [String], environment: [String: String]) -> Bool {
    arguments.contains { $0 == "--config" || $0.hasPrefix("--config=") }
      || environment.keys.contains { $0.hasPrefix("IMGCACHE_") && $0 != "IMGCACHE_DIR" }
  }

  /// The command line with all that applies put behind the name of the sub-command.
  func expand(_ arguments: [String], environment: [String: String]) throws -> [String] {
    guard let command = tool.subcommands?.first(where: { $0.commandName == arguments.first })
    else { return arguments }
    let given = Array(arguments.prefix { $0 != "--" })
    let file = try fileName(in: given, environment: environment).map(SettingsFile.init(path:))
    try file?.check(names: Set(allLongNames), sections: tool.subcommands?.map(\.commandName) ?? [])

    var added: [String] = []
    for argument in command.arguments ?? [] where argument.kind != "positional" {
      let names = argument.names ?? []
      guard let long = names.first(where: { $0.kind == "long" })?.name, long != "config",
        long != "help", long != "version", !names.contains(where: { isGiven($0, in: given) })
      else { continue }
      let variable = "IMGCACHE_" + long.uppercased().replacing("-", with: "_")
      // An empty variable is none: as a value it would leave the option to take the next word.
      let set = environment[variable].flatMap { $0.isEmpty && argument.kind != "flag" ? nil : $0 }
      let values =
        try set.map { argument.isRepeating ? Self.lines(of: $0) : [$0] }
        ?? file?.values(of: long, for: command.commandName) ?? []
      guard argument.isRepeating || values.count <= 1 else {
        throw ImageError(.invalidArgument, "'\(long)' takes one value, not a list")
      }
      for value in values {
        if argument.kind == "flag" {
          guard let isSet = Self.boolean(value) else {
            throw ImageError(.invalidArgument, "'\(value)' for '\(long)' is neither true nor false")
          }
          if isSet { added.append("--\(long)") }
        } else {
          added.append("--\(long)=\(value)")
        }
      }
    }
    return [arguments[0]] + added + arguments.dropFirst()
  }

  private var allLongNames: [String] {
    (tool.subcommands ?? []).flatMap { $0.arguments ?? [] }.flatMap { $0.names ?? [] }
      .filter { $0.kind == "long" }.map(\.name)
  }

  private func fileName(in given: [String], environment: [String: String]) -> String? {
    for (index, word) in given.enumerated() {
      if word.hasPrefix("--config=") { return String(word.dropFirst("--config=".count)) }
      if word == "--config", index + 1 < given.count { return given[index + 1] }
    }
    return environment["IMGCACHE_CONFIG"]
  }

  private func isGiven(_ name: Command.Name, in given: [String]) -> Bool {
    switch name.kind {
    case "long": given.contains { $0 == "--\(name.name)" || $0.hasPrefix("--\(name.name)=") }
    default: given.contains { $0.hasPrefix("-\(name.name)") && !$0.hasPrefix("--") }
    }
  }

  private static func lines(of text: String) -> [String] {
    text.split(whereSeparator: \.isNewline).map(String.init)
  }

  private static func boolean(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "1", "true", "yes", "on": true
    case "0", "false", "no", "off", "": false
    default: nil
    }
  }
}

/// A parsed `--config` file: scalars and lists by option name, perhaps in sections.
private struct SettingsFile {
  private let root: [String: Node]
  private let path: String

  init(path: String) throws {
    self.path = path
    guard let data = try? Data(contentsOf: URL(filePath: path)) else {
      throw ImageError(.fileUnreadable, "cannot read the configuration file \(path)")
    }
    do {
      // JSON is YAML, so one parser reads both.
      let node = try Yams.compose(yaml: String(decoding: data, as: UTF8.self))
      guard let mapping = node?.mapping else {
        if node == nil || node?.null != nil {
          root = [:]
          return
        }
        throw ImageError(.invalidArgument, "\(path) is not a list of 'option: value' lines")
      }
      root = Self.byName(mapping)
    } catch let error as YamlError {
      let place = "\(error)".split(separator: "\n").first.map(String.init) ?? "malformed"
      throw ImageError(.invalidArgument, "\(path) is not YAML or JSON: \(place)")
    }
  }

  /// Refuses names that no command knows, so that a misspelt setting is noticed.
  func check(names: Set<String>, sections: [String]) throws {
    for (name, node) in root {
      if sections.contains(name), let section = node.mapping {
        for inner in Self.byName(section).keys where !names.contains(inner) {
          throw ImageError(.invalidArgument, "\(path): unknown option '\(inner)' under '\(name)'")
        }
      } else if !names.contains(name) {
        throw ImageError(.invalidArgument, "\(path): unknown option '\(name)'")
      }
    }
  }

  func values(of name: String, for command: String) throws -> [String]? {
    let node = root[command]?.mapping.flatMap { Self.byName($0)[name] } ?? root[name]
    guard let node, node.null == nil else { return nil }
    return try (node.sequence.map(Array.init) ?? [node]).map { node in
      guard let text = node.scalar?.string else {
        throw ImageError(
          .invalidArgument, "\(path): '\(name)' is neither a value nor a list of them")
      }
      return text
    }
  }

  private static func byName(_ mapping: Node.Mapping) -> [String: Node] {
    var result: [String: Node] = [:]
    for (key, value) in mapping {
      if let name = key.string { result[name.replacing("_", with: "-")] = value }
    }
    return result
  }
}
