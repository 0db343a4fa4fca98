import Foundation
import Testing

/// The source files under a folder, with comments and strings taken out of the code.
struct SourceTree {
  struct File {
    let path: String
    let text: String
    let code: String
    private let names: Set<String>

    init(path: String, text: String) {
      self.path = path
      self.text = text
      code = Self.withoutComments(text)
      names = Set(Self.words(of: Self.withoutStrings(code)))
    }

    func names(_ type: String) -> Bool { names.contains(type) }

    /// The types that it declares or extends.
    var declaredTypes: Set<String> {
      let words = Self.words(of: code)
      return Set(
        zip(words, words.dropFirst()).compactMap { keyword, name in
          ["struct", "class", "enum", "extension", "actor"].contains(keyword) ? name : nil
        })
    }

    private static func words(of code: String) -> [String] {
      code.utf8.split { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
          false
        default: true
        }
      }.map { String(Substring($0)) }
    }

    func imports(_ module: String) -> Bool {
      code.split(separator: "\n").contains { line in
        let words = line.split(separator: " ")
        return words.dropLast().last == "import" && words.last == module[...]
      }
    }

    private static func withoutComments(_ text: String) -> String {
      text.split(separator: "\n", omittingEmptySubsequences: false)
        .map { line in line.range(of: "//").map { line[..<$0.lowerBound] } ?? line[...] }
        .joined(separator: "\n")
    }

    private static func withoutStrings(_ code: String) -> String {
      code.replacing(/"(?:[^"\\\n]|\\.)*"/, with: "\"\"")
    }
  }

  let files: [File]

  private static let sources = Result { try SourceTree(under: "Sources") }

  /// All of `Sources`, which is read once: that takes seconds in a debug build.
  static func all() throws -> SourceTree { try sources.get() }

  init(under folder: String, endings: [String] = [".swift", ".c", ".h"]) throws {
    let root = SharedFixtures.packageRoot
    let enumerator = try #require(
      FileManager.default.enumerator(atPath: root.appending(path: folder).path))
    files = try enumerator.compactMap { $0 as? String }.sorted()
      .filter { name in endings.contains { name.hasSuffix($0) } }
      .map { name in
        let path = folder + "/" + name
        return File(
          path: path,
          text: try String(contentsOf: root.appending(path: path), encoding: .utf8))
      }
  }

  /// The types declared at the top level of the files in a folder.
  func types(in folder: String) -> Set<String> {
    var names: Set<String> = []
    for file in files where file.path.hasPrefix(folder) {
      for match in file.code.matches(of: declaration) {
        names.insert(String(match.1))
      }
    }
    return names
  }

  private var declaration: Regex<(Substring, Substring)> {
    /(?m)^(?:public |internal |package |final |indirect |@\w+ )*(?:struct|class|enum|actor|protocol|typealias) (\w+)/
      .anchorsMatchLineEndings()
  }
}
