import ArgumentParser

extension Settings {
  /// A command as `ParsableArguments._dumpHelp()` describes it.
  struct Command: Decodable {
    struct Name: Decodable {
      var kind: String
      var name: String
    }

    struct Argument: Decodable {
      var kind: String
      var names: [Name]?
      var isRepeating: Bool
      var defaultValue: String?
      var abstract: String?

      var isFlag: Bool { kind == "flag" }
      var isPositional: Bool { kind == "positional" }
      var longName: String? { names?.first { $0.kind == "long" }?.name }
      /// The name that variables and files use; `nil` if they cannot set it.
      var settingName: String? {
        guard !isPositional, let long = longName, !["config", "help", "version"].contains(long)
        else { return nil }
        return long
      }

      /// The default that an option states only in its help, such as `(default: 3; in serve 1)`.
      func describedDefault(in command: String) -> String? {
        guard let abstract, let start = abstract.firstRange(of: "(default: ")?.upperBound,
          let end = abstract[start...].firstIndex(of: ")")
        else { return nil }
        let parts = abstract[start..<end].split(separator: "; in ").map(String.init)
        let own = parts.dropFirst().first { $0.hasPrefix(command + " ") }
        return own.map { String($0.dropFirst(command.count + 1)) } ?? parts.first
      }
    }

    var commandName: String
    var subcommands: [Command]?
    var arguments: [Argument]?

    var options: [(name: String, argument: Argument)] {
      (arguments ?? []).compactMap { argument in argument.settingName.map { ($0, argument) } }
    }

    init(describedBy description: String) throws {
      struct Tool: Decodable { var command: Command }
      self = try JSONDecoder().decode(Tool.self, from: Data(description.utf8)).command
    }

    /// One command with those below it, which takes less time than the whole program.
    init(describing command: any ParsableCommand.Type) throws {
      try self.init(describedBy: command._dumpHelp())
    }
  }
}
