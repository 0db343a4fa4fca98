import Foundation
import ImagePipeline
import Testing
@testable import TestSupport

/// Checks the size and the documentation of the public API.
@Suite struct `Public API` {
  /// The public types of a file: nested ones are named with the type that they are in.
  private static func publicTypes(_ code: String) -> [String] {
    code.matches(
      of: /\bpublic\s+(?:final\s+|indirect\s+)*(?:struct|class|enum|actor|protocol)\s+(\w+)/
    ).map { String($0.1) }
  }

  private static func publicTypes(of target: String) throws -> [String] {
    try SourceTree(under: "Sources/\(target)", endings: [".swift"]).files
      .flatMap { publicTypes($0.code) }
  }

  /// The types of other modules that `import ImagePipeline` shows: module and name.
  private static func exports() throws -> [(module: String, type: String)] {
    try SourceTree(under: "Sources/ImagePipeline").files.flatMap { file in
      file.code.matches(of: /@_exported import \w+ (\w+)\.(\w+)/)
        .map { (String($0.1), String($0.2)) }
    }
  }

  @Test func `import ImagePipeline shows at most 60 types, each of which is in use`() throws {
    var types = try Self.publicTypes(of: "ImagePipeline")
    for (module, type) in try Self.exports() {
      let file = try #require(
        try SourceTree(under: "Sources/\(module)", endings: ["/\(type).swift", "\(type).swift"])
          .files.first { Self.publicTypes($0.code).contains(type) }
          ?? SourceTree(under: "Sources/\(module)").files
          .first { Self.publicTypes($0.code).contains(type) })
      let nested = try SourceTree(under: "Sources/\(module)").files.flatMap { file in
        file.code.matches(of: /(?m)^(?:public .*|extension )\b(\w+)\b[^\n]*\{\n((?:  .*\n|\n)*)\}/)
          .filter { $0.1 == type[...] }.flatMap { Self.publicTypes(String($0.2)) }
      }
      #expect(!file.path.isEmpty)
      types += [type] + nested
    }
    let users =
      try ["Sources/imgcache", "Sources/ThumbnailServer"].flatMap {
        try SourceTree(under: $0, endings: [".swift"]).files.map(\.code)
      }
      + SourceTree(under: "Sources/ImagePipeline/Documentation.docc", endings: [".md"]).files
      .filter { !$0.path.hasSuffix("Decisions.md") && !$0.path.hasSuffix("Architecture.md") }
      .map(\.text)
      + [
        try String(
          contentsOf: SharedFixtures.packageRoot.appending(path: "README.md"), encoding: .utf8)
      ]
    let words = Set(users.flatMap { $0.split { !($0.isLetter || $0.isNumber) } })

    #expect((30...60).contains(types.count), "\(types.count) types: \(types.sorted())")
    for type in types {
      #expect(words.contains(type[...]), "\(type) is named by no program, server or guide")
    }
  }

  @Test func `the Architecture page counts the public types of every target`() throws {
    let page = try String(
      contentsOf: SharedFixtures.packageRoot.appending(
        path: "Sources/ImagePipeline/Documentation.docc/Architecture.md"), encoding: .utf8)
    let rows = page.matches(of: /(?m)^\| \d \| `(\w+)` \| (\d+) \|/)
    let targets = try FileManager.default.contentsOfDirectory(
      at: SharedFixtures.packageRoot.appending(path: "Sources"), includingPropertiesForKeys: nil
    ).map(\.lastPathComponent).filter { !$0.hasPrefix("C") || $0.hasPrefix("Cach") }
      .filter { $0 != "SystemLibraries" }

    #expect(Set(rows.map { String($0.1) }) == Set(targets))
    for row in rows {
      let target = String(row.1)
      #expect(
        try Self.publicTypes(of: target).count == Int(row.2), "the row of \(target) is wrong")
    }
  }
}
