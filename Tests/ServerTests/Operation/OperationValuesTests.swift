import CoreMetrics
import Foundation
import ImageModel
import Testing

@testable import HTTPListening
@testable import ThumbnailServer

@Suite struct `Metrics and logs` {
  @Test func `a histogram counts by upper bounds and interpolates quantiles between them`() {
    var histogram = Histogram()
    for seconds in [0.0001, 0.0002, 0.003, 0.003, 99] { histogram.add(seconds) }

    #expect(histogram.count == 5)
    #expect(histogram.counts.reduce(0, +) == 5)
    #expect(histogram.counts.last == 1)
    #expect(histogram.quantile(0.5) == 0.003125)
    #expect(histogram.quantile(1) == 10)
    #expect(Histogram().quantile(0.5) == nil)
  }

  @Test func `the text of a histogram is cumulative and ends at infinity`() {
    var histogram = Histogram()
    histogram.add(0.0001)
    histogram.add(20)
    var text = PrometheusText()

    text.metric("x_seconds", .histogram, "Things.")
    text.histogram("x_seconds", [("route", "a\"b\\c\nd")], histogram)

    #expect(text.text.hasPrefix("# HELP x_seconds Things.\n# TYPE x_seconds histogram\n"))
    #expect(text.text.contains(#"x_seconds_bucket{route="a\"b\\c\nd",le="0.0001"} 1"#))
    #expect(text.text.contains(#",le="10.0"} 1"#))
    #expect(text.text.contains(#",le="+Inf"} 2"#))
    #expect(text.text.contains(#"x_seconds_count{route="a\"b\\c\nd"} 2"#))
  }

  @Test func `counters and timers of swift-metrics are exported under their label and dimensions`()
  {
    let registry = PrometheusRegistry()
    for _ in 0..<2 {
      Counter(label: "b_total", dimensions: [("tier", "disk")], factory: registry).increment()
    }
    Counter(label: "b_total", dimensions: [("tier", "memory")], factory: registry)
      .increment(by: 3)
    Timer(label: "a_seconds", dimensions: [], factory: registry).recordNanoseconds(2_000_000)
    var text = PrometheusText()

    registry.write(to: &text, help: ["b_total": "Things."])

    #expect(text.text.hasPrefix("# TYPE a_seconds histogram\n"))
    #expect(text.text.contains(#"a_seconds_bucket{le="0.0025"} 1"#))
    #expect(
      text.text.hasSuffix(
        """
        # HELP b_total Things.
        # TYPE b_total counter
        b_total{tier="disk"} 2
        b_total{tier="memory"} 3

        """))
  }

  @Test func `a log line is one line`() {
    let entry = AccessLog.Entry(
      method: "GET", target: "/thumb?url=a\"\r\n[x]\u{7F}é", status: 200, byteCount: 7,
      tier: .memory)

    let line = AccessLog.line(entry, seconds: 0.0012345, date: "now")

    #expect(
      line
        == #"[now] "GET /thumb?url=a\"\u{d}\u{a}[x]\u{7f}\u{e9}" 200 7 0.001235 memory -"#
    )
  }

  @Test(arguments: [
    ("/thumb?%73ig=abc&url=u", "/thumb?%73ig=***&url=u"),
    ("/thumb?url=u&s%69%67=abc%20", "/thumb?url=u&s%69%67=***"),
    ("/thumb?url=u&sig", "/thumb?url=u&sig=***"),
    ("/thumb?sig=abc&url=a&sig=def", "/thumb?sig=***&url=a&sig=***"),
    ("/thumb?signature=1&si=2", "/thumb?signature=1&si=2"),
    (
      "/thumb?url=http%3A%2F%2Fa%2Fthumb%3Fw%3D1%26sig%3Dabc&w=1",
      "/thumb?url=http%3A%2F%2Fa%2Fthumb%3Fw%3D1%26sig%3D***&w=1"
    ),
    ("/thumb?%zzsig=abc", "/thumb?%zzsig=abc"), ("/sig=1", "/sig=1"),
  ])
  func `a signature is left out of the log however its key is spelled`(
    target: String, logged: String
  ) {
    let lines = Locked<[String]>([])
    let log = AccessLog(
      clock: DateField { .distantPast }, shown: URLSigner.hidden,
      write: { line in lines.withLock { $0.append(line) } })

    log.note(
      AccessLog.Entry(method: "GET", target: target, status: 200, byteCount: 7), seconds: 0.5)

    let line = lines.withLock { $0.first }
    #expect(line?.hasSuffix(#""GET \#(logged)" 200 7 0.5 none -"#) == true, "\(line ?? "no line")")
  }

  @Test(arguments: [
    ("imgcache; hit; detail=memory", ServerMetrics.Tier.memory),
    ("imgcache; hit; detail=disk", .disk), ("imgcache; hit; ttl=-5; detail=disk", .disk),
    ("imgcache; fwd=miss", .miss), ("imgcache; fwd=stale; fwd-status=304", .stale),
    ("imgcache; detail=placeholder", .placeholder),
  ])
  func `the tier of a response is read from Cache-Status`(status: String, tier: ServerMetrics.Tier)
  {
    #expect(ServerMetrics.Tier(status: status) == tier)
    #expect(ServerMetrics.Tier(status: nil) == ServerMetrics.Tier.none)
  }
}
