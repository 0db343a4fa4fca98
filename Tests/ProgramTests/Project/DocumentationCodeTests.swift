import Foundation
import Testing
@testable import TestSupport

/// Type-checks the Swift of README and of the DocC pages against the public interface, and compares
/// command lines with the program.
///
/// The blocks of a page are compiled in order, each inside the one before: a fragment may use what
/// the blocks above it declare. Imports count for their page. What a page leaves to its reader to
/// declare is in ``assumed``.
@Suite(.needsProgram) struct `Documentation code` {
  /// What fragments use without declaring it.
  private static let assumed = """
    import ImageFeeds
    import ImageFetching
    import ImagePipeline
    import Tracing
    func assume<Value>() -> Value { preconditionFailure() }
    nonisolated var directory: String { assume() }
    nonisolated var folder: String { assume() }
    nonisolated var url: String { assume() }
    nonisolated var urls: [String] { assume() }
    nonisolated var pipeline: ImagePipeline { assume() }
    nonisolated var feed: FeedSource { assume() }
    nonisolated var tracer: any Tracer { assume() }
    nonisolated func draw(_ pixels: PixelBuffer?) {}

    """

  @Test func `every Swift block of README and the guides compiles as a user's would`() async throws
  {
    let scratch = try Scratch()
    try Self.assumed.write(
      toFile: scratch / "Assumed.swift", atomically: true, encoding: .utf8)
    var files = [scratch / "Assumed.swift"]
    var count = 0
    for (index, page) in DocumentationPage.all.enumerated() {
      let blocks = page.blocks.filter { $0.language == "swift" }
      guard !blocks.isEmpty else { continue }
      count += blocks.count
      files.append(scratch / "Page\(index).swift")
      try Self.source(of: page, blocks, named: "page\(index)").write(
        toFile: files[files.count - 1], atomically: true, encoding: .utf8)
    }
    let root = SharedFixtures.packageRoot.path
    let modules = try await Tool(path: root + "/scripts/module-options").run([Tool.buildFolder])
    try #require(modules.status == 0, "\(modules.errors)")
    let runtime = try await Tool(path: "swiftc").run(["-print-target-info"]).output
      .firstMatch(of: /"runtimeResourcePath": *"([^"]+)"/)

    let outcome = try await Tool(path: "swiftc").run(
      [
        "-typecheck", "-swift-version", "6", "-package-description-version", "6.2", "-I",
        "\(runtime?.1 ?? "")/pm/ManifestAPI",
      ] + modules.output.split(separator: "\n").map(String.init) + files)

    #expect(count > 40)
    #expect(outcome.status == 0, "\(outcome.errors.prefix(6000))")
  }

  /// The blocks of a page as one function; errors name the page and the line.
  private static func source(
    of page: DocumentationPage, _ blocks: [DocumentationPage.Block], named name: String
  ) -> String {
    var imports: [Substring] = []
    var body = ""
    for block in blocks {
      let lines = block.text.split(separator: "\n", omittingEmptySubsequences: false)
      imports += lines.filter { $0.hasPrefix("import ") }
      body += "do {\n#sourceLocation(file: \"\(page.path)\", line: \(block.line))\n"
      body += lines.map { $0.hasPrefix("import ") ? "" : $0 }.joined(separator: "\n") + "\n"
    }
    let end = String(repeating: "}\n", count: blocks.count)
    return imports.joined(separator: "\n") + "\n"
      + "func \(name)() async throws {\n\(body)\(end)}\n#sourceLocation()\n"
  }
}
