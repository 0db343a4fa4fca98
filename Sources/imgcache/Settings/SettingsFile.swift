import ImageModel

/// A parsed configuration file: values and lists by option name, at the top or in sections.
struct SettingsFile {
  private struct Entry {
    let name: String
    let line: Int
    let node: YAMLNode
  }

  let path: String
  private let top: [Entry]
  private let sections: [String: [Entry]]

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
      case .mapping(let members)?: top = try Self.entries(of: members, path)
      case nil, .null?: top = []
      default: throw Self.error(path, node?.line ?? 1, "expected 'option: value' lines")
      }
    } catch let failure as YAMLNode.Failure {
      throw Self.error(path, failure.line, "not YAML or JSON: \(failure.problem)")
    }
    var sections: [String: [Entry]] = [:]
    for entry in top {
      guard case .mapping(let members) = entry.node.content else { continue }
      sections[entry.name] = try Self.entries(of: members, path)
    }
    self.sections = sections
  }

  private static func entries(
    of members: [(key: YAMLNode, value: YAMLNode)], _ path: String
  ) throws -> [Entry] {
    var lines: [String: Int] = [:]
    return try members.map { key, value in
      guard let text = key.scalar else { throw error(path, key.line, "malformed key") }
      let name = text.replacing("_", with: "-")
      if let earlier = lines.updateValue(key.line, forKey: name) {
        throw error(path, key.line, "\"\(name)\" was set on line \(earlier) already")
      }
      return Entry(name: name, line: key.line, node: value)
    }
  }

  /// Rejects names that no command has, so that a misspelt setting is noticed.
  func check(_ commands: [String: Set<String>]) throws(ImageError) {
    let all = commands.values.reduce(into: Set<String>()) { $0.formUnion($1) }
    for entry in top {
      let section = sections[entry.name]
      switch (commands[entry.name], section, entry.node.content) {
      case (let own?, let section?, _):
        for inner in section {
          guard own.contains(inner.name) else {
            throw unknown(inner, among: own, of: entry.name, isElsewhere: all.contains(inner.name))
          }
          try checkContent(inner)
        }
      case (_?, nil, .null): break  // A section in which everything is commented out.
      case _ where all.contains(entry.name): try checkContent(entry)
      case (_?, _, _):
        throw Self.error(
          path, entry.line,
          "\"\(entry.name)\" is the section of a command: it takes 'option: value' lines")
      case (nil, _?, _):
        let near = NearName.of(entry.name, among: commands.keys.sorted())
        let hint = near.map { "did you mean \"\($0)\"?" } ?? "sections are named after commands"
        throw Self.error(path, entry.line, "unknown section \"\(entry.name)\"; \(hint)")
      case (nil, nil, _):
        throw unknown(entry, among: all.union(commands.keys), of: nil, isElsewhere: false)
      }
    }
  }

  private func checkContent(_ entry: Entry) throws(ImageError) {
    if case .null = entry.node.content { return }
    if entry.node.values == nil {
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

  func value(
    of name: String, for command: String, orForAll: Bool = true
  ) -> (values: [String], source: SettingSource)? {
    for (entries, isForAll) in [(sections[command] ?? [], false), (orForAll ? top : [], true)] {
      if let entry = entries.first(where: { $0.name == name }), let values = entry.node.values {
        return (values, .file(path: path, line: entry.line, isForAll: isForAll))
      }
    }
    return nil
  }

  private static func error(_ path: String, _ line: Int, _ message: String) -> ImageError {
    .misuse("\(path):\(line): \(message)")
  }
}

extension YAMLNode {
  fileprivate var values: [String]? {
    guard case .sequence(let items) = content else { return scalar.map { [$0] } }
    let values = items.compactMap(\.scalar)
    return values.count == items.count ? values : nil
  }
}
