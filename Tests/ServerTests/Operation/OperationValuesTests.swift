import CoreMetrics
import Foundation
import ImageModel
import Testing

@testable import HTTPListening
@testable import ThumbnailServer

@Suite struct `Metrics and logs` {
  private func histogram(_ values: [Double]) -> Histogram {
    var histogram = Histogram()
    for value in values { histogram.add(value) }
    return histogram
  }

  @Test func `a histogram is the sum of its spans, and counts everything after a restart`() {
    let (former, added) = (histogram([0.25, 1]), histogram([0.5, 20]))
    var all = former
    all.add(added)

    #expect(all.count == 4 && all.sum == 21.75)
    #expect(all.since(former).counts == added.counts)
    #expect(all.since(former).count == 2 && all.since(former).sum == 20.5)
    #expect(histogram([1]).since(histogram([0.001, 1, 1])) == histogram([1]))
  }

  @Test func `a histogram counts by upper bounds and interpolates quantiles between them`() {
    let histogram = histogram([0.0001, 0.0002, 0.003, 0.003, 99])

    #expect(histogram.count == 5 && histogram.counts[0] == 1)
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
    Counter(label: "b_total", dimensions: [("tier", "memory")], factory: registry).increment(by: 3)
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

  @Test func `a log line is one line`() throws {
    var entry = AccessLog.Entry(
      "/thumb?url=a\"\r\n[x]\u{7F}é", status: 200, byteCount: 7, source: .memory)
    entry.head.headers.add(name: "User-Agent", value: "a\"b\u{1B}")
    entry.address = "192.0.2.1"
    entry.problem = "code"
    func line(_ format: AccessLog.Format) -> String {
      AccessLog.line(entry, format, seconds: 0.0012345, date: "Fri, 27 Nov 2026 08:46:50 GMT")
    }

    #expect(
      line(.text)
        == #"[Fri, 27 Nov 2026 08:46:50 GMT] "GET /thumb?url=a\"\u{d}\u{a}[x]\u{7f}\u{e9}" 200 7 "#
        + "0.001235 memory - 192.0.2.1 code")
    #expect(
      line(.combined)
        == #"192.0.2.1 - - [27/Nov/2026:08:46:50 +0000] "GET /thumb?url=a\"\x0d\x0a[x]\x7f\xc3\xa9 "#
        + #"HTTP/1.1" 200 7 "-" "a\"b\x1b" "code""#)
    let object = try JSONDecoder().decode([String: JSONField].self, from: Data(line(.json).utf8))
    #expect(object["time"] == .text("2026-11-27T08:46:50Z"))
    #expect(object["target"] == .text("/thumb?url=a\"\r\n[x]\u{7F}é"))
    #expect(object["status"] == .number(200) && object["seconds"] == .number(0.001235))
    #expect(object["source"] == .text("memory") && object["code"] == .text("code"))
    #expect(object["user_agent"] == .text("a\"b\u{1B}") && object["trace"] == nil)
    for format in AccessLog.Format.allCases { #expect(!line(format).contains("\n")) }
  }

  private enum JSONField: Decodable, Equatable {
    case text(String)
    case number(Double)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      self =
        try (try? container.decode(Double.self)).map { .number($0) }
        ?? .text(container.decode(String.self))
    }
  }

  @Test(
    arguments: [
      ([], "198.51.100.7", ["192.0.2.1"], "198.51.100.7"),
      (["198.51.100.7"], "198.51.100.7", ["192.0.2.1"], "192.0.2.1"),
      (["198.51.100.0/24"], "198.51.100.7", ["9.9.9.9, 192.0.2.1", "198.51.100.9"], "192.0.2.1"),
      (["198.51.100.7"], "198.51.100.7", [], "198.51.100.7"),
      (["198.51.100.7"], "198.51.100.7", ["192.0.2.1, x"], "198.51.100.7"),
      (["198.51.100.7"], "198.51.100.7", ["9.9.9.9, x, 198.51.100.7"], "198.51.100.7"),
      (["198.51.100.7"], "::ffff:198.51.100.7", ["[2001:db8::1]:99"], "2001:db8::1"),
      (["198.51.100.7"], "198.51.100.7", ["192.0.2.1:4711"], "192.0.2.1"),
      (["2001:db8::/33"], "2001:db8:7fff::1", ["192.0.2.1"], "192.0.2.1"),
      (["2001:db8::/33"], "2001:db8:8000::1", ["192.0.2.1"], "2001:db8:8000::1"),
      (["unix"], nil, ["192.0.2.1"], "192.0.2.1"), ([], nil, ["192.0.2.1"], nil),
    ] as [([String], String?, [String], String?)])
  func `only a trusted proxy names the client`(
    trusted: [String], peer: String?, lines: [String], client: String?
  ) throws {
    #expect(try TrustedProxies(trusted).client(behind: peer, lines) == client)
  }

  @Test(arguments: [
    (["for=192.0.2.7;proto=https, for=10.0.0.2"], "192.0.2.7"),
    (["For=\"[2001:db8::1]:4711\";by=10.0.0.1"], "2001:db8::1"),
    (["proto=https; for=\"192.0.2.7:80\""], "192.0.2.7"),
    (["for=192.0.2.6", "for=192.0.2.7"], "192.0.2.7"), (["for=_hidden"], "10.0.0.1"),
    (["by=192.0.2.7"], "10.0.0.1"), (["for=\"192.0.2.7, 192.0.2.8"], "10.0.0.1"),
  ])
  func `the client is also named by Forwarded, where there is no X-Forwarded-For`(
    lines: [String], client: String
  ) throws {
    let proxies = try TrustedProxies(["10.0.0.0/8"])

    #expect(proxies.client(behind: "10.0.0.1", [], lines) == client)
    #expect(proxies.client(behind: "10.0.0.1", ["192.0.2.1"], lines) == "192.0.2.1")
    #expect(proxies.client(behind: "198.51.100.1", [], lines) == "198.51.100.1")
  }

  @Test(arguments: ["", "a", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "::/129", "10.0.0", "UNIX"])
  func `a proxy is an address, a network or Unix sockets`(entry: String) {
    #expect(throws: ImageError.self) { try TrustedProxies([entry]) }
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
      .init { line in lines.withLock { $0.append(line) } }, trusting: TrustedProxies(),
      clock: DateField { .distantPast },
      shown: URLSigner.hidden)

    log.record(AccessLog.Entry(target, status: 200, byteCount: 7), seconds: 0.5)

    let line = lines.withLock { $0.first }
    #expect(
      line?.hasSuffix(#""GET \#(logged)" 200 7 0.5 none - - -"#) == true, "\(line ?? "no line")")
  }

  @Test(arguments: [
    (AccessLog.Format.text, #""-" 400"#), (.combined, #""-" 400"#), (.json, #""method":"-""#),
  ])
  func `a head that could not be read has no method in the log`(
    format: AccessLog.Format, piece: String
  ) {
    let lines = Locked<[String]>([])
    var configuration = AccessLog.Configuration { line in lines.withLock { $0.append(line) } }
    configuration.format = format
    let log = AccessLog(
      configuration, trusting: TrustedProxies(), clock: DateField { .distantPast }, shown: { $0 })

    log.record(AccessLog.Entry("", status: 400, byteCount: 7), seconds: 0.5)

    let line = lines.withLock { $0.first } ?? "no line"
    #expect(line.contains(piece) && !line.contains("GET"), "\(line)")
  }
}
