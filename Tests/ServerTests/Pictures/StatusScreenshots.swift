import Foundation
import Testing

@testable import HTTPListening
@testable import SampleFeed
@testable import TestSupport

/// Makes images of `/status` after an hour of traffic, in each theme and language:
/// `scripts/screenshots DIR`.
@Suite(
  .enabled(
    if: ProcessInfo.processInfo.environment["IMGCACHE_SCREENSHOTS"] != nil,
    "only for scripts/screenshots"))
struct `Screenshots of the status` {
  private let folder = ProcessInfo.processInfo.environment["IMGCACHE_SCREENSHOTS"] ?? ""

  /// An hour with a busy minute in which the origin fails.
  private static func hour() -> ServerStatus {
    var status = ServerStatus()
    status.time = 1_790_000_000
    status.uptimeSeconds = 93_600
    status.now = .init(
      seconds: 60, requests: 2832, clientErrors: 4, bytesSent: 31 << 20,
      answers: ["memory": 2210, "disk": 480, "miss": 97], p50Seconds: 0.0004, p90Seconds: 0.003,
      p99Seconds: 0.042)
    status.hour = .init(
      seconds: 3600, requests: 148_201, clientErrors: 210, serverErrors: 57, bytesSent: 1610 << 20,
      answers: [
        "memory": 112_000, "disk": 27_400, "shared": 2100, "stale": 310, "miss": 5900,
        "placeholder": 12,
      ], memoryEvictions: 4021, diskEvictions: 388, p50Seconds: 0.0005,
      p90Seconds: 0.004, p99Seconds: 0.11)
    status.load = .init(
      connections: 41, running: ["decode": 1], waiting: ["decode": 2, "fetch": 5],
      bytesInFlight: 3 << 20)
    status.memory = .init(entries: 4120, bytes: 58 << 20, limit: 64 << 20)
    status.disk = .init(entries: 91_234, bytes: 7 << 30, limit: 10 << 30)
    status.shared = .init(hits: 2100, misses: 5900, errors: 3)
    var history = ServerStatus.History.filled(30, 120)
    func wave(_ height: Double) -> [Int] {
      (0..<120).map { point in
        let wave = 1 + 0.4 * sin(Double(point) / 9) + 0.1 * sin(Double(point) * 1.7)
        return Int(height * wave * (point / 4 == 21 ? 1.8 : 1))
      }
    }
    history.requests = wave(1235)
    history.errors = wave(2)
    history.answers = [
      "memory": wave(930), "disk": wave(230), "shared": wave(17), "stale": wave(2),
      "miss": wave(49), "placeholder": wave(0),
    ]
    history.memoryEvictions = wave(33)
    history.diskEvictions = wave(3)
    history.running = ["decode": wave(1)]
    history.waiting = ["decode": wave(2), "fetch": wave(4)]
    history.p50Seconds = history.requests.map { Double($0) / 3_000_000 }
    history.p99Seconds = wave(49).map { Double($0) / 600 }
    status.history = history
    return status
  }

  @Test(arguments: [(320, 640), (390, 844), (1280, 800)], ["zh", "en"])
  func `of the page for operators`(size: (width: Int, height: Int), language: String) async throws {
    let reader: PageLanguage = language == "zh" ? .chinese : .english
    let page = StatusPage(status: Self.hour(), language: reader).html
    let styles = try String(
      contentsOf: SharedFixtures.packageRoot.appending(
        path: "Sources/HTTPListening/Status/Page/status.css"), encoding: .utf8)
    let server = try LoopbackServer { request in
      let isStyle = request.target.hasSuffix(".css")
      return LoopbackResponse(
        status: request.target == "/" || isStyle ? 200 : 404,
        headers: [("Content-Type", isStyle ? "text/css" : "text/html; charset=utf-8")],
        body: Array((isStyle ? styles : page).utf8))
    }
    defer { server.stop() }
    for scheme in ["light", "dark"] {
      let browser = try await BrowserPage(
        features: ["prefers-color-scheme": scheme], language: language, density: 1, size: size,
        isMobile: size.width < 900)
      try await browser.go(to: server.origin + "/")
      try await browser.wait(until: "$('.charts svg')")
      try await browser.screenshot().write(
        to: URL(fileURLWithPath: "\(folder)/status-\(size.width)-\(language)-\(scheme).png"))
      try await browser.close()
    }
  }
}
