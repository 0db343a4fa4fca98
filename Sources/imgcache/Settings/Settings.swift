import ArgumentParser
import ImageModel
import TextEncodings

/// Options from variables and from a configuration file, put into the command line before it is
/// parsed; see `imgcache config --help`. Options that repeat are a list in the file and lines in a
/// variable; an option without a value in the file is not set.
struct Settings {
  /// The value is `true` or `false` for a flag.
  typealias Value = (values: [String], source: SettingSource)

  struct Expansion {
    var arguments: [String]
    var sources: [String: SettingSource] = [:]
    /// What is likely not what was meant.
    var notes: [String] = []
  }

  private let tool: Command

  init(describedBy description: String) throws { tool = try Command(describedBy: description) }

  var commands: [Command] { (tool.subcommands ?? []).filter { $0.commandName != "help" } }

  /// Whether anything outside the command line could change it; otherwise the description of the
  /// options, which takes milliseconds to parse, is not needed.
  static func mayApply(to arguments: [String], environment: [String: String]) -> Bool {
    arguments.contains { $0 == "--config" || $0.hasPrefix("--config=") }
      || environment.keys.contains { $0.hasPrefix("IMGCACHE_") && $0 != "IMGCACHE_DIR" }
      || defaultFile(environment) != nil
  }

  func expand(_ arguments: [String], environment: [String: String]) throws -> Expansion {
    var expansion = Expansion(arguments: arguments)
    guard let command = commands.first(where: { $0.commandName == arguments.first }),
      !arguments.contains("--help"), !arguments.contains("-h")
    else { return expansion }
    let given = Array(arguments.dropFirst().prefix { $0 != "--" })
    let file = try file(for: given, environment: environment)
    var added: [String] = []
    for (name, argument) in command.options where !Self.isGiven(argument, in: given) {
      let value = try value(of: argument, for: command, environment: environment, file: file)
      guard let (values, source) = value else { continue }
      let words =
        argument.isFlag
        ? (values == ["true"] ? ["--\(name)"] : []) : values.map { "--\(name)=\($0)" }
      if !words.isEmpty { expansion.sources[name] = source }
      added += words
    }
    expansion.arguments = [arguments[0]] + added + arguments.dropFirst()
    // `config` tells all that set nothing.
    if command.commandName != "config" {
      expansion.notes = unknownVariables(in: environment, misspelt: true)
    }
    return expansion
  }

  func value(
    of argument: Command.Argument, for command: Command, environment: [String: String],
    file: SettingsFile?
  ) throws -> Value? {
    guard let name = argument.settingName else { return nil }
    let isOwn = Self.isOwn(name, of: command.commandName)
    guard
      let (values, source) = (isOwn ? nil : Self.variable(for: name, argument, environment))
        ?? file?.value(of: name, for: command.commandName, orForAll: !isOwn)
    else { return nil }
    guard argument.isRepeating || values.count <= 1 else {
      throw ImageError.misuse("\(source): \"\(name)\" takes one value, not a list")
    }
    guard argument.isFlag else { return (values, source) }
    return (try values.map { try Self.boolean($0, name, command, source) }, source)
  }

  /// Whether an option means something else in a command than in all others, which only the section
  /// of that command sets: `simulate --tier 10%` beside `serve --tier redis://…`.
  private static func isOwn(_ name: String, of command: String) -> Bool {
    command == "simulate" && name == "tier"
  }

  static func variables(for name: String) -> [String] {
    let own = "IMGCACHE_" + name.uppercased().replacing("-", with: "_")
    return name == "cache-dir" ? [own, "IMGCACHE_DIR"] : [own]
  }

  /// The variables with the prefix of options that set none, each with the nearest known name.
  ///
  /// - Parameter misspelt: Only those that are a letter or two away from one: others may be of
  ///   another program.
  func unknownVariables(in environment: [String: String], misspelt: Bool = false) -> [String] {
    let known = Set(commands.flatMap { $0.options.flatMap { Self.variables(for: $0.name) } })
      .union(["IMGCACHE_CONFIG"]).sorted()
    return environment.keys.filter { $0.hasPrefix("IMGCACHE_") && !known.contains($0) }.sorted()
      .filter { name in
        !misspelt
          || known.contains {
            NearName.distance(Array(name), Array($0)) <= 1 + name.count / 16
          }
      }
      .map { "\($0) sets no option" + NearName.hint($0, among: known) }
  }

