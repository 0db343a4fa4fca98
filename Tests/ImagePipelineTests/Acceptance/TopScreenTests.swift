import Testing

@testable import ThumbnailServer
@testable import imgcache

@Suite struct `The status in a terminal` {
  private func status() -> ServerStatus {
    var status = ServerStatus()
    status.uptimeSeconds = 4000
    status.now = .init(seconds: 60, requests: 744, memoryHits: 97, misses: 3, p50Seconds: 0.0004)
    status.hour = .init(
      seconds: 3600, requests: 36_000, serverErrors: 12, memoryHits: 600, diskHits: 300,
      misses: 100, memoryEvictions: 1234, p99Seconds: 1.5)
    status.memory = .init(entries: 9, bytes: 32 << 20, limit: 64 << 20)
    status.history = .filled(30, 121)
    return status
  }

  @Test func `the figures of the minute and the hour are in columns`() {
    let lines = TopScreen(address: "http://h", columns: 100).lines(status())

    #expect(lines[0] == "http://h  up 1 h 6 min")
    #expect(lines.contains { $0.hasPrefix("requests/s           12        10  ") })
    #expect(lines.contains { $0.hasPrefix("hit rate           97 %      90 %  ") })
    #expect(lines.contains { $0.hasPrefix("latency p50      0.4 ms         -  ") })
    #expect(lines.contains { $0.hasPrefix("latency p99           -     1.5 s  ") })
    #expect(lines.contains { $0.hasPrefix("errors                0        12  ") })
    #expect(lines.contains { $0.hasPrefix("evictions             0     1,234  ") })
    #expect(lines.contains("images       memory 60 %, disk 30 %, misses 10 %"))
    #expect(
      lines.contains { $0.hasPrefix("memory       ██████████░░░░░░░░░░ 32 MiB of 64 MiB, 9") })
  }

  @Test(arguments: [1, 20, 60, 80, 120, 400])
  func `no line is wider than the terminal`(columns: Int) {
    var status = status()
    status.shared = .init(isSuspended: true, hits: 1, misses: 2, errors: 3)
    let screen = TopScreen(
      address: "http://\(String(repeating: "a", count: 300))", columns: columns,
      failure: String(repeating: "x", count: 500))
    for line in screen.lines(status) { #expect(line.count <= columns) }
  }

  @Test func `a series ends at now, and has gaps where nothing was measured`() {
    let screen = TopScreen(address: "http://h", columns: 45)

    #expect(screen.line([0, nil, 4, 8]) == String(repeating: " ", count: 9) + "█")
    #expect(TopScreen(address: "", columns: 155).line([0, nil, 4, 8]).hasSuffix("  ▁ ▄█"))
    #expect(screen.line([]) == String(repeating: " ", count: 10))
    #expect(screen.line([.infinity, .nan]).allSatisfy { $0 == " " })
  }

  @Test func `the numbers of a hostile server are shown without a crash, and no control character`()
  {
    var status = status()
    status.now = .init(
      seconds: -1, requests: .max, clientErrors: .max, serverErrors: .max, memoryHits: .max,
      diskHits: .max, misses: .min, memoryEvictions: .max, diskEvictions: .max, p50Seconds: 1e308,
      p90Seconds: -1, p99Seconds: 1e-320)
    status.hour = status.now
    status.uptimeSeconds = 1e300
    status.memory = .init(entries: .min, bytes: .min, limit: .max)
    status.disk = .init(entries: .max, bytes: .max, limit: .min)
    status.load = .init(decodesWaiting: .max, fetchesWaiting: .max, bytesInFlight: .min)
    status.history.requests = [.max, .min]
    status.history.seconds = [0, 1e-300, -5]
    status.history.p50Seconds = [Double?](repeating: 1e308, count: 100_000)
    let screen = TopScreen(address: "http://h\u{1B}[2J", columns: 80, failure: "a\u{7}\u{1B}]0;x")

    for line in screen.lines(status) {
      #expect(line.count <= 80)
      #expect(!line.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F })
    }
  }
}
