extension ConformanceCase {
  private static func forbidden(_ directive: String, _ section: String) -> ConformanceCase {
    ConformanceCase(
      "stale-close-\(directive)", .required, section,
      [
        .fill(["Cache-Control: max-age=2, \(directive)"]),
        ConformanceStep(hangsUp: true, gives: 0, givesText: "", lacks: ["Server-Request-Count"]),
      ])
  }

  private static let broken = ConformanceStep(hangsUp: true, arrival: .cached)

  static let stale: [ConformanceCase] = [
    ConformanceCase("stale-close", .choice(true), "§4.2.4", [.shortlived(), broken]),
    ConformanceCase(
      "stale-503", .choice(false), "§4.2.4",
      [.shortlived(), .look(.cached, status: 503, gives: 200)]),
    ConformanceCase(
      "stale-while-revalidate", .optimal, "RFC 5861 §3",
      [
        .fill(["Cache-Control: max-age=1, stale-while-revalidate=3600", "ETag: \"abc\""]),
        .look(.cached),
      ]),
    ConformanceCase(
      "stale-while-revalidate-window", .required, "RFC 5861 §3",
      [
        .fill(["Cache-Control: max-age=1, stale-while-revalidate=4", "ETag: \"abc\""]),
        .fill(["~Cache-Control: no-cache", "~ETag: \"def\""]).with { $0.arrival = .cached },
        .look(has: ["Client-Request-Count: 3"]),
      ]),
    ConformanceCase(
      "stale-sie-close", .choice(true), "RFC 5861 §4",
      [.fill(["Cache-Control: max-age=2, stale-if-error=60"]), broken]),
    ConformanceCase(
      "stale-sie-503", .choice(true), "RFC 5861 §4",
      [
        .fill(["Cache-Control: max-age=2, stale-if-error=60"]),
        .look(.cached, status: 503, gives: 200),
      ]), forbidden("must-revalidate", "§5.2.2.2"), forbidden("proxy-revalidate", "§5.2.2.8"),
    forbidden("no-cache", "§5.2.2.4"), forbidden("s-maxage=2", "§5.2.2.10"),
    ConformanceCase(
      "stale-warning-become", .choice(false), "RFC 7234 §5.5",
      [
        .shortlived(),
        broken.with {
          $0.has = ["Warning"]
          $0.prepares = [.arrival]
        },
      ]),
    ConformanceCase(
      "stale-if-error-cc-response-expired", .required, "RFC 5861 §4",
      [.fill(["Cache-Control: max-age=0, stale-if-error=1"]), .look(.passed, status: 500)]),
    ConformanceCase(
      "stale-if-error-cc-request-expired", .required, "RFC 5861 §4",
      [
        .fill(["Cache-Control: max-age=0"]),
        .look(.passed, send: ["Cache-Control: stale-if-error=1"], status: 500),
      ]),
  ]
}