  private static func variable(
    for name: String, _ argument: Command.Argument, _ environment: [String: String]
  ) -> Value? {
    for variable in variables(for: name) {
      // An empty value would make the option take the next word.
      guard let text = environment[variable], !text.isEmpty || argument.isFlag else { continue }
      let lines = text.split(whereSeparator: \.isNewline).map(String.init)
      return (argument.isRepeating ? lines : [text], .variable(variable))
    }
    return nil
  }

  static func isGiven(_ argument: Command.Argument, in given: [String]) -> Bool {
    (argument.names ?? []).contains { name in
      switch name.kind {
      case "long": given.contains { $0 == "--\(name.name)" || $0.hasPrefix("--\(name.name)=") }
      default: given.contains { $0.hasPrefix("-\(name.name)") && !$0.hasPrefix("--") }
      }
    }
  }

  private static func boolean(
    _ text: String, _ name: String, _ command: Command, _ source: SettingSource
  ) throws -> String {
    switch text.lowercased() {
    case "1", "true", "yes", "on": return "true"
    case "0", "false", "no", "off", "": return "false"
    default:
      var message = "\(source): \"\(text)\" for \"\(name)\" is neither true nor false"
      if case .file(_, _, isForAll: true) = source {
        message += "; at the top it is set for all commands, \(command.commandName) among them"
      }
      throw ImageError.misuse(message)
    }
  }

  static func values(of name: String, in given: [String]) -> [String] {
    given.indices.compactMap { index in
      let word = given[index]
      if word == "--\(name)" { return index + 1 < given.count ? given[index + 1] : nil }
      return word.hasPrefix("--\(name)=") ? String(word.dropFirst(name.count + 3)) : nil
    }
  }

  static func fileName(
    for given: [String], environment: [String: String]
  ) -> (path: String, source: SettingSource)? {
    if let path = values(of: "config", in: given).first { return (path, .commandLine) }
    if let path = environment["IMGCACHE_CONFIG"], !path.isEmpty {
      return (path, .variable("IMGCACHE_CONFIG"))
    }
    return defaultFile(environment).map { ($0, .byDefault) }
  }

  func file(for given: [String], environment: [String: String]) throws -> SettingsFile? {
    guard let name = Self.fileName(for: given, environment: environment) else { return nil }
    let file = try SettingsFile(path: name.path, namedBy: name.source)
    try file.check(
      Dictionary(
        commands.map { ($0.commandName, Set($0.options.map(\.name))) }, uniquingKeysWith: { $1 }))
    return file
  }

  private static func defaultFile(_ environment: [String: String]) -> String? {
    let folders = [environment["XDG_CONFIG_HOME"], environment["HOME"].map { $0 + "/.config" }]
    let folder = folders.compactMap(\.self).first { $0.hasPrefix("/") }
    guard let path = folder.map({ $0 + "/imgcache/config.yaml" }) else { return nil }
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }
}

/// Where the value of an option comes from, in order of precedence.
enum SettingSource: Hashable, Sendable, CustomStringConvertible {
  case commandLine
  case variable(String)
  /// `isForAll`: At the top of the file, for every command that has the option.
  case file(path: String, line: Int, isForAll: Bool)
  case byDefault

  /// For example `IMGCACHE_TIMEOUT`, `/etc/imgcache.yaml:3`.
  var description: String {
    switch self {
    case .commandLine: "command line"
    case .variable(let name): name
    case .file(let path, let line, _): "\(path):\(line)"
    case .byDefault: "default"
    }
  }

  /// The members of its JSON: `source` is `option`, `variable`, `file` or `default`.
  var members: [(String, (any JSONValue)?)] {
    switch self {
    case .commandLine: [("source", "option")]
    case .variable(let name): [("source", "variable"), ("variable", name)]
    case .file(let path, let line, _): [("source", "file"), ("path", path), ("line", line)]
    case .byDefault: [("source", "default")]
    }
  }
}
