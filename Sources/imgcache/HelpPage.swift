/// The help of one command, from what the parser knows about it.
struct HelpPage {
  typealias Argument = Settings.Command.Argument

  /// The options that several commands have, by the title of their section; they come after a
  /// command's own, in this order.
  static let sharedTitles = [
    "Where from", "Limits", "The network", "Several servers", "The cache", commonTitle,
  ]
  private static let commonTitle = "Common"

  private let command: Settings.Command
  /// `imgcache tier check`.
  private let name: String
  private let columns: Int
  private let isStyled: Bool

  /// - Parameter path: The names of the command and those above it; empty for the program.
  init(_ command: Settings.Command, path: [String], columns: Int, isStyled: Bool) {
    self.command = command
    self.columns = columns
    self.isStyled = isStyled
    name = (["imgcache"] + path).joined(separator: " ")
  }

  private var isProgram: Bool { name == "imgcache" }
  /// The parser gives each command it describes by itself the command `help`.
  private var commands: [Settings.Command] {
    (command.subcommands ?? []).filter { $0.commandName != "help" }
  }
  private var hasCommands: Bool { !commands.isEmpty }
  private var examples: HelpExamples { HelpExamples(command.discussion ?? "") }

  // MARK: Pages

  /// Everything.
  func full() -> String {
    var page = section("Name", paragraph("\(name) - \(command.abstract ?? "")"))
    page += section("Usage", usage)
    page += section("Examples", indented(examples.lines(columns: columns - 2)))
    let isStatus = { (text: String) in text.hasPrefix("Exit status") }
    let texts = examples.rest.filter { !isStatus($0) }.map { paragraph($0) }
    page += section("Description", Array(texts.joined(separator: [""])))
    page += subcommands
    for (title, arguments) in sections() {
      page += section(title, arguments.flatMap { entry($0, in: arguments) })
    }
    page += section("Exit status", examples.rest.filter(isStatus).flatMap(exitStatuses))
    return page.dropLast().joined(separator: "\n")
  }

  /// What fits on a screen: the command's own options first, others only named.
  ///
  /// - Parameter rows: Of the screen; the last one is for the prompt.
  func brief(rows: Int = 24) -> String {
    var page = HelpText.wrapped("Usage: " + synopsis, columns: columns)
    page += HelpText.wrapped(command.abstract ?? "", columns: columns) + [""]
    let shown = examples.lines(columns: columns - 2, limit: 2)
    if !shown.isEmpty { page += indented(shown) + [""] }
    if hasCommands {
      page += briefCommands + [""]
      page += HelpText.wrapped(
        "\(quoted("\(name) <command> -h")) lists the options of a command, \(quoted("\(name) --help")) describes all.",
        columns: columns)
      return page.joined(separator: "\n")
    }
    var (ownSections, others) = (sections(), sections())
    ownSections.removeAll { Self.sharedTitles.contains($0.title) }
    others.removeAll { !Self.sharedTitles.contains($0.title) }
    // `gc` and the like have no other options than those of the cache.
    if ownSections.isEmpty, others.count > 1 { ownSections = [others.removeFirst()] }
    let own = ownSections.flatMap(\.arguments)
    let titles = others.map { Self.heading($0.title).lowercased() }
    let footer = HelpText.wrapped(
      "More options: \(titles.joined(separator: ", ")); \(quoted("\(name) --help")) has all.",
      columns: columns)
    let column = textColumn(own)
    let lines = own.map { briefEntry($0, in: own, column: column) }
    var room = rows - 1 - page.count - footer.count - (own.isEmpty ? 0 : 1)
    if lines.joined().count > room { room -= 1 }
    var count = 0
    for entry in lines {
      guard entry.count <= room else { break }
      room -= entry.count
      page += entry
      count += 1
    }
    if count < lines.count { page.append("  ... and \(lines.count - count) more") }
    return (page + (own.isEmpty ? [] : [""]) + footer).joined(separator: "\n")
  }

