import Foundation
import Testing

@testable import ImageCodecs
@testable import SampleFeed
@testable import TestSupport

/// Failures of origins: each has a clear line, a stable code and exit 1, and no effect on the other
/// images.
@Suite(.serialized, .needsProgram, .timeLimit(.minutes(15)))
struct `Bad input` {
  private let picture: [UInt8]

  init() throws { picture = try ImageCodecs.encodePNG(SampleImages.noise(20, 20, seed: 1)) }

  /// Prefetches a list with a URL for each answer.
  private func prefetch(
    _ answers: [String: [FaultyOrigin.Answer]], more: [String] = [], _ arguments: [String]
  ) async throws -> (report: PrefetchReport, cache: Scratch) {
    let origin = try FaultyOrigin(answers)
    defer { origin.stop() }
    let urls = answers.keys.map { origin.url($0) } + more
    origin["/list"] = [.whole(Array(urls.joined(separator: "\n").utf8))]
    let cache = try Scratch()
    return (try await Tool.prefetch(cache, ["--feed", origin.url("/list")] + arguments), cache)
  }

  /// The codes of a report by the last part of each URL.
  private func codes(_ report: PrefetchReport) -> [String: String] {
    Dictionary(uniqueKeysWithValues: report.codes.map { (String($0.split(separator: "/")[2]), $1) })
  }

  @Test func `a failed image is reported, and all others are stored`() async throws {
    var gif = SampleImages.GIF(4, 4)
    gif.add(4, 4, index: 1)
    let (picture, page) = (picture, Array("<html><body>busy</body></html>".utf8))
    let half = picture.count / 2
    var damaged = picture
    damaged[half] ^= 0xFF
    func redirect(_ place: String) -> FaultyOrigin.Answer {
      .whole([], status: 302, fields: ["Location: \(place)"])
    }
    let faults: [String: (answer: FaultyOrigin.Answer, code: String)] = [
      "403": (.whole([], status: 403), "http_status"),
      "404": (.whole([], status: 404), "http_status"),
      "410": (.whole([], status: 410), "http_status"),
      "500": (.whole([], status: 500), "http_status"), "empty": (.whole([]), "empty_body"),
      "cut": (.brokenFile(picture, tag: "\"1\"", after: half), "short_body"),
      "reset": (.rawThenReset([]), "connection_reset"),
      "html": (.whole(page, fields: ["Content-Type: image/jpeg"]), "not_an_image"),
      "beginning": (.whole([1, 2] + picture[2...]), "not_an_image"),
      "middle": (.whole(damaged), "corrupt"),
      "large": (.whole(picture + [UInt8](repeating: 0, count: 200_000)), "too_large"),
      "endless": (
        .custom { _, connection in
          connection.send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + picture)
          while connection.send([UInt8](repeating: 0xFF, count: 65_536)) {}
          return false
        }, "too_large"
      ),
      "private": (redirect("http://10.0.0.1/x.jpg"), "host_not_allowed"),
      "linkLocal": (redirect("http://169.254.169.254/x.jpg"), "host_not_allowed"),
      "loopback": (redirect("http://127.0.0.1:1/x.jpg"), "host_not_allowed"),
      "file": (redirect("file:///etc/passwd"), "unsupported_scheme"),
      "loop": (redirect("/loop"), "too_many_redirects"),
    ]
    var answers = Dictionary(uniqueKeysWithValues: faults.map { ("/" + $0, [$1.answer]) })
    // Neither a wrong name nor a wrong media type does harm.
    answers["/good"] = [.whole(picture)]
    answers["/gif.jpg"] = [.whole(gif.finished(), fields: ["Content-Type: text/plain"])]

    let (report, cache) = try await prefetch(
      answers, more: ["http://no-such-host.invalid/x"],
      ["--retries", "0", "--max-bytes", "100000"])

    #expect(report.status == 1)
    var expected = faults.mapValues(\.code)
    expected["x"] = "dns_failed"
    #expect(codes(report) == expected, "\(report.failed)")
    #expect(report.summary["failed"] as? Int == expected.count)
    #expect(report.errors.split(separator: "\n").count == expected.count)
    let good = report.images.filter { $0["status"] as? String == "ok" }
    #expect(Set(good.compactMap { $0["format"] as? String }) == ["png", "gif"])
    let kept = try await Tool.run(["path"] + report.urls, cache: cache)
    #expect(kept.status == 1 && kept.output.split(separator: "\n").count == 2)
  }

  @Test func `an origin that is silent or slow is left`() async throws {
    let gate = Gate()
    defer { gate.open() }
    let (report, _) = try await prefetch(
      [
        "/silent": [.held([], gate)],
        "/stops": [.held(FaultyOrigin.head(length: 900) + picture.prefix(32), gate)],
        "/drips": [
          .custom { [picture] _, connection in
            connection.send(FaultyOrigin.head(length: 1_000_000) + picture)
            while connection.send([UInt8](repeating: 0, count: 400)) { usleep(100_000) }
            return false
          }
        ],
      ], ["--retries", "0", "--timeout", "1", "--max-time", "2"])

    #expect(report.status == 1)
    #expect(codes(report) == ["silent": "timeout", "stops": "timeout", "drips": "timeout"])
  }

  @Test func `a transient failure is retried`() async throws {
    let whole = FaultyOrigin.Answer.whole(picture)
    let (report, _) = try await prefetch(
      [
        "/503": [.whole([], status: 503), whole],
        "/429": [.whole([], status: 429, fields: ["Retry-After: 0"]), whole],
        "/cut": [.brokenFile(picture, tag: "\"1\"", after: 100), whole],
        "/reset": [.brokenFile(picture, tag: "\"1\"", after: 100, byReset: true), whole],
      ], ["--retries", "2"])

    #expect(report.status == 0 && report.images.count == 4, "\(report.errors)")
  }

  @Test func `a day that fails is a clear line, and costs no other day`() async throws {
    func text(_ text: String) -> FaultyOrigin.Answer { .whole(Array(text.utf8)) }
    let days: [(answer: FaultyOrigin.Answer, code: String?)] = [
      (text(""), "empty_body"), (text("<html>"), "not_json"), (text("Too many"), "not_json"),
      (text("{}"), "not_a_feed"), (text("{\"stories\":[]}"), "day_not_found"),
      (.whole([], status: 404), "http_status"), (.whole([], status: 503), "http_status"),
      (.rawThenReset([]), "connection_reset"),
      (.raw(FaultyOrigin.head(length: 100) + [0x7B]), "short_body"),
      (.whole([], status: 302, fields: ["Location: http://10.0.0.1/"]), "host_not_allowed"),
      (text(#"{"date":"20160811","stories":[{"id":1,"title":"t"}]}"#), nil),
    ]
    let origin = try FaultyOrigin()
    for (number, day) in days.enumerated() {
      origin["/api/4/news/before/\(20_160_802 + number)"] = [day.answer]
    }

    let report = try await Tool.prefetch(
      try Scratch(),
      ["--retries", "0", "--api", origin.url("/api/4/")]
        + days.indices.map { "\(20_160_801 + $0)" })

    #expect(report.status == 1)
    let codes = report.records("day").map { ($0["error"] as? [String: Any])?["code"] as? String }
    #expect(codes == days.map(\.code), "\(report.output)")
    #expect(report.errors.split(separator: "\n").count { $0.hasPrefix("error: ") } == 10)
  }
}
