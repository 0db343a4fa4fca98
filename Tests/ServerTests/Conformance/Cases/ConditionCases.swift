extension ConformanceCase {
  private static func known(
    _ id: String, _ kind: Kind, _ tag: String, _ condition: String,
    needs: [String] = ["conditional-etag-strong-respond"], has: [String] = []
  ) -> ConformanceCase {
    ConformanceCase(
      id, kind, "§4.3.2", needs: needs,
      [
        .fresh(["ETag: \(tag)"]),
        .look(.cached, send: ["If-None-Match: \(condition)"], gives: 304, has: has),
      ])
  }

  private static func tagged(
    _ id: String, _ kind: Kind, _ tag: String, _ asked: String, needs: [String]
  ) -> ConformanceCase {
    ConformanceCase(
      id, kind, "§4.3.1", needs: needs,
      [
        .shortlived(["ETag: \(tag)"]),
        .look(.tagConfirmed, answer: ["ETag: \(tag)"], asks: ["If-None-Match: \(asked)"]),
      ])
  }

  static let conditions: [ConformanceCase] = [
    known(
      "conditional-etag-strong-respond", .optimal, "\"abcdef\"", "\"abcdef\"",
      needs: ["freshness-max-age"]),
    known(
      "conditional-304-etag", .required, "\"abcdef\"", "\"abcdef\"", has: ["ETag: \"abcdef\""]),
    ConformanceCase(
      "conditional-etag-precedence", .required, "§4.3.2",
      needs: ["conditional-etag-strong-respond"],
      [
        .fresh(["Last-Modified: @-5000", "ETag: \"abcdef\""]),
        .look(
          .cached, send: ["If-None-Match: \"abcdef\"", "If-Modified-Since: @-1"], gives: 304),
      ]),
    known("conditional-etag-quoted-respond-unquoted", .choice(false), "\"abcdef\"", "abcdef"),
    known("conditional-etag-unquoted-respond-unquoted", .choice(true), "abcdef", "abcdef"),
    known("conditional-etag-unquoted-respond-quoted", .choice(false), "abcdef", "\"abcdef\""),
    known(
      "conditional-etag-weak-respond", .optimal, "W/\"abcdef\"", "W/\"abcdef\"",
      needs: ["freshness-max-age"]),
    known(
      "conditional-etag-weak-respond-lowercase", .choice(true), "w/\"abcdef\"", "w/\"abcdef\"",
      needs: ["conditional-etag-weak-respond"]),
    known(
      "conditional-etag-weak-respond-backslash", .choice(true), "W\\\"abcdef\"", "W\\\"abcdef\"",
      needs: ["conditional-etag-weak-respond"]),
    known(
      "conditional-etag-weak-respond-omit-slash", .choice(true), "W\"abcdef\"", "W\"abcdef\"",
      needs: ["conditional-etag-weak-respond"]),
    known(
      "conditional-etag-strong-respond-multiple-first", .optimal, "\"abcdef\"",
      "\"abcdef\", \"1234\", \"5678\""),
    known(
      "conditional-etag-strong-respond-multiple-second", .optimal, "\"abcdef\"",
      "\"1234\", \"abcdef\", \"5678\""),
    known(
      "conditional-etag-strong-respond-multiple-last", .optimal, "\"abcdef\"",
      "\"1234\", \"5678\", \"abcdef\""),
    ConformanceCase(
      "conditional-etag-vary-headers", .required, "§4.3.1",
      [
        .fill(
          ["Expires: @1", "ETag: \"abcdef\"", "Date: @0", "Vary: Abc"], send: ["Abc: 123"]),
        .look(.tagConfirmed, send: ["Abc: 123"], asks: ["Abc: 123"], prepares: [.arrival]),
      ]),
    ConformanceCase(
      "conditional-etag-vary-headers-mismatch", .choice(true), "§4.1",
      needs: ["conditional-etag-vary-headers", "vary-no-match"],
      [
        .fill(
          ["Expires: @10000", "ETag: \"abcdef\"", "Date: @0", "Vary: Abc"], send: ["Abc: 123"]),
        .look(send: ["Abc: 456"], asks: ["If-None-Match: \"abcdef\""]),
      ]),
    tagged(
      "conditional-etag-strong-generate", .optimal, "\"abcdef\"", "\"abcdef\"",
      needs: ["freshness-max-age-stale"]),
    tagged(
      "conditional-etag-weak-generate-weak", .optimal, "W/\"abcdef\"", "W/\"abcdef\"",
      needs: ["freshness-max-age-stale"]),
    tagged(
      "conditional-etag-strong-generate-unquoted", .choice(false), "abcdef", "\"abcdef\"",
      needs: ["conditional-etag-strong-generate"]),
    ConformanceCase(
      "conditional-etag-forward", .choice(true), "§4.3.2",
      [.look(send: ["If-None-Match: \"abcdef\""], asks: ["If-None-Match: \"abcdef\""])]),
    ConformanceCase(
      "conditional-etag-forward-unquoted", .choice(false), "§4.3.2",
      needs: ["conditional-etag-forward"],
      [.look(send: ["If-None-Match: abcdef"], asks: ["If-None-Match: \"abcdef\""])]),
    ConformanceCase(
      "conditional-lm-fresh", .optimal, "§4.3.2", needs: ["freshness-max-age"],
      [
        .fresh(["Last-Modified: @-3000"]),
        .look(.cached, send: ["If-Modified-Since: @-3000"], gives: 304),
      ]),
    ConformanceCase(
      "conditional-lm-fresh-no-lm", .optimal, "§4.3.2", needs: ["conditional-lm-fresh"],
      [.fresh(), .look(.cached, send: ["If-Modified-Since: @1"], gives: 304)]),
    ConformanceCase(
      "conditional-lm-fresh-earlier", .optimal, "§4.3.2", needs: ["conditional-lm-fresh"],
      [
        .fresh(["Last-Modified: @-3000"]),
        .look(.cached, send: ["If-Modified-Since: @-2000"], gives: 304),
      ]),
    ConformanceCase(
      "conditional-lm-stale", .optimal, "§4.3.3", needs: ["conditional-lm-fresh"],
      [
        .fill(["Cache-Control: max-age=2", "Last-Modified: @-3000", "Date: @0"]),
        .look(.dateConfirmed, send: ["If-Modified-Since: @-3000"], gives: 304),
      ]),
  ]
}
