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

  static let others: [ConformanceCase] =
    table(
      "§3",
      """
      does cached now §4.2.2 other-heuristic-content-disposition-attachment | Last-Modified: @-100000 \
      | Date: @0 | Content-Disposition: attachment; filename=example.txt
      does cached other-fresh-content-disposition-attachment | Cache-Control: max-age=100000 | Date: @0 \
      | Content-Disposition: attachment; filename=example.txt
      should cached §7.3 other-set-cookie | Cache-Control: max-age=100000 | Date: @0 | Set-Cookie: a=b
      should cached §4 other-cookie | Cache-Control: max-age=100000 | Date: @0 > Cookie: a=b
      """) + [
      interim("interim-102", .optimal, status: 102),
      interim("interim-103", .optimal, status: 103, fields: hints),
      interim("interim-not-cached", .required, status: 103, fields: [hints[0]]),
      interim(
        "interim-no-header-reuse", .optimal, status: 103, fields: hints, lacks: ["x-my-header"]),
      ConformanceCase(
        "other-age-gen", .required, "§5.1", [.fresh(), .look(.cached, has: ["Age > 2"])]),
      ConformanceCase(
        "other-age-update-expires", .required, "§5.1",
        [.fill(["Expires: @2592000", "Date: @0", "Age: 30"]), .look(.cached, has: ["Age > 32"])]),
      ConformanceCase(
        "other-age-update-max-age", .required, "§5.1",
        [.fresh(["Age: 30"]), .look(.cached, has: ["Age > 32"])]),
      ConformanceCase(
        "other-date-update", .required, "RFC 9110 §6.6.1",
        [.fresh(), .look(.cached, has: ["Date: @0"])]),
      ConformanceCase(
        "other-date-update-expires", .required, "RFC 9110 §6.6.1",
        [.fill(["Expires: @2592000", "Date: @0"]), .look(.cached, has: ["Date: @0"])]),
      ConformanceCase(
        "other-date-update-expires-update", .choice(true), "§5.3",
        [.fill(["Expires: @2592000", "Date: @0"]), .look(.cached, has: ["Expires: @2592000"])]),
      ConformanceCase(
        "query-args-different", .required, "§2",
        [.fresh(place: "?test=1"), .look(.passed, place: "?test=2")]),
      ConformanceCase(
        "query-args-same", .optimal, "§2",
        [.fresh(place: "?test=1"), .look(.cached, place: "?test=1")]),
    ]
}
