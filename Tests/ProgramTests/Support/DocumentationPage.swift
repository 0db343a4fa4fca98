import Foundation
@testable import TestSupport

/// README and the DocC pages: what users read, with the code that is in it.
struct DocumentationPage: Sendable {
  /// A fenced block: its language, the number of its first line, and its text.
  struct Block: Sendable {
    let language: String
    let line: Int
    let text: String
  }

  let path: String
  let text: String

  static let all: [DocumentationPage] = {
    let root = SharedFixtures.packageRoot
    let catalogs = (try? SourceTree(under: "Sources", endings: [".md"]).files) ?? []
    let others = ["README.md", "Examples/README.md"].compactMap { path in
      (try? String(contentsOf: root.appending(path: path), encoding: .utf8))
        .map { DocumentationPage(path: path, text: $0) }
    }
    return others + catalogs.map { DocumentationPage(path: $0.path, text: $0.text) }
  }()

  var blocks: [Block] {
    var blocks: [Block] = []
    var open: (language: String, line: Int, lines: [Substring])?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let fence = line.drop { $0 == " " }
      guard fence.hasPrefix("```") else {
        open?.lines.append(line)
        continue
      }
      if let block = open {
        blocks.append(
          Block(
            language: block.language, line: block.line, text: block.lines.joined(separator: "\n")))
        open = nil
      } else {
        let language = fence.dropFirst(3).prefix { $0 != " " }
        open = (String(language), index + 2, [])
      }
    }
    return blocks
  }

  /// The inline code of the text outside of blocks, in single backticks; links to symbols have two.
  var inlineCode: [String] {
    let outside = text.components(separatedBy: "```").enumerated()
      .filter { $0.offset.isMultiple(of: 2) }.map(\.element).joined(separator: "\n")
      .replacing(/``[^`\n]+``/, with: "")
    return outside.matches(of: /`([^`\n]+)`/).map { String($0.1) }
  }
}
