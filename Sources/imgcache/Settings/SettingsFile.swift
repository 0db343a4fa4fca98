import ImageModel

/// A parsed configuration file: values and lists by option name, at the top or in sections.
struct SettingsFile {
  private struct Entry {
    enum Content {
      case nothing
      case values([String])
      case section([Entry])
      case malformed
    }
    let name: String
    let line: Int
    let content: Content
  }

  let path: String
  private let entries: [Entry]

  init(path: String, namedBy source: SettingSource) throws {
    self.path = path
    let bytes = try InputFile.read(
      path, maximum: 1 << 20, namedBy: "configuration file (\(source))")
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ImageError.misuse("\(path): not UTF-8")
    }
    do {
      // JSON is YAML, so one parser reads both.
      let node = try YAMLNode.document(in: text)
      switch node?.content {
      case .mapping(let members)?: entries = try Self.entries(of: members, path)
      case nil, .null?: entries = []
      default: throw Self.error(path, node?.line ?? 1, "expected 'option: value' lines")
      }
    } catch let failure as YAMLNode.Failure {
      throw Self.error(path, failure.line, "not YAML or JSON: \(failure.problem)")
    }
  }

  /// Rejects names that no command has, so that a misspelt setting is noticed.
  func check(_ commands: [String: Set<String>]) throws(ImageError) {
    let all = commands.values.reduce(into: Set<String>()) { $0.formUnion($1) }
    for entry in entries {
      if let own = commands[entry.name], case .section(let section) = entry.content {
        for inner in section {
          guard own.contains(inner.name) else {
            throw unknown(inner, among: own, of: entry.name, isElsewhere: all.contains(inner.name))
          }
          try checkContent(inner)
        }
      } else if commands[entry.name] != nil, case .nothing = entry.content {
        // A section in which everything is commented out.
      } else {
        guard all.contains(entry.name) else {
          if commands[entry.name] != nil {
            throw Self.error(
              path, entry.line,
              "\"\(entry.name)\" is the section of a command: it takes 'option: value' lines")
          }
          if case .section = entry.content { throw unknownSection(entry, among: commands.keys) }
          throw unknown(entry, among: all.union(commands.keys), of: nil, isElsewhere: false)
        }
        try checkContent(entry)
      }
    }
  }

  private func checkContent(_ entry: Entry) throws(ImageError) {
    switch entry.content {
    case .nothing, .values: return
    case .section, .malformed:
      throw Self.error(path, entry.line, "\"\(entry.name)\" takes a value or a list of values")
    }
  }

  private func unknown(
    _ entry: Entry, among names: Set<String>, of command: String?, isElsewhere: Bool
  ) -> ImageError {
    let place = command.map { " in the section of \($0)" } ?? ""
    let hint =
      isElsewhere
      ? "; \(command ?? "the command") does not have it"
      : NearName.hint(entry.name, among: names.sorted())
    return Self.error(path, entry.line, "unknown option \"\(entry.name)\"\(place)\(hint)")
  }

  private func unknownSection(
    _ entry: Entry, among commands: some Sequence<String>
  ) -> ImageError {
    let near = NearName.of(entry.name, among: commands.sorted())
    let hint = near.map { "did you mean \"\($0)\"?" } ?? "sections are named after commands"
    return Self.error(path, entry.line, "unknown section \"\(entry.name)\"; \(hint)")
  }

  /// The value that the section of a command, or else the top, sets.
  func value(
    of name: String, for command: String, orForAll: Bool = true
  ) -> (values: [String], source: SettingSource)? {
    for entry in entries where entry.name == command {
      if case .section(let section) = entry.content,
        let found = value(of: name, in: section, isForAll: false)
      {
        return found
      }
    }
    return orForAll ? value(of: name, in: entries, isForAll: true) : nil
  }

  private func value(
    of name: String, in entries: [Entry], isForAll: Bool
  ) -> (values: [String], source: SettingSource)? {
    for entry in entries where entry.name == name {
      guard case .values(let values) = entry.content else { continue }
      return (values, .file(path: path, line: entry.line, isForAll: isForAll))
    }
    return nil
  }

  // MARK: Reading

  private static func entries(
    of members: [(key: YAMLNode, value: YAMLNode)], _ path: String, isTop: Bool = true
  ) throws -> [Entry] {
    var lines: [String: Int] = [:]
    var entries: [Entry] = []
    for (key, value) in members {
      guard let text = key.scalar else { throw error(path, key.line, "malformed key") }
      let name = text.replacing("_", with: "-")
      if let earlier = lines[name] {
        throw error(path, key.line, "\"\(name)\" was set on line \(earlier) already")
      }
      lines[name] = key.line
      entries.append(Entry(name: name, line: key.line, content: try content(value, path, isTop)))
    }
    return entries
  }

  private static func content(
    _ node: YAMLNode, _ path: String, _ isTop: Bool
  ) throws -> Entry.Content {
    switch node.content {
    case .null: return .nothing
    case .scalar(let text): return .values([text])
    case .mapping(let members):
      return isTop ? .section(try entries(of: members, path, isTop: false)) : .malformed
    case .sequence(let items):
      let values = items.compactMap(\.scalar)
      return values.count == items.count ? .values(values) : .malformed
    }
  }

  private static func error(_ path: String, _ line: Int, _ message: String) -> ImageError {
    ImageError.misuse("\(path):\(line): \(message)")
  }
}