  // MARK: Parts

  private var synopsis: String {
    let arguments = command.arguments ?? []
    var words = [
      name, arguments.contains { !$0.isPositional && $0.isOptional } ? "[<options>]" : "",
    ]
    words += arguments.filter {
      !$0.isPositional && !$0.isFlag && !$0.isOptional && $0.shouldDisplay
    }
    .map { "\($0.names?.first?.word ?? "") <\($0.valueName ?? "")>" }
    words += arguments.filter { $0.isPositional && $0.shouldDisplay }.map {
      let value = "<\($0.valueName ?? "")>" + ($0.isRepeating ? "..." : "")
      return $0.isOptional ? "[\(value)]" : value
    }
    if hasCommands { words = [name, "<command>", "[<options>]"] }
    return words.filter { !$0.isEmpty }.joined(separator: " ")
  }

  private var usage: [String] {
    HelpText.wrapped(synopsis, columns: columns - 6).enumerated()
      .map { ($0 == 0 ? "  " : "      ") + $1 }
  }

  /// The groups of the program's commands, or all commands below another one.
  private var groups: [(name: String, commands: [Settings.Command])] {
    let all = commands
    guard isProgram else { return all.isEmpty ? [] : [("Commands", all)] }
    return ImgCache.configuration.groupedSubcommands.map { group in
      let names = group.subcommands.compactMap { $0.configuration.commandName }
      return (group.name, all.filter { names.contains($0.commandName) })
    }
  }

  private var subcommands: [String] {
    groups.flatMap { group in
      section(
        group.name,
        group.commands.flatMap { row($0.commandName, $0.abstract ?? "", column: 14) })
    }
  }

  private var briefCommands: [String] {
    let width = (groups.map(\.name.count).max() ?? 0) + 4
    return groups.flatMap { group in
      row(group.name, group.commands.map(\.commandName).joined(separator: ", "), column: width)
    }
  }

  /// The arguments by section: own ones, then those that several commands have.
  private func sections() -> [(title: String, arguments: [Argument])] {
    // Only the program itself has the parser's `--version`.
    let arguments = (command.arguments ?? [])
      .filter { $0.shouldDisplay ? $0.longName != "version" : $0.isVersion }
    var titles = ["Arguments"]
    var sections: [String: [Argument]] = [:]
    for argument in arguments {
      let title =
        argument.isVersion || argument.longName == "help"
        ? Self.commonTitle
        : argument.sectionTitle ?? (argument.isPositional ? "Arguments" : "Options")
      if !titles.contains(title) { titles.append(title) }
      sections[title, default: []].append(argument)
    }
    let own = titles.filter { !Self.sharedTitles.contains($0) }
    return (own + Self.sharedTitles).compactMap { title in
      sections[title].map { (title, $0) }
    }
  }

  private func entry(_ argument: Argument, in section: [Argument]) -> [String] {
    row(
      label(argument, leavesRoom: true), argument.explanation(in: command.commandName),
      column: 30)
  }

  private func briefEntry(_ argument: Argument, in section: [Argument], column: Int) -> [String] {
    let label = label(argument, leavesRoom: section.contains(where: Self.hasShortName))
    let texts = argument.summaries(in: command.commandName)
    let text = texts.first { column + $0.count <= columns } ?? texts[texts.count - 1]
    return row(label, text, column: column)
  }

  private func textColumn(_ arguments: [Argument]) -> Int {
    let leavesRoom = arguments.contains(where: Self.hasShortName)
    return min(30, (arguments.map { label($0, leavesRoom: leavesRoom).count }.max() ?? 0) + 4)
  }

  /// `-o, --output <file>`.
  ///
  /// - Parameter leavesRoom: Whether a name without a short form leaves room for one.
  private func label(_ argument: Argument, leavesRoom: Bool) -> String {
    let value = argument.isFlag ? "" : "<\(argument.valueName ?? "")>"
    guard !argument.isPositional else { return value + (argument.isRepeating ? "..." : "") }
    return (leavesRoom && !Self.hasShortName(argument) ? "    " : "")
      + Self.words(argument).joined(separator: ", ") + (value.isEmpty ? "" : " " + value)
  }

