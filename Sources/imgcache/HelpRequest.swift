import ArgumentParser

/// A request for the help of a command: short by `-h`, in full by `--help` and `help`.
struct HelpRequest: Error {
  /// The names of the command and those above it: `["tier", "check"]`; empty for the program.
  let path: [String]
  let isBrief: Bool

  init(path: [String], isBrief: Bool) {
    self.path = path
    self.isBrief = isBrief
  }

  /// The request of a command line; `nil` if the parser found none.
  ///
  /// - Parameter command: The result of the parser, which decides whether help is asked for.
  init?(_ arguments: [String], parsedAs command: any ParsableCommand) {
    guard type(of: command).configuration.commandName == "help" else { return nil }
    let words = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
    path = ImgCache.path(of: words)
    isBrief = arguments.first != "help" && !arguments.contains { $0.hasPrefix("--help") }
  }

  /// The text for stdout, as wide as a terminal of up to 100 columns, or 80.
  func text() throws -> String {
    let command = try Settings.Command(describing: ImgCache.command(at: path))
    let isTerminal = TerminalDevice.isPossible(1)
    let page = HelpPage(
      command, path: path, columns: isTerminal ? min(100, TerminalDevice.columns(of: 1)) : 80,
      isStyled: isTerminal && (Environment.variables["NO_COLOR"] ?? "").isEmpty)
    return isBrief ? page.brief() : page.full()
  }
}

extension ImgCache {
  /// The command of a path such as `["tier", "check"]`; the program for an empty one.
  static func command(at path: [String]) -> any ParsableCommand.Type {
    path.reduce(self) { command, name in
      command.configuration.subcommands.first { $0.configuration.commandName == name } ?? command
    }
  }

  /// The names of the commands below another one, `help` included; empty if there are none.
  static func commandNames(at path: [String] = []) -> [String] {
    let names = command(at: path).configuration.subcommands
      .compactMap { $0.configuration.commandName }
    return names.isEmpty ? [] : names + ["help"]
  }

  /// The names of the command that words begin with, as far as there is one.
  static func path(of words: some Sequence<String>) -> [String] {
    var path: [String] = []
    for word in words {
      let commands = command(at: path).configuration.subcommands
      guard commands.contains(where: { $0.configuration.commandName == word }) else { break }
      path.append(word)
    }
    return path
  }
}
