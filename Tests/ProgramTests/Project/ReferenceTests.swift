import Foundation
import Testing
@testable import TestSupport

/// Checks the reference of the library modules, and the packages of the system that they need,
/// against the sources and the manifest.
@Suite struct `Reference` {
  private static func text(_ path: String) throws -> String {
    try String(contentsOf: SharedFixtures.packageRoot.appending(path: path), encoding: .utf8)
  }

  private static func quoted(_ text: some StringProtocol) -> Set<String> {
    Set(String(text).matches(of: /"([^"]+)"/).map { String($0.1) })
  }

  /// The targets of the manifest by name, each with its text.
  private static func targets(_ manifest: String) -> [String: Substring] {
    let pieces = manifest.split(separator: /\n    \.\w*[tT]arget\(\s*name:/)
    return Dictionary(
      uniqueKeysWithValues: pieces.dropFirst().compactMap { piece in
        piece.firstMatch(of: /^\s*"(\w+)"/).map { (String($0.1), piece) }
      })
  }

  @Test func `has a page for each module of a product, which lists all its types`() throws {
    let manifest = try Self.text("Package.swift")
    let products = try #require(manifest.firstMatch(of: /(?s)products: \[(.*?)\.executable/))
    let stages = try #require(manifest.firstMatch(of: /let stages = \[([^\]]*)\]/))
    // Without its trait the services are empty.
    let modules = Self.quoted(products.1).union(Self.quoted(stages.1))
      .subtracting(["ImagePipelineServices"])
    let listed = try #require(
      try Self.text(".spi.yml").firstMatch(of: /documentation_targets: \[(.*)\]/))

    #expect(listed.1.components(separatedBy: ", ").sorted() == modules.sorted())
    for module in modules.sorted() {
      let page = try Self.text("Sources/\(module)/Documentation.docc/\(module).md")
      let topics = try #require(page.components(separatedBy: "## Topics").last)
      let types = try SourceTree(under: "Sources/\(module)", endings: [".swift"]).files.flatMap {
        $0.code.matches(
          of: /(?m)^public (?:final |indirect )*(?:struct|class|enum|actor|protocol) (\w+)/
        ).map { String($0.1) }
      }
      #expect(!types.isEmpty)
      for type in types {
        let isListed = ["", "\(module)/"].contains { topics.contains("- ``\($0)\(type)``") }
        #expect(isListed, "the page of \(module) does not list \(type)")
      }
    }
  }

  @Test func `of Getting Started names the packages that the library alone needs`() throws {
    let manifest = try Self.text("Package.swift")
    let targets = Self.targets(manifest)
    var reached: Set<String> = []
    var open = ["ImagePipeline"]
    while let name = open.popLast() {
      guard reached.insert(name).inserted, let target = targets[name] else { continue }
      open += Self.quoted(target)
    }
    // What is linked without pkg-config.
    let linked = ["gif": ("libgif-dev", "giflib"), "z": ("zlib1g-dev", "zlib")]
    var (apt, brew): (Set<String>, Set<String>) = (["pkg-config"], ["pkgconf"])
    for system in manifest.matches(
      of: /system\("(\w+)", pkgConfig: "[^"]+", apt: "([^"]+)", brew: "([^"]+)"\)/)
    where reached.contains(String(system.1)) {
      apt.insert(String(system.2))
      brew.insert(String(system.3))
    }
    for library in reached.compactMap({ targets[$0] }).flatMap({
      $0.matches(of: /\.linkedLibrary\("(\w+)"\)/)
    }) {
      let packages = try #require(linked[String(library.1)], "\(library.1)")
      apt.insert(packages.0)
      brew.insert(packages.1)
    }
    let page = try Self.text("Sources/ImagePipeline/Documentation.docc/GettingStarted.md")
    func packages(after command: String) throws -> [String] {
      try #require(page.split(separator: "\n").first { $0.hasPrefix(command) })
        .dropFirst(command.count).split(separator: " ").map(String.init)
    }

    #expect(apt.count > 8)
    #expect(try packages(after: "sudo apt-get install").sorted() == apt.sorted())
    #expect(try packages(after: "brew install").sorted() == brew.sorted())
    #expect(try packages(after: "sudo dnf install").count == apt.count)
  }
}
