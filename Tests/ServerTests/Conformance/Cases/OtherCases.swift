extension ConformanceCase {
  private static let hints = ["link: </styles.css>; rel=preload; as=style", "x-my-header: test"]

  private static func interim(
    _ id: String, _ kind: Kind, status: Int, fields: [String] = [], lacks: [String] = []
  ) -> ConformanceCase {
    var first = ConformanceStep(
      answer: ["Cache-Control: max-age=100000", "Date: @0"], lacks: lacks, pauses: true)
    first.interim = [(status, fields)]
    first.hasInterim = [(status, fields)]
    return ConformanceCase(
      id, kind, "RFC 9110 §15.2", [first, .look(.cached, lacks: lacks).with { $0.hasInterim = [] }])
  }

  static let others: [ConformanceCase] = [
    interim("interim-102", .optimal, status: 102),
    interim("interim-103", .optimal, status: 103, fields: hints),
    interim("interim-not-cached", .required, status: 103, fields: [hints[0]]),
    interim(
      "interim-no-header-reuse", .optimal, status: 103, fields: hints, lacks: ["x-my-header"]),
    ConformanceCase(
      "other-age-gen", .required, "§5.1", needs: ["freshness-max-age"],
      [.fresh(), .look(.cached, has: ["Age > 2"])]),
    ConformanceCase(
      "other-age-update-expires", .required, "§5.1", needs: ["freshness-expires-future"],
      [
        .fill(["Expires: @2592000", "Date: @0", "Age: 30"]),
        .look(.cached, has: ["Age > 32"]),
      ]),
    ConformanceCase(
      "other-age-update-max-age", .required, "§5.1", needs: ["freshness-max-age"],
      [.fresh(["Age: 30"]), .look(.cached, has: ["Age > 32"])]),
    ConformanceCase(
      "other-date-update", .required, "RFC 9110 §6.6.1", needs: ["freshness-max-age"],
      [.fresh(), .look(.cached, has: ["Date: @0"])]),
    ConformanceCase(
      "other-date-update-expires", .required, "RFC 9110 §6.6.1",
      needs: ["freshness-expires-future"],
      [.fill(["Expires: @2592000", "Date: @0"]), .look(.cached, has: ["Date: @0"])]),
    ConformanceCase(
      "other-date-update-expires-update", .choice(true), "§5.3",
      needs: ["freshness-expires-future"],
      [.fill(["Expires: @2592000", "Date: @0"]), .look(.cached, has: ["Expires: @2592000"])]),
    ConformanceCase(
      "query-args-different", .required, "§2", needs: ["freshness-max-age"],
      [.fresh(place: "?test=1"), .look(.passed, place: "?test=2")]),
    ConformanceCase(
      "query-args-same", .optimal, "§2", needs: ["freshness-max-age"],
      [.fresh(place: "?test=1"), .look(.cached, place: "?test=1")]),
    ConformanceCase(
      "other-heuristic-content-disposition-attachment", .choice(true), "§4.2.2",
      needs: ["heuristic-200-cached"],
      [
        .fill(
          [
            "Last-Modified: @-100000", "Date: @0",
            "Content-Disposition: attachment; filename=example.txt",
          ], pauses: false), .look(.cached),
      ]),
    ConformanceCase(
      "other-fresh-content-disposition-attachment", .choice(true), "§3",
      needs: ["freshness-max-age"],
      [.fresh(["Content-Disposition: attachment; filename=example.txt"]), .look(.cached)]),
    ConformanceCase(
      "other-set-cookie", .optimal, "§7.3", needs: ["freshness-max-age"],
      [.fresh(["Set-Cookie: a=b"]), .look(.cached)]),
    ConformanceCase(
      "other-cookie", .optimal, "§4", needs: ["freshness-max-age"],
      [.fresh(), .look(.cached, send: ["Cookie: a=b"])]),
  ]
}
