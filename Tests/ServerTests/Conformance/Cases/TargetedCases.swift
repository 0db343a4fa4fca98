extension ConformanceCase {
  private static func aimed(
    _ id: String, _ kind: Kind, needs: [String] = ["cdn-max-age"], _ control: String,
    _ more: [String], _ arrival: ConformanceStep.Arrival
  ) -> ConformanceCase {
    ConformanceCase(
      id, kind, "RFC 9213 §2", needs: needs,
      [.fill(["~CDN-Cache-Control: \(control)"] + more), .look(arrival)])
  }

  private static let general = ["Cache-Control: max-age=10000", "Expires: @10000", "Date: @0"]

  static let targeted: [ConformanceCase] = [
    aimed("cdn-max-age", .optimal, needs: ["freshness-none"], "max-age=3600", [], .cached),
    aimed(
      "cdn-max-age-max", .optimal, needs: ["freshness-none"], "max-age=2147483648", [], .cached),
    aimed(
      "cdn-max-age-max-plus", .optimal, needs: ["freshness-none"], "max-age=99999999999", [],
      .cached),
    aimed("cdn-max-age-age", .required, "max-age=3600", ["Date: @0", "Age: 7200"], .passed),
    aimed(
      "cdn-max-age-space-before-equals", .choice(true), "max-age =100",
      ["Cache-Control: max-age=1"], .passed),
    aimed(
      "cdn-max-age-space-after-equals", .choice(true), "max-age= 100",
      ["Cache-Control: max-age=1"], .passed),
    aimed("cdn-max-age-0", .required, "max-age=0", [], .passed),
    aimed("cdn-max-age-extension", .optimal, "foobar, max-age=3600", [], .cached),
    // Keys of structured fields are lower case (RFC 9651 §3.1.2).
    aimed("cdn-max-age-case-insensitive", .choice(false), "MaX-aGe=3600", [], .cached),
    aimed(
      "cdn-max-age-expires", .optimal, "max-age=3600", ["Expires: @-10000", "Date: @0"], .cached),
    aimed(
      "cdn-max-age-cc-max-age-invalid-expires", .optimal, "max-age=3600",
      ["~Expires: 0", "Date: @0"], .cached),
    aimed(
      "cdn-max-age-0-expires", .required, "max-age=0", ["Expires: @10000", "Date: @0"], .passed),
    aimed(
      "cdn-max-age-short-cc-max-age", .optimal, "max-age=3600", ["Cache-Control: max-age=1"],
      .cached),
    aimed(
      "cdn-max-age-long-cc-max-age", .required, "max-age=1", ["Cache-Control: max-age=3600"],
      .passed),
    aimed("cdn-private", .required, needs: [], "private", general, .passed),
    aimed("cdn-no-cache", .required, needs: [], "no-cache", general, .passed),
    aimed(
      "cdn-no-store-cc-fresh", .required, needs: ["freshness-none"], "no-store", general, .passed),
    aimed(
      "cdn-fresh-cc-nostore", .required, needs: ["freshness-none"], "max-age=10000",
      ["Cache-Control: no-store"], .cached),
    aimed(
      "cdn-cc-invalid-sh-type-unknown", .required, "max-age=10000, &&&&&",
      ["Cache-Control: no-store"], .passed),
    aimed(
      "cdn-cc-invalid-sh-type-wrong", .required, "max-age=\"10000\"", ["Cache-Control: no-store"],
      .passed),
    ConformanceCase(
      "cdn-remove-header", .choice(true), "RFC 9213 §2.1",
      [.look(answer: ["~CDN-Cache-Control: foo"] + general, has: ["CDN-Cache-Control: foo"])]),
  ]
}
