import Testing

@testable import HTTPListening
@testable import ThumbnailServer

/// The names by which requests are counted: few, whatever a client sends.
@Suite struct `The routes of metrics` {
  private static let routes: [(String, ThumbnailRoute)] = [
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
  func `are few, by the first segment of a path`(target: String, route: ThumbnailRoute) {
    #expect(ThumbnailRoute(target: target) == route)
  }

  @Test func `count responses by status, and bytes of clients without those of operators`() {
    let metrics = ServerMetrics(ThumbnailRoute.self)
    let lanes = [metrics.lane(), metrics.lane()]
    func answered(
      _ target: String, _ status: Int, _ source: ServerMetrics.Source, in lane: Int = 0
    ) {
      metrics.answered(
        AccessLog.Entry(target, status: status, byteCount: 10, source: source),
        nanoseconds: 2_000_000, in: lanes[lane])
    }
    answered("/thumb?url=a", 200, .memory)
    answered("/thumb?url=b", 200, .disk, in: 1)
    answered("/thumb?url=c", 404, .none)
    answered("/image?url=a", 200, .memory)
    answered("/stats", 200, .none)

    let requests = metrics.requests
    #expect(requests.statuses() == [200: 4, 404: 1])
    #expect(requests.statuses(of: ThumbnailRoute.thumb) == [200: 2, 404: 1])
    #expect(requests.statuses(of: ThumbnailRoute.days) == [:])
    #expect(requests.count(of: .memory) == 2 && requests.count(of: .disk) == 1)
    #expect(requests.sentByteCount == 50 && requests.clientByteCount == 40)
    #expect(requests.durations[ThumbnailRoute.thumb.rawValue].count == 3)
    #expect(requests.durations[ThumbnailRoute.info.rawValue].count == 0)
  }

  @Test func `do not list responses without an image among the sources of images`() {
    let metrics = ServerMetrics(ThumbnailRoute.self)
    let lane = metrics.lane()
    for (target, source) in [("/", ServerMetrics.Source.none), ("/thumb?url=a", .shared)] {
      metrics.answered(
        AccessLog.Entry(target, status: 200, byteCount: 1, source: source), nanoseconds: 1,
        in: lane)
    }
    var text = PrometheusText()

    metrics.write(to: &text, help: ServerMetrics.help)

    #expect(text.text.contains("imgcache_answers_total{source=\"shared\"} 1\n"))
    #expect(!text.text.contains("source=\"none\""))
    #expect(text.text.contains("imgcache_requests_total{route=\"reader\",code=\"200\"} 1\n"))
  }

  // MARK: Counts of a span

  private func counts(_ numbers: [Int]) -> StatusCounts {
    var counts = StatusCounts()
    for (source, number) in zip(ServerMetrics.Source.allCases, numbers) {
      counts.figures.answers["\(source)"] = number
    }
    for (counter, number) in zip(StatusCounts.counters, numbers) {
      counts[keyPath: counter] = number
    }
    return counts
  }

  @Test func `are subtracted and added event by event`() {
    let count = StatusCounts.counters.count
    let before = counts((0..<count).map { $0 * 3 })
    let after = counts((0..<count).map { $0 * 3 + $0 % 5 })

    let span = after.since(before)

    #expect(StatusCounts.counters.map { span[keyPath: $0] } == (0..<count).map { $0 % 5 })
    #expect(span.figures.answers.values.sorted() == (0..<count).map { $0 % 5 }.sorted())
    var sum = before
    sum.add(span)
    #expect(sum == after)
  }

  @Test func `of an event that restarted do not disturb the others`() {
    var (before, after) = (StatusCounts(), StatusCounts())
    (before.figures.requests, before.figures.answers["memory"]) = (100, 5)
    (after.figures.requests, after.figures.answers["memory"]) = (7, 9)

    let span = after.since(before)

    #expect(span.figures.requests == 7)
    #expect(span.figures.answers["memory"] == 4)
  }
}
