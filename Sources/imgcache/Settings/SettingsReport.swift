import ImageModel
import TextEncodings

struct SettingsReport {
  /// An option with a value that one command has, or several.
  struct Row: Equatable {
    let name: String
    let isFlag: Bool
    let isRepeating: Bool
    var values: [String]
    var source: SettingSource
    var isDescription = false
    var commands: [String]
    /// Whether these are all commands that have the option, or all that other rows do not name.
    var isCommon = true

    /// The names in the text: `retries`, or `serve.retries` if a command differs from most.
    var names: [String] { isCommon ? [name] : commands.map { "\($0).\(name)" } }
    var text: String { values.isEmpty ? "-" : values.joined(separator: ", ") }

    /// One object a row; a value that is only described is a `default`.
    var json: JSONLine {
      let value: any JSONValue =
        if isDescription {
          JSONNull()
        } else if isFlag {
          values == ["true"]
        } else if isRepeating {
          values
        } else {
          values.first ?? JSONNull() as any JSONValue
        }
      return JSONLine(
        members: [
          ("option", name), ("commands", commands), ("value", value),
          ("default", isDescription ? text : nil),
        ] + source.members)
    }

    fileprivate func isSame(as other: Self) -> Bool {
      var other = other
      other.commands = commands
      return self == other
    }
  }

  let settings: Settings
  let given: [String]
  let environment: [String: String]
  let parser: ([String]) -> String?

  func rows(command name: String?) throws -> [Row] {
    let commands = settings.commands.filter { name == nil || $0.commandName == name }
    guard !commands.isEmpty else {
      throw ImageError.misuse(
        "Unknown command \"\(name ?? "")\""
          + NearName.hint(name ?? "", among: settings.commands.map(\.commandName)))
    }
    try checkGiven(commands)
    let file = try settings.file(for: given, environment: environment)
    var rows: [Row] = []
    for command in commands {
      for (_, argument) in command.options {
        let row = try row(argument, of: command, file)
        if let same = rows.firstIndex(where: { row.isSame(as: $0) }) {
          rows[same].commands.append(command.commandName)
        } else {
          rows.append(row)
        }
      }
    }
    let variants = Dictionary(grouping: rows, by: \.name)
    for index in rows.indices {
      let others = variants[rows[index].name]?.filter { $0 != rows[index] } ?? []
      let most = others.map(\.commands.count).max() ?? 0
      rows[index].isCommon = rows[index].commands.count > most
    }
    return rows.sorted {
      ($0.name, $0.isCommon ? "" : $0.commands[0]) < ($1.name, $1.isCommon ? "" : $1.commands[0])
    }
  }

  private func row(
    _ argument: Settings.Command.Argument, of command: Settings.Command, _ file: SettingsFile?
  ) throws -> Row {
    let name = argument.settingName ?? ""
    var value: Settings.Value?
    if Settings.isGiven(argument, in: given) {
      let values = argument.isFlag ? ["true"] : Settings.values(of: name, in: given)
      if !values.isEmpty { value = (values, .commandLine) }
    }
    value =
      try value
      ?? settings.value(of: argument, for: command, environment: environment, file: file)
    if let value, !argument.isFlag { try check(value, of: name, command) }
    let known = argument.isFlag ? "false" : argument.defaultValue
    let described = known == nil ? argument.describedDefault(in: command.commandName) : nil
    let values = value?.values ?? [known ?? described].compactMap(\.self)
    return Row(
      name: name, isFlag: argument.isFlag, isRepeating: argument.isRepeating,
      values: values.map(name == "origin-header" ? OriginHeaders.masked : WebURL.withoutUserinfo),
      source: value?.source ?? .byDefault, isDescription: value == nil && described != nil,
      commands: [command.commandName])
  }

  private func check(
    _ value: Settings.Value, of name: String, _ command: Settings.Command
  ) throws {
    for text in value.values {
      // Other mistakes, such as a missing argument, are not the value's.
      if let message = parser([command.commandName, "--\(name)=\(text)"]),
        message.contains("is invalid for '--\(name)")
      {
        let place = value.source == .commandLine ? "" : "\(value.source): "
        throw ImageError.misuse(place + message)
      }
    }
  }

  private func checkGiven(_ commands: [Settings.Command]) throws {
    let names = Set(commands.flatMap { $0.options.map(\.name) })
    let own: Set<String> = ["config", "help", "version"]
    for word in given where word.hasPrefix("--") {
      let name = String(word.dropFirst(2).prefix { $0 != "=" })
      guard !names.contains(name), !own.contains(name) else { continue }
      throw ImageError.misuse(
        "Unknown option \"--\(name)\"" + NearName.hint(name, among: names.sorted()))
    }
  }
}
