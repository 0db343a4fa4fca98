/// Texts of the help, broken into lines.
enum HelpText {
  /// Breaks a text at its spaces; a word that is too long is broken after a separator such as `/`,
  /// else where the line ends.
  static func wrapped(_ text: String, columns: Int) -> [String] {
    let columns = max(10, columns)
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, line.count + 1 + word.count > columns {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
      while line.count > columns {
        let end = end(of: line, columns: columns)
        lines.append(String(line.prefix(end)))
        line.removeFirst(end)
      }
    }
    return (line.isEmpty ? lines : lines + [line]).map { $0.replacing(noBreak, with: " ") }
  }

  private static func end(of line: String, columns: Int) -> Int {
    let start = line.prefix(columns)
    let separator = start.lastIndex { "/,&=?:|".contains($0) }
    let end = separator.map { start.distance(from: start.startIndex, to: $0) + 1 } ?? 0
    return 2 * end > columns ? end : columns
  }

  /// The text for ``wrapped(_:columns:)`` that is not broken at its spaces.
  static func unbroken(_ text: String) -> String { text.replacing(" ", with: noBreak) }

  private static let noBreak = "\u{A0}"

  /// The paragraphs of a text, each on one line.
  static func paragraphs(_ text: String) -> [String] {
    text.split(separator: "\n\n").map {
      $0.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
  }

  /// The first sentence, without a default that it states.
  static func firstSentence(_ text: String) -> String {
    text.firstRange(of: ". ").map { String(text[..<$0.lowerBound]) + "." } ?? text
  }
}

/// The first paragraph of a command's description, if it has examples: command lines, each with an
/// explanation after two spaces or more.
struct HelpExamples {
  private let lines: [(command: String, note: String)]
  /// The other paragraphs.
  let rest: [String]

  init(_ discussion: String) {
    let hasExamples = discussion.hasPrefix("imgcache ")
    let end = discussion.firstRange(of: "\n\n")?.lowerBound ?? discussion.endIndex
    rest = HelpText.paragraphs(String(hasExamples ? discussion[end...] : discussion[...]))
    lines =
      !hasExamples
      ? []
      : discussion[..<end].split(separator: "\n").map { line in
        guard let gap = line.firstRange(of: "  ") else { return (String(line), "") }
        return (
          String(line[..<gap.lowerBound]),
          String(line[gap.upperBound...].trimmingPrefix { $0 == " " })
        )
      }
  }

  /// The command lines, at most so many; one that is too long goes on after a backslash.
  func lines(columns: Int, limit: Int = .max) -> [String] {
    let lines = lines.prefix(limit)
    let column = (lines.filter { !$0.note.isEmpty }.map(\.command.count).max() ?? 0) + 3
    return lines.flatMap { line -> [String] in
      guard !line.note.isEmpty else { return Self.broken(line.command, columns: columns) }
      guard column + line.note.count <= columns else {
        return Self.broken(line.command, columns: columns)
          + HelpText.wrapped(line.note, columns: columns - 6).map { "    # " + $0 }
      }
      return [line.command.padded(to: column) + line.note]
    }
  }

  /// Breaks a command line between words, so that a copy of it works, and no option from its value.
  private static func broken(_ command: String, columns: Int) -> [String] {
    guard command.count > columns else { return [command] }
    var parts: [String] = []
    for word in command.split(separator: " ") {
      let isValue = parts.last?.wholeMatch(of: /--?[a-z][a-z-]*/) != nil && !word.hasPrefix("-")
      if isValue { parts[parts.count - 1] += " " + word } else { parts.append(String(word)) }
    }
    var lines = [""]
    for part in parts {
      let line = lines[lines.count - 1]
      if line.isEmpty {
        lines[lines.count - 1] = part
      } else if line.count + 1 + part.count <= columns - 6 {
        lines[lines.count - 1] += " " + part
      } else {
        lines[lines.count - 1] += " \\"
        lines.append(part)
      }
    }
    return lines.enumerated().map { ($0 == 0 ? "" : "    ") + $1 }
  }
}

extension String {
  /// The text with spaces behind it, so many characters together at least.
  func padded(to count: Int) -> String {
    self + String(repeating: " ", count: Swift.max(0, count - self.count))
  }
}
