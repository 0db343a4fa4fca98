import Foundation
import Testing

@testable import SampleFeed
@testable import TestSupport

@Suite(.startsPrograms) struct `The example of tracing` {
  @Test(.enabled(if: Examples.isBuilt("LoadTracing")))
  func `writes the spans of two loads as OTLP lines`() async throws {
    let scratch = try Scratch()
    let origin = try FaultyOrigin([
      "/a.jpg": [.whole(SampleImages.widePhoto, fields: ["Cache-Control: max-age=60"])]
    ])
    defer { origin.stop() }

    let outcome = try await Tool(path: Tool.buildFolder + "/LoadTracing")
      .run([origin.url("/a.jpg"), scratch / "spans.jsonl"])

    #expect(outcome.status == 0, "\(outcome.errors)")
    let lines = try String(contentsOfFile: scratch / "spans.jsonl", encoding: .utf8)
    let spans = try lines.split(separator: "\n").map { try span($0) }
    let root = try #require(spans.first { $0["name"] as? String == "example" })
    let loads = spans.filter { $0["name"] as? String == "image load" }
    let fetch = try #require(spans.first { $0["name"] as? String == "fetch" })
    #expect(loads.map { $0["parentSpanId"] as? String } == [id(root), id(root)])
    #expect(loads.contains { id($0) == fetch["parentSpanId"] as? String })
    #expect(Set(spans.map { $0["traceId"] as? String }) == [root["traceId"] as? String])
    let parent = "00-\(root["traceId"] as? String ?? "")-\(id(fetch) ?? "")-01"
    #expect(origin.requests.map { $0["traceparent"] } == [parent])
    #expect(lines.contains(#"{"key":"http.response.status_code","value":{"intValue":"200"}}"#))
  }

  private func id(_ span: [String: Any]) -> String? { span["spanId"] as? String }

  private func span(_ line: Substring) throws -> [String: Any] {
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    let resource = try #require((object?["resourceSpans"] as? [[String: Any]])?.first)
    let scope = try #require((resource["scopeSpans"] as? [[String: Any]])?.first)
    return try #require((scope["spans"] as? [[String: Any]])?.first)
  }
}
