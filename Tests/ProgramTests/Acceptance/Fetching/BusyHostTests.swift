import Foundation
import Testing

@testable import ImageModel
@testable import SampleFeed
@testable import TestSupport

/// Hosts that allow some requests a second, and answer the others by an error.
@Suite(.serialized, .needsProgram, .timeLimit(.minutes(5)))
struct `Busy hosts` {
  private static let count = 12

  private final class Origin: Sendable {
    let server: LoopbackServer
    private let requests: Locked<Int>
    var requestCount: Int { requests.withLock { $0 } }

    /// - Parameter refusal: The status of a refusal; `nil` refuses nothing.
    init(refusal: Int?, allowing rate: Double = 4) throws {
      let requests = Locked(0)
      self.requests = requests
      let start = ContinuousClock.now
      let bucket = Locked(TokenBucket(rate: rate, capacity: 4, now: .zero))
      server = try LoopbackServer { request in
        if request.path == "/list.txt" {
          let host = request["host"] ?? ""
          let lines = (0..<count).map { "http://\(host)/\($0).png\n" }.joined()
          return LoopbackResponse(status: 200, body: Array(lines.utf8))
        }
        requests.withLock { $0 += 1 }
        if let refusal, !bucket.withLock({ $0.consume(1, now: ContinuousClock.now - start) }) {
          return LoopbackResponse(status: refusal)
        }
        guard let bytes = try? FeedOrigin.image(request.path) else {
          return LoopbackResponse(status: 404)
        }
        return .file(bytes, mediaType: "image/png", entityTag: "\"\(request.path)\"", for: request)
      }
    }

    var list: String { server.origin + "/list.txt" }
  }

  @Test(arguments: [(429, [], 40), (503, [], 60), (403, ["--max-rate", "3"], 15)])
  func `give all images, and are not asked many times more`(
    refusal: Int, options: [String], most: Int
  ) async throws {
    let origin = try Origin(refusal: refusal)
    defer { origin.server.stop() }

    let report = try await Tool.prefetch(try Scratch(), ["--feed", origin.list] + options)

    #expect(report.status == 0, "\(report.errors)")
    #expect(report.summary["downloaded"] as? Int == Self.count)
    #expect(origin.requestCount <= most)
  }

  @Test func `are given up in time, and hold up no other host`() async throws {
    let (busy, other) = (try Origin(refusal: 429, allowing: 1e-9), try Origin(refusal: nil))
    defer {
      busy.server.stop()
      other.server.stop()
    }

    let report = try await Tool.prefetch(
      try Scratch(), ["--feed", busy.list, "--feed", other.list, "--give-up", "1s"])

    let most = Self.count + 4
    #expect(report.status == 1)
    #expect(report.summary["downloaded"] as? Int == most)
    #expect(report.summary["failed"] as? Int == Self.count - 4)
    #expect(report.images.prefix(most).allSatisfy { $0["status"] as? String == "ok" })
    #expect(report.errors.contains("429"))
  }
}
