import ImageModel
import Yams

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A parsed configuration file: values and lists by option name, at the top or in sections.
struct SettingsFile {
  private struct Entry {
    enum Content {
      case nothing
      case values([String])
      case section([Entry])
      /// Anything else.
      case malformed
    }
    let name: String
    let line: Int
    let content: Content
  }

  let path: String
  private let entries: [Entry]

  /// - Parameter source: Where the name of the file comes from.
  /// - Throws: ``ImageError`` with code `invalidArgument`, naming the file and the line.
  init(path: String, namedBy source: SettingSource) throws {
    self.path = path
    let bytes: [UInt8]
    do throws(ImageError) {
      bytes = try InputFile.read(path, maximum: 1 << 20)
    } catch {
      throw ImageError(
        .invalidArgument, "configuration file (\(source)): \(error.message)")
    }
    do {
      // JSON is YAML, so one parser reads both.
      let node = try Yams.compose(yaml: String(decoding: bytes, as: UTF8.self))
      if let mapping = node?.mapping {
        entries = try Self.entries(of: mapping, path)
      } else if node == nil || node?.null != nil {
        entries = []
      } else {
        throw Self.error(path, node?.mark?.line ?? 1, "expected 'option: value' lines")
      }
    } catch let error as YamlError {
      throw Self.error(path, error)
    }
  }

  /// Rejects names that no command has, so that a misspelt setting is noticed.
  ///
  /// - Parameter commands: The options of each command.
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

  /// The value that the section of a command, or else the top, sets.
  func value(of name: String, for command: String) -> (values: [String], source: SettingSource)? {
    for entry in entries where entry.name == command {
      if case .section(let section) = entry.content,
        let found = value(of: name, in: section, isForAll: false)
      {
        return found
      }
    }
    return value(of: name, in: entries, isForAll: true)
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
    of mapping: Node.Mapping, _ path: String, isTop: Bool = true
  ) throws -> [Entry] {
    var lines: [String: Int] = [:]
    var entries: [Entry] = []
    for (key, value) in mapping {
      let line = key.mark?.line ?? 1
      guard let text = key.scalar?.string else { throw error(path, line, "malformed key") }
      let name = text.replacing("_", with: "-")
      if let earlier = lines[name] {
        throw error(path, line, "\"\(name)\" was set on line \(earlier) already")
      }
      lines[name] = line
      entries.append(Entry(name: name, line: line, content: try content(value, path, isTop)))
    }
    return entries
  }

  private static func content(
    _ node: Node, _ path: String, _ isTop: Bool
  ) throws -> Entry.Content {
    if node.null != nil { return .nothing }
    if let text = node.scalar?.string { return .values([text]) }
    if let mapping = node.mapping {
      return isTop ? .section(try entries(of: mapping, path, isTop: false)) : .malformed
    }
    let texts = node.sequence.map { list in list.map { $0.scalar?.string } } ?? [nil]
    let values = texts.compactMap(\.self)
    return values.count == texts.count ? .values(values) : .malformed
  }

  private static func error(_ path: String, _ line: Int, _ message: String) -> ImageError {
    ImageError(.invalidArgument, "\(path):\(line): \(message)")
  }

  private static func error(_ path: String, _ error: YamlError) -> ImageError {
    switch error {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      return self.error(path, mark.line, "not YAML or JSON: \(problem)")
    case .duplicatedKeysInMapping(let names, let context):
      let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
      return self.error(path, context.mark.line, "\(list) is set twice")
    default:
      let problem = "\(error)".split(separator: "\n").first.map(String.init) ?? "malformed"
      return ImageError(.invalidArgument, "\(path): not YAML or JSON: \(problem)")
    }
  }
}
