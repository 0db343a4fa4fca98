import Foundation
import Testing

@testable import TestSupport
@testable import imgcache

/// Checks the schema of `--json`, and the page about it, against the program.
@Suite struct `JSON output` {
  private struct Schema: Decodable {
    struct Definition: Decodable {
      struct Property: Decodable {
        init(from decoder: any Decoder) {}
      }
      let properties: [String: Property]?
    }
    enum CodingKeys: String, CodingKey { case definitions = "$defs" }
    let definitions: [String: Definition]
  }

  private static let root = SharedFixtures.packageRoot

  @Test func `the schema has every event, and the page every event and member`() throws {
    let schema = try JSONDecoder().decode(
      Schema.self,
      from: Data(
        contentsOf: Self.root.appending(path: "Distribution/imgcache-output.schema.json")))
    let page = try String(
      contentsOf: Self.root.appending(
        path: "Sources/ImagePipeline/Documentation.docc/JSONOutput.md"), encoding: .utf8)
    let rows = page.split(separator: "\n").filter {
      $0.hasPrefix("| `") && !$0.contains("| members |")
    }

    let events = schema.definitions.filter { $0.value.properties?["event"] != nil }

    #expect(Set(events.keys) == Set(OutputEvent.allCases.map(\.rawValue)))
    #expect(rows.count == events.count)
    for (event, definition) in events {
      let row = rows.first { $0.hasPrefix("| `\(event)` |") } ?? ""
      for name in (definition.properties ?? [:]).keys where name != "event" {
        #expect(row.contains("`\(name)`"), "\(event) of the page does not have \(name)")
      }
    }
  }

  @Test(
    .needsProgram,
    .enabled("needs jsonschema") {
      await PythonTool("jsonschema", importing: "jsonschema") != nil
    })
  func `every command writes what the schema describes`() async throws {
    let check = Tool(
      path: Self.root.appending(path: "scripts/check-output").path,
      environment: ["IMGCACHE_PROGRAM": Tool.imgcache.path])

    let outcome = try await check.run([])

    #expect(outcome.status == 0, "\(outcome.errors)")
  }
}