  private static func words(_ argument: Argument) -> [String] {
    let names = (argument.names ?? []).map(\.word).sorted { $0.count < $1.count }
    return argument.isVersion ? names + ["--version"] : names
  }

  private static func hasShortName(_ argument: Argument) -> Bool {
    words(argument).contains { !$0.hasPrefix("--") }
  }

  // MARK: Layout

  private func section(_ title: String, _ lines: [String]) -> [String] {
    guard !lines.isEmpty else { return [] }
    let title = Self.heading(title).uppercased()
    return [isStyled ? "\u{1B}[1m\(title)\u{1B}[0m" : title] + lines + [""]
  }

  private static func heading(_ title: String) -> String { String(title.trimmingPrefix("The ")) }

  private func quoted(_ command: String) -> String { HelpText.unbroken("'\(command)'") }

  /// `Exit status: 0 done, 1 failed` with a line for each.
  private func exitStatuses(_ text: String) -> [String] {
    text.trimmingPrefix("Exit status: ").split(separator: /, (?=[0-9]+ )/).flatMap { status in
      let words = status.split(separator: " ", maxSplits: 1).map(String.init)
      let text = words.count > 1 ? words[1] : ""
      return row(words[0], text.hasSuffix(".") ? text : text + ".", column: 8)
    }
  }

  private func paragraph(_ text: String) -> [String] {
    indented(HelpText.wrapped(text, columns: columns - 2))
  }

  private func indented(_ lines: [String]) -> [String] { lines.map { "  " + $0 } }

  /// A label and the text beside it, from a column on; below a label that is too long.
  private func row(_ label: String, _ text: String, column: Int) -> [String] {
    let texts = HelpText.wrapped(text, columns: columns - column)
    let margin = String(repeating: " ", count: column)
    guard label.count + 4 <= column else { return ["  " + label] + texts.map { margin + $0 } }
    return texts.enumerated().map { ($0 == 0 ? ("  " + label).padded(to: column) : margin) + $1 }
  }
}

extension Settings.Command.Argument {
  /// The text of the help, with the default and the values if it does not state them.
  ///
  /// - Parameter command: The command whose default is stated.
  func explanation(in command: String) -> String {
    if longName == "help" { return "List the options of the command; --help describes all." }
    if isVersion { return "Print the version and the formats built in." }
    var text = withDefault(abstract ?? "", in: command)
    if let allValues, !allValues.allSatisfy(text.contains) {
      text += " One of: \(allValues.joined(separator: ", "))."
    }
    return ([text] + HelpText.paragraphs(discussion ?? "")).joined(separator: " ")
  }

  /// The first sentence with the default and without it, the shortest last.
  func summaries(in command: String) -> [String] {
    let whole = withDefault(abstract ?? "", in: command)
    let first = HelpText.firstSentence(whole)
    guard let range = first.firstRange(of: /\(default:[^)]*\)/) else { return [first] }
    var short = first
    short.removeSubrange(range)
    return [first, short.replacing(" .", with: ".")]
  }

  private func withDefault(_ text: String, in command: String) -> String {
    if let range = Self.describedDefault(in: text) {
      return text[..<range.lowerBound] + Self.unbroken(default: describedDefault(in: command) ?? "")
        + text[range.upperBound...]
    }
    guard let defaultValue, !isFlag else { return text }
    let first = HelpText.firstSentence(text)
    return first.dropLast() + " \(Self.unbroken(default: defaultValue))."
      + text.dropFirst(first.count)
  }

  /// `(default: 3)`, on one line if it is short.
  private static func unbroken(default value: String) -> String {
    let text = "(default: \(value))"
    return value.count > 12 ? text : HelpText.unbroken(text)
  }
}
