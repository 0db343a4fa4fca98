extension ConformanceCase {
  /// A fill and a check.
  private static func reuse(
    _ id: String, _ kind: Kind, _ section: String, needs: [String] = ["freshness-none"],
    _ answer: [String], _ arrival: ConformanceStep.Arrival, pauses: Bool = true
  ) -> ConformanceCase {
    ConformanceCase(
      id, kind, section, needs: needs, [.fill(answer, pauses: pauses), .look(arrival)])
  }

  static let freshness: [ConformanceCase] = [
    reuse("freshness-none", .choice(true), "§4.2", needs: [], [], .passed),
    reuse("freshness-max-age", .optimal, "§5.2.2.1", ["Cache-Control: max-age=3600"], .cached),
    ConformanceCase(
      "freshness-max-age-stale", .required, "§4.2", needs: ["freshness-max-age"],
      [.shortlived(), .look(.passed)]),
    reuse("freshness-max-age-0", .required, "§5.2.2.1", ["Cache-Control: max-age=0"], .passed),
    reuse(
      "freshness-max-age-max-minus-1", .optimal, "§1.2.2", ["Cache-Control: max-age=2147483647"],
      .cached),
    reuse(
      "freshness-max-age-max", .optimal, "§1.2.2", ["Cache-Control: max-age=2147483648"], .cached),
    reuse(
      "freshness-max-age-max-plus-1", .optimal, "§1.2.2", ["Cache-Control: max-age=2147483649"],
      .cached),
    reuse(
      "freshness-max-age-max-plus", .optimal, "§1.2.2", ["Cache-Control: max-age=99999999999"],
      .cached),
    reuse(
      "freshness-max-age-age", .required, "§4.2.3", needs: ["freshness-max-age"],
      ["Date: @0", "Cache-Control: max-age=3600", "Age: 7200"], .passed),
    reuse(
      "freshness-max-age-date", .choice(true), "§4.2.3", needs: ["freshness-max-age"],
      ["Date: @-7200", "Cache-Control: max-age=3600"], .passed),
    reuse(
      "freshness-max-age-expires", .optimal, "§5.3", needs: ["freshness-max-age"],
      ["Cache-Control: max-age=3600", "Expires: @-7200", "Date: @0"], .cached),
    reuse(
      "freshness-max-age-expires-invalid", .optimal, "§5.3", needs: ["freshness-max-age"],
      ["Cache-Control: max-age=3600", "~Expires: 0", "Date: @0"], .cached),
    reuse(
      "freshness-max-age-0-expires", .required, "§5.3",
      ["Expires: @3600", "Cache-Control: max-age=0", "Date: @0"], .passed),
    reuse(
      "freshness-max-age-extension", .optimal, "§5.2.3", needs: ["freshness-max-age"],
      ["Cache-Control: foobar, max-age=3600"], .cached),
    reuse(
      "freshness-max-age-case-insenstive", .optimal, "§5.2", needs: ["freshness-max-age"],
      ["Cache-Control: MaX-aGe=3600"], .cached),
    reuse(
      "freshness-max-age-negative", .required, "§1.2.2", ["Cache-Control: max-age=-3600"], .passed),
    reuse(
      "freshness-s-maxage-shared", .required, "§5.2.2.10", ["Cache-Control: s-maxage=3600"],
      .cached),
    reuse(
      "freshness-max-age-s-maxage-shared-longer", .required, "§5.2.2.10",
      needs: ["freshness-s-maxage-shared"], ["Cache-Control: max-age=3600, s-maxage=1"], .passed),
    reuse(
      "freshness-max-age-s-maxage-shared-longer-reversed", .required, "§5.2.2.10",
      needs: ["freshness-s-maxage-shared"], ["Cache-Control: s-maxage=1, max-age=3600"], .passed),
    reuse(
      "freshness-max-age-s-maxage-shared-longer-multiple", .required, "§5.2.2.10",
      needs: ["freshness-s-maxage-shared"],
      ["Cache-Control: max-age=3600", "Cache-Control: s-maxage=1"], .passed),
    reuse(
      "freshness-max-age-s-maxage-shared-shorter", .optimal, "§5.2.2.10",
      needs: ["freshness-s-maxage-shared"], ["Cache-Control: max-age=1, s-maxage=3600"], .cached),
    reuse(
      "freshness-max-age-s-maxage-shared-shorter-expires", .optimal, "§5.2.2.10",
      needs: ["freshness-s-maxage-shared"],
      ["Expires: @-10", "Cache-Control: max-age=0, s-maxage=3600"], .cached),
  ]

  private static func expiring(
    _ id: String, _ kind: Kind, _ value: String, _ arrival: ConformanceStep.Arrival
  ) -> ConformanceCase {
    reuse(
      id, kind, "§5.3", needs: ["freshness-expires-future"], ["~Expires: \(value)", "Date: @0"],
      arrival)
  }

  static let expires: [ConformanceCase] = [
    reuse(
      "freshness-expires-future", .optimal, "§5.3", ["Expires: @2592000", "Date: @0"], .cached),
    expiring("freshness-expires-past", .required, "@-2592000", .passed),
    reuse(
      "freshness-expires-present", .required, "§4.2.1", ["Expires: @0", "Date: @0"], .passed,
      pauses: false),
    reuse(
      "freshness-expires-old-date", .required, "§4.2.1", needs: ["freshness-expires-future"],
      ["Expires: @300", "Date: @400"], .passed),
    expiring("freshness-expires-invalid", .required, "0", .passed),
    reuse(
      "freshness-expires-invalid-date", .optimal, "§4.2.1", needs: ["freshness-expires-future"],
      ["~Date: foo", "Expires: @10"], .cached, pauses: false),
    reuse(
      "freshness-expires-age-slow-date", .required, "§4.2.3", needs: ["freshness-expires-future"],
      ["Date: @-10", "Expires: @10", "Age: 25"], .passed, pauses: false),
    reuse(
      "freshness-expires-age-fast-date", .required, "§4.2.3", needs: ["freshness-expires-future"],
      ["Date: @10", "Expires: @20", "Age: 15"], .passed, pauses: false),
    expiring("freshness-expires-32bit", .optimal, "Tue, 19 Jan 2038 14:14:08 GMT", .cached),
    expiring("freshness-expires-far-future", .optimal, "Sun, 21 Nov 2286 04:46:39 GMT", .cached),
    expiring("freshness-expires-rfc850", .optimal, "Thursday, 18-Aug-50 02:01:18 GMT", .cached),
    expiring("freshness-expires-ansi-c", .optimal, "Thu Aug  8 02:01:18 2050", .cached),
    expiring(
      "freshness-expires-wrong-case-weekday", .optimal, "THU, 18 Aug 2050 02:01:18 GMT", .cached),
    expiring(
      "freshness-expires-wrong-case-month", .optimal, "Thu, 18 AUG 2050 02:01:18 GMT", .cached),
    expiring(
      "freshness-expires-wrong-case-tz", .optimal, "Thu, 18 Aug 2050 02:01:18 gMT", .cached),
    expiring("freshness-expires-invalid-utc", .required, "Thu, 18 Aug 2050 02:01:18 UTC", .passed),
    expiring(
      "freshness-expires-invalid-aest", .required, "Thu, 18 Aug 2050 02:01:18 AEST", .passed),
    expiring(
      "freshness-expires-invalid-2-digit-year", .required, "Thu, 18 Aug 50 02:01:18 GMT", .passed),
    expiring(
      "freshness-expires-invalid-no-comma", .required, "Thu 18 Aug 2050 02:01:18 GMT", .passed),
    expiring(
      "freshness-expires-invalid-multiple-spaces", .required, "Thu, 18  Aug  2050 02:01:18 GMT",
      .passed),
    expiring(
      "freshness-expires-invalid-date-dashes", .required, "Thu, 18-Aug-2050 02:01:18 GMT", .passed),
    expiring(
      "freshness-expires-invalid-time-periods", .required, "Thu, 18 Aug 2050 02.01.18 GMT", .passed),
    expiring(
      "freshness-expires-invalid-1-digit-hour", .required, "Thu, 18 Aug 2050 2:01:18 GMT", .passed),
    reuse(
      "freshness-expires-invalid-multiple-lines", .required, "§4.2.1",
      needs: ["freshness-expires-future"],
      [
        "~Expires: Thu, 18 Aug 2050 2:01:18 GMT", "~Expires: Thu, 18 Aug 2050 2:01:19 GMT",
        "Date: @0",
      ], .passed),
  ]

  private static func aged(
    _ id: String, _ kind: Kind, _ ages: [String], _ arrival: ConformanceStep.Arrival,
    lifetime: Int = 3600
  ) -> ConformanceCase {
    reuse(
      id, kind, "§5.1", needs: ["freshness-max-age-age"],
      ["Date: @0", "Cache-Control: max-age=\(lifetime)"] + ages.map { "~Age: \($0)" }, arrival)
  }

  private static func controlled(
    _ id: String, _ kind: Kind, _ lines: [String], _ arrival: ConformanceStep.Arrival,
    needs: [String] = ["freshness-none"]
  ) -> ConformanceCase {
    reuse(id, kind, "§5.2", needs: needs, lines.map { "~Cache-Control: \($0)" }, arrival)
  }

  static let parsing: [ConformanceCase] = [
    aged("age-parse-nonnumeric", .required, ["abc"], .cached),
    aged("age-parse-negative", .required, ["-7200"], .cached),
    aged("age-parse-float", .required, ["7200.0"], .cached),
    aged("age-parse-large-minus-one", .required, ["2147483647"], .passed),
    aged("age-parse-large", .required, ["2147483648"], .passed),
    aged("age-parse-larger", .required, ["2147483649"], .passed),
    aged("age-parse-suffix", .required, ["7200, 0"], .passed),
    aged("age-parse-prefix", .required, ["0, 7200"], .cached),
    aged("age-parse-suffix-twoline", .required, ["7200", "0"], .passed),
    aged("age-parse-prefix-twoline", .required, ["0", "7200"], .cached),
    aged("age-parse-dup-0", .required, ["0, 0"], .cached),
    aged("age-parse-dup-0-twoline", .required, ["0", "0"], .cached),
    aged("age-parse-dup-old", .required, ["3600", "3600"], .cached, lifetime: 10000),
    aged("age-parse-parameter", .choice(false), ["7200;foo=bar"], .passed),
    aged("age-parse-numeric-parameter", .choice(false), ["7200;foo=111"], .passed),
    controlled(
      "freshness-max-age-two-fresh-stale-sameline", .choice(true), ["max-age=1800, max-age=1"],
      .cached),
    controlled(
      "freshness-max-age-two-fresh-stale-sepline", .choice(true), ["max-age=1800", "max-age=1"],
      .cached),
    controlled(
      "freshness-max-age-two-stale-fresh-sameline", .choice(false), ["max-age=1, max-age=1800"],
      .cached),
    controlled(
      "freshness-max-age-two-stale-fresh-sepline", .choice(false), ["max-age=1", "max-age=1800"],
      .cached),
    controlled("freshness-max-age-quoted", .choice(true), ["max-age=\"3600\""], .cached),
    controlled(
      "freshness-max-age-ignore-quoted", .required, ["extension=\"max-age=3600\", max-age=1"],
      .passed, needs: ["freshness-max-age"]),
    controlled(
      "freshness-max-age-ignore-quoted-rev", .required, ["max-age=1, extension=\"max-age=3600\""],
      .passed, needs: ["freshness-max-age"]),
    controlled("freshness-max-age-space-before-equals", .choice(false), ["max-age =3600"], .passed),
    controlled("freshness-max-age-space-after-equals", .choice(false), ["max-age= 3600"], .passed),
    controlled("freshness-max-age-leading-zero", .required, ["max-age=003600"], .cached),
    controlled("freshness-max-age-single-quoted", .required, ["max-age='3600'"], .passed),
    controlled("freshness-max-age-decimal-zero", .choice(false), ["max-age=3600.0"], .cached),
    controlled("freshness-max-age-decimal-five", .choice(false), ["max-age=3600.5"], .cached),
    controlled("freshness-max-age-a100", .choice(false), ["max-age=a3600"], .cached),
    controlled("freshness-max-age-100a", .choice(false), ["max-age=3600a"], .cached),
  ]
}
