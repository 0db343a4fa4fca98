import Foundation
import Testing

@testable import TestSupport

@Suite(.needsProgram) struct `A trace of serve` {
  @Test func `it has a line for each image, memory hits included`() async throws {
    let origin = try ListOrigin(count: 1)
    defer { origin.stop() }
    let scratch = try Scratch()
    let trace = scratch / "trace.csv"
    _ = try await Tool.prefetch(scratch, ["--feed", origin.feed])
    let child = try Tool.imgcache.start(
      [
        "serve", "--listen", "127.0.0.1:0", "--json", "--offline", "--record-trace", trace,
        "--cache-dir", scratch / "cache",
      ], writingTo: scratch)
    let port = try await child.listening(from: scratch).port
    let url = origin.urls[0]

    for _ in 0..<3 {
      _ = try RawClient(port: port).exchange("GET", "/thumb?url=\(url)&w=4&h=4&format=png")
    }
    let original = try RawClient(port: port).exchange("GET", "/image?url=\(url)")
    _ = try RawClient(port: port).exchange("GET", "/image?url=\(url)x")
    child.signal(SIGTERM)
    let status = try await child.end()

    let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
    let keys = lines.map { $0.split(separator: ",").dropFirst() }
    #expect(status == 0)
    #expect(keys.count == 5)
    #expect(keys[0].first?.hasPrefix("\(url)#thumb") == true)
    #expect(keys[0] == keys[1] && keys[1] == keys[2])
    #expect(Array(keys[3]) == [url[...], "\(original.body.count)"])
    #expect(Array(keys[4]) == ["\(url)x", "0"])
  }
}
