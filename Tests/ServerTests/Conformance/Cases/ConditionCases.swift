extension ConformanceCase {
  private static func tagged(_ id: String, _ kind: Kind, _ tag: String, _ asked: String)
    -> ConformanceCase
  {
    ConformanceCase(
      id, kind, "§4.3.1",
      [
        .shortlived(["ETag: \(tag)"]),
        .look(.tagConfirmed, answer: ["ETag: \(tag)"], asks: ["If-None-Match: \(asked)"]),
      ])
  }

  static let conditions: [ConformanceCase] =
    table(
      "§4.3.2", before: ["Cache-Control: max-age=100000", "Date: @0"],
      #"""
      should cached conditional-etag-strong-respond | ETag: "abcdef" > If-None-Match: "abcdef" = 304
      must cached conditional-etag-precedence | Last-Modified: @-5000 | ETag: "abcdef" \#
      > If-None-Match: "abcdef" > If-Modified-Since: @-1 = 304
      differs cached conditional-etag-quoted-respond-unquoted | ETag: "abcdef" > If-None-Match: abcdef = 304
      does cached conditional-etag-unquoted-respond-unquoted | ETag: abcdef > If-None-Match: abcdef = 304
      differs cached conditional-etag-unquoted-respond-quoted | ETag: abcdef > If-None-Match: "abcdef" = 304
      should cached conditional-etag-weak-respond | ETag: W/"abcdef" > If-None-Match: W/"abcdef" = 304
      does cached conditional-etag-weak-respond-lowercase | ETag: w/"abcdef" > If-None-Match: w/"abcdef" = 304
      does cached conditional-etag-weak-respond-backslash | ETag: W\"abcdef" > If-None-Match: W\"abcdef" = 304
      does cached conditional-etag-weak-respond-omit-slash | ETag: W"abcdef" > If-None-Match: W"abcdef" = 304
      should cached conditional-etag-strong-respond-multiple-first | ETag: "abcdef" \#
      > If-None-Match: "abcdef", "1234", "5678" = 304
      should cached conditional-etag-strong-respond-multiple-second | ETag: "abcdef" \#
      > If-None-Match: "1234", "abcdef", "5678" = 304
      should cached conditional-etag-strong-respond-multiple-last | ETag: "abcdef" \#
      > If-None-Match: "1234", "5678", "abcdef" = 304
      should cached conditional-lm-fresh | Last-Modified: @-3000 > If-Modified-Since: @-3000 = 304
      should cached conditional-lm-fresh-no-lm > If-Modified-Since: @1 = 304
      should cached conditional-lm-fresh-earlier | Last-Modified: @-3000 > If-Modified-Since: @-2000 = 304
      """#)
    + table(
      "§4.3.3",
      #"""
      should dateConfirmed conditional-lm-stale | Cache-Control: max-age=2 | Last-Modified: @-3000 | Date: @0 \#
      > If-Modified-Since: @-3000 = 304
      """#) + [
      ConformanceCase(
        "conditional-304-etag", .required, "§4.3.2",
        [
          .fresh(["ETag: \"abcdef\""]),
          .look(
            .cached, send: ["If-None-Match: \"abcdef\""], gives: 304, has: ["ETag: \"abcdef\""]),
        ]),
      ConformanceCase(
        "conditional-etag-vary-headers", .required, "§4.3.1",
        [
          .fill(["Expires: @1", "ETag: \"abcdef\"", "Date: @0", "Vary: Abc"], send: ["Abc: 123"]),
          .look(.tagConfirmed, send: ["Abc: 123"], asks: ["Abc: 123"], prepares: [.arrival]),
        ]),
      ConformanceCase(
        "conditional-etag-vary-headers-mismatch", .choice(true), "§4.1",
        [
          .fill(
            ["Expires: @10000", "ETag: \"abcdef\"", "Date: @0", "Vary: Abc"], send: ["Abc: 123"]),
          .look(send: ["Abc: 456"], asks: ["If-None-Match: \"abcdef\""]),
        ]), tagged("conditional-etag-strong-generate", .optimal, "\"abcdef\"", "\"abcdef\""),
      tagged("conditional-etag-weak-generate-weak", .optimal, "W/\"abcdef\"", "W/\"abcdef\""),
      tagged("conditional-etag-strong-generate-unquoted", .choice(false), "abcdef", "\"abcdef\""),
      ConformanceCase(
        "conditional-etag-forward", .choice(true), "§4.3.2",
        [.look(send: ["If-None-Match: \"abcdef\""], asks: ["If-None-Match: \"abcdef\""])]),
      ConformanceCase(
        "conditional-etag-forward-unquoted", .choice(false), "§4.3.2",
        [.look(send: ["If-None-Match: abcdef"], asks: ["If-None-Match: \"abcdef\""])]),
    ]
}
