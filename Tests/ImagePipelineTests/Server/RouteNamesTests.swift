import Testing

@testable import ThumbnailServer

/// The names by which requests are counted: few, whatever a client sends.
@Suite struct `The routes of metrics` {
  private static let routes: [(String, ServerMetrics.Route)] = [
    ("/thumb?url=a", .thumb), ("/image?url=a", .image), ("/info?url=a", .info), ("/days", .days),
    ("/days/latest/events", .days), ("/days?q=a", .days), ("/purge", .purge), ("/tags/a", .purge),
    ("/", .reader), ("/reader/reader.js", .reader), ("/healthz", .operation),
    ("/readyz", .operation), ("/metrics", .operation), ("/stats", .operation),
    ("/status", .operation), ("/status?lang=en", .operation), ("/status.json", .operation),
    ("/status/status.css", .operation), ("/status/other", .other), ("/healthz/", .other),
    ("/tags", .other), ("/favicon.ico", .other), ("", .other), ("*", .other),
    ("http://a/thumb", .other),
  ]

  @Test(arguments: routes)
  func `are few, by the first segment of a path`(target: String, route: ServerMetrics.Route) {
    #expect(ServerMetrics.Route(target: target) == route)
  }

  @Test func `count responses by status, and bytes of clients without those of operators`() {
    let metrics = ServerMetrics()
    func answered(_ route: ServerMetrics.Route, _ status: Int, _ tier: ServerMetrics.Tier) {
      metrics.answered(route, status: status, tier: tier, byteCount: 10, nanoseconds: 2_000_000)
    }
    answered(.thumb, 200, .memory)
    answered(.thumb, 200, .disk)
    answered(.thumb, 404, .none)
    answered(.image, 200, .memory)
    answered(.operation, 200, .none)

    #expect(metrics.statuses() == [200: 4, 404: 1])
    #expect(metrics.statuses(of: .thumb) == [200: 2, 404: 1])
    #expect(metrics.statuses(of: .days) == [:])
    #expect(metrics.count(of: .memory) == 2 && metrics.count(of: .disk) == 1)
    #expect(metrics.sentByteCount == 50 && metrics.clientByteCount == 40)
    #expect(metrics.durations(of: .thumb).count == 3)
    #expect(metrics.durations(of: .info).count == 0)
  }

  @Test func `do not list responses without an image among the sources of images`() {
    let metrics = ServerMetrics()
    metrics.answered(.reader, status: 200, tier: .none, byteCount: 1, nanoseconds: 1)
    metrics.answered(.thumb, status: 200, tier: .shared, byteCount: 1, nanoseconds: 1)
    metrics.purged(3)
    var text = PrometheusText()

    metrics.registry.write(to: &text, help: ServerMetrics.help)

    #expect(text.text.contains("imgcache_answers_total{source=\"shared\"} 1\n"))
    #expect(!text.text.contains("source=\"none\""))
    #expect(text.text.contains("imgcache_purged_total 3\n"))
    #expect(text.text.contains("imgcache_requests_total{route=\"reader\",code=\"200\"} 1\n"))
  }

  // MARK: Counts of a span

  private func counts(_ numbers: [Int]) -> StatusCounts {
    var counts = StatusCounts()
    for (event, number) in zip(StatusCounts.Event.allCases, numbers) { counts[event] = number }
    return counts
  }

  @Test func `are subtracted and added event by event`() {
    let count = StatusCounts.Event.allCases.count
    let before = counts((0..<count).map { $0 * 3 })
    let after = counts((0..<count).map { $0 * 3 + $0 % 5 })

    let span = after.since(before)

    #expect(StatusCounts.Event.allCases.map { span[$0] } == (0..<count).map { $0 % 5 })
    var sum = before
    sum.add(span)
    #expect(sum == after)
  }

  @Test func `of an event that restarted do not disturb the others`() {
    var (before, after) = (StatusCounts(), StatusCounts())
    (before[.requests], before[.memory]) = (100, 5)
    (after[.requests], after[.memory]) = (7, 9)

    let span = after.since(before)

    #expect(span[.requests] == 7)
    #expect(span[.memory] == 4)
  }

  // MARK: Texts

  private static let texts: [StatusText] = [
    .title, .uptime, .updated, .unreachable, .charts, .stores, .table, .now, .lastMinute,
    .lastHour, .requests, .requestRate, .errors, .hitRate, .latency, .latencyHint, .queue,
    .queueHint, .evictions, .evictionRate, .inFlight, .connections, .sent, .memory, .disk, .shared,
    .stale, .misses, .placeholders, .median, .slowest, .decodesRunning, .decodesWaiting,
    .fetchesWaiting, .waiting, .perSecond, .tierWorks, .tierSuspended, .time, .highest, .noData,
    .sharedErrors, .entries, .minutes, .hours, .days,
  ]

  @Test func `are explained in each language, in its letters`() {
    func isHan(_ text: String) -> Bool {
      text.unicodeScalars.contains { (0x4E00...0x9FFF).contains($0.value) }
    }
    for text in Self.texts {
      let (english, chinese) = (text.text(in: .english), text.text(in: .chinese))
      #expect(!english.isEmpty && english.unicodeScalars.allSatisfy(\.isASCII), "\(text)")
      #expect(isHan(chinese) || chinese == "/秒", "\(text)")
    }
  }
}
