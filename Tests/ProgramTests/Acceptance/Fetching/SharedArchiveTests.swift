import Foundation
import Testing

@testable import ImageModel
@testable import SampleFeed
@testable import TestSupport

@Suite(.serialized, .needsProgram, .timeLimit(.minutes(5)))
struct `Archives of several processes` {
  @Test func `two processes that fetch one feed at once lose no item of each other`() async throws {
    let origin = try FeedOrigin(images: [])
    defer { origin.stop() }
    let count = Locked(0)
    let server = try LoopbackServer { request in
      // Each answer has items of its own.
      let number = count.withLock {
        $0 += 1
        return $0
      }
      let items = (0..<40).map {
        "<item><guid>\(number)-\($0)</guid><pubDate>20 Nov 2026</pubDate></item>"
          + "<item><guid>u\(number)-\($0)</guid></item>"
      }
      return LoopbackResponse(
        status: 200, body: Array("<rss><channel>\(items.joined())</channel></rss>".utf8))
    }
    defer { server.stop() }
    let cache = try Scratch()
    let runs = 6

    try await withThrowingTaskGroup { group in
      for _ in 0..<runs {
        group.addTask {
          let report = try await Tool.prefetch(cache, ["--feed", server.origin + "/feed.xml"])
          #expect(report.status == 0, "\(report.errors)")
        }
      }
      try await group.waitForAll()
    }
    let kept = try await Tool.prefetch(cache, ["20261120", "--offline"])

    #expect(kept.records("day").first?["stories"] as? Int == runs * 40)
  }
}
