extension ConformanceCase {
  private static func guessed(_ status: Int, reuses: Bool, _ more: [String] = []) -> ConformanceCase
  {
    let text = status == 204 ? nil : "status \(status)"
    return ConformanceCase(
      "heuristic-\(status)-\(reuses ? "cached" : "not_cached")", reuses ? .optimal : .required,
      "§4.2.2",
      [
        .fill(
          ["Last-Modified: @-86400", "Date: @0"] + more, status: status, text: text, pauses: false),
        .look(reuses ? .cached : .passed, status: status, text: text),
      ])
  }

  private static func fresh(_ status: Int) -> ConformanceCase {
    ConformanceCase(
      "status-\(status)-fresh", .optimal, "§3",
      [.fresh(status: status, text: "s"), .look(.cached, status: status, text: "s")])
  }

  private static func stale(_ status: Int) -> ConformanceCase {
    ConformanceCase(
      "status-\(status)-stale", .required, "§4",
      [
        .fill(
          ["Expires: @-5000", "Last-Modified: @-100000", "Date: @0"], status: status, text: "s",
          pauses: false), .look(.passed, text: "s"),
      ])
  }

  private static let codes = [
    200, 203, 204, 299, 301, 302, 303, 307, 308, 400, 404, 410, 499, 500, 502, 503, 504, 599,
  ]

  private static func delta(_ seconds: Int) -> ConformanceCase {
    // A tenth of the time since the change, three seconds later.
    ConformanceCase(
      "heuristic-delta-\(seconds)", .choice(seconds > 30), "§4.2.2",
      [.fill(["Last-Modified: @-\(seconds)", "Date: @0"]), .look(.cached)])
  }

  static let statuses: [ConformanceCase] =
    [200, 203, 204, 404, 405, 410, 414, 501].map { guessed($0, reuses: true) }
    + [201, 202, 403, 502, 503, 504, 599].map { guessed($0, reuses: false) } + [
      guessed(599, reuses: true, ["Cache-Control: public"])
    ] + [5, 10, 30, 60, 300, 600, 1200, 1800, 3600, 43200, 86400].map(delta) + codes.map(fresh)
    + codes.map(stale) + [
      ConformanceCase(
        "status-599-must-understand", .required, "§5.2.2.3",
        [
          .fill(
            ["Cache-Control: max-age=3600, no-store, must-understand"], status: 599, pauses: false),
          .look(.passed),
        ]),
      ConformanceCase(
        "status-200-must-understand", .optimal, "§5.2.2.3",
        [
          .fill(["Cache-Control: max-age=3600, no-store, must-understand"], pauses: false),
          .look(.cached),
        ]),
    ]

  private static func authorized(
    _ id: String, _ kind: Kind, _ control: String, _ arrival: ConformanceStep.Arrival
  ) -> ConformanceCase {
    ConformanceCase(
      id, kind, "§3.5",
      [
        .fill(["Cache-Control: \(control)", "Date: @0"], send: ["Authorization: FOO"]).with {
          $0.asks = ["Authorization: FOO"]
        }, .look(arrival),
      ])
  }

  static let storing: [ConformanceCase] = [
    authorized("other-authorization", .required, "max-age=100000", .passed),
    authorized("other-authorization-public", .optimal, "max-age=3600, public", .cached),
    authorized(
      "other-authorization-must-revalidate", .optimal, "max-age=3600, must-revalidate", .cached),
    authorized("other-authorization-smaxage", .optimal, "s-maxage=3600", .cached),
  ]
}
