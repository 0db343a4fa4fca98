extension ConformanceCase {
  static let directives: [ConformanceCase] = responseDirectives + requestDirectives

  private static func answered(
    _ id: String, _ kind: Kind, _ section: String, needs: [String] = [], _ answer: [String],
    _ arrival: ConformanceStep.Arrival
  ) -> ConformanceCase {
    ConformanceCase(
      id, kind, section, needs: needs, [.fill(answer, pauses: false), .look(arrival)])
  }

  private static let dated = ["Expires: @10000", "Date: @0"]

  private static let responseDirectives: [ConformanceCase] = [
    answered(
      "cc-resp-private-shared", .required, "§5.2.2.7", ["Cache-Control: private, max-age=3600"],
      .passed),
    answered("cc-resp-no-store", .required, "§5.2.2.5", ["Cache-Control: no-store"], .passed),
    answered(
      "cc-resp-no-store-case-insensitive", .required, "§5.2.2.5", needs: ["cc-resp-no-store"],
      ["Cache-Control: No-StOrE"], .passed),
    answered(
      "cc-resp-no-store-fresh", .required, "§5.2.2.5", needs: ["cc-resp-no-store"],
      ["Cache-Control: max-age=10000, no-store"] + dated, .passed),
    ConformanceCase(
      "cc-resp-no-store-old-new", .required, "§5.2.2.5", needs: ["cc-resp-no-store"],
      [
        .fill(["Cache-Control: max-age=10000", "A: 1"] + dated),
        .fill(["Cache-Control: no-store", "Date: @0", "A: 2"]),
        .look(.cached, has: ["A: 1"]),
      ]),
    ConformanceCase(
      "cc-resp-no-store-old-max-age", .required, "§5.2.2.5", needs: ["cc-resp-no-store"],
      [
        .fill(["Cache-Control: max-age=10000", "A: 1"] + dated),
        .fill(["Cache-Control: no-store, max-age=0", "Date: @0", "A: 2"]),
        .look(.cached, has: ["A: 1"]),
      ]),
    answered(
      "cc-resp-no-cache", .required, "§5.2.2.4", ["Cache-Control: max-age=10000, no-cache"] + dated,
      .passed),
    answered(
      "cc-resp-no-cache-case-insensitive", .required, "§5.2.2.4", needs: ["cc-resp-no-cache"],
      ["Cache-Control: max-age=10000, No-CaChE"] + dated, .passed),
    answered(
      "cc-resp-no-cache-revalidate", .optimal, "§5.2.2.4", needs: ["cc-resp-no-cache"],
      ["Cache-Control: no-cache", "ETag: \"abcd\""], .tagConfirmed),
    answered(
      "cc-resp-no-cache-revalidate-fresh", .optimal, "§5.2.2.4", needs: ["cc-resp-no-cache"],
      ["Cache-Control: max-age=10000, no-cache", "ETag: \"abcd\""] + dated, .tagConfirmed),
    ConformanceCase(
      "headers-omit-headers-listed-in-Cache-Control-no-cache-single", .choice(true), "§5.2.2.4",
      needs: ["cc-resp-no-cache-revalidate"],
      [
        .fill([
          "Cache-Control: no-cache=\"a\"", "A: 1", "B: 2", "Cache-Control: max-age=3600",
          "Date: @0",
        ]), .look(.cached, has: ["B: 2"], lacks: ["A"], prepares: [.arrival]),
      ]),
    ConformanceCase(
      "headers-omit-headers-listed-in-Cache-Control-no-cache", .choice(true), "§5.2.2.4",
      needs: ["cc-resp-no-cache-revalidate"],
      [
        .fill([
          "Cache-Control: no-cache=\"a, b\"", "A: 1", "B: 2", "C: 3",
          "Cache-Control: max-age=3600", "Date: @0",
        ]), .look(.cached, has: ["C: 3"], lacks: ["A", "B"], prepares: [.arrival]),
      ]),
    answered(
      "cc-resp-must-revalidate-fresh", .optimal, "§5.2.2.2", needs: ["freshness-none"],
      ["Cache-Control: max-age=10000, must-revalidate", "ETag: \"abcd\""], .cached),
    ConformanceCase(
      "cc-resp-must-revalidate-stale", .required, "§5.2.2.2", needs: ["freshness-none"],
      [
        .fill(["Cache-Control: max-age=2, must-revalidate", "ETag: \"abcd\""], pauses: false),
        .fill(["Cache-Control: max-age=2, must-revalidate", "ETag: \"abcd\""])
          .with { $0.arrival = .cached }, .look(.tagConfirmed),
      ]),
  ]

  private static func asked(
    _ id: String, _ ours: Bool, _ section: String, _ answer: [String], _ directive: String,
    _ arrival: ConformanceStep.Arrival, pauses: Bool = false
  ) -> ConformanceCase {
    ConformanceCase(
      id, .choice(ours), section,
      [
        .fill(answer, pauses: pauses), .look(arrival, send: ["Cache-Control: \(directive)"]),
      ])
  }

  private static let hour = ["Cache-Control: max-age=3600"]

  private static let requestDirectives: [ConformanceCase] = [
    asked("ccreq-ma0", true, "§5.2.1.1", hour, "max-age=0", .passed, pauses: true),
    asked("ccreq-ma1", true, "§5.2.1.1", hour, "max-age=1", .passed, pauses: true),
    asked("ccreq-magreaterage", true, "§5.2.1.1", hour + ["Age: 1800"], "max-age=600", .passed),
    asked(
      "ccreq-max-stale", true, "§5.2.1.2", ["Cache-Control: max-age=1"], "max-stale=1000", .cached,
      pauses: true),
    asked(
      "ccreq-max-stale-age", true, "§5.2.1.2", ["Cache-Control: max-age=1500", "Age: 2000"],
      "max-stale=1000", .cached),
    asked(
      "ccreq-min-fresh", true, "§5.2.1.3", ["Cache-Control: max-age=1500"], "min-fresh=2000",
      .passed),
    asked(
      "ccreq-min-fresh-age", true, "§5.2.1.3", ["Cache-Control: max-age=1500", "Age: 1000"],
      "min-fresh=1000", .passed),
    asked("ccreq-no-cache", true, "§5.2.1.4", hour, "no-cache", .passed),
    asked(
      "ccreq-no-cache-lm", true, "§5.2.1.4", hour + ["Last-Modified: @-10000", "Date: @0"],
      "no-cache", .dateConfirmed),
    asked(
      "ccreq-no-cache-etag", true, "§5.2.1.4", hour + ["ETag: \"abc\""], "no-cache", .tagConfirmed),
    asked("ccreq-no-store", true, "§5.2.1.5", hour, "no-store", .passed),
    ConformanceCase(
      "ccreq-oic", .choice(true), "§5.2.1.7",
      [.look(send: ["Cache-Control: only-if-cached"], gives: 504, givesText: "")]),
    ConformanceCase(
      "pragma-request-no-cache", .choice(true), "§5.4",
      [
        .fill(hour, pauses: false),
        // The client's own Cache-Control does not contain no-cache, so Pragma does not count.
        .look(.cached, send: ["Pragma: no-cache"]),
      ]),
    ConformanceCase(
      "pragma-request-extension", .choice(true), "§5.4",
      [.fill(hour, pauses: false), .look(.cached, send: ["Pragma: unrecognised-extension"])]),
    ConformanceCase(
      "pragma-response-no-cache", .choice(true), "§5.4",
      [.fill(hour + ["Pragma: no-cache"], pauses: false), .look(.cached)]),
    ConformanceCase(
      "pragma-response-no-cache-heuristic", .choice(true), "§5.4",
      [.fill(["Last-Modified: @-10000", "Pragma: no-cache"], pauses: false), .look(.cached)]),
    ConformanceCase(
      "pragma-response-extension", .choice(true), "§5.4",
      [.fill(hour + ["Pragma: unrecognised-extension"], pauses: false), .look(.cached)]),
  ]
}
