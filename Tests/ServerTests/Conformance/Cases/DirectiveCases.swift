extension ConformanceCase {
  private static let dated = ["Expires: @10000", "Date: @0"]

  // Where the client's own Cache-Control does not contain no-cache, Pragma does not count.
  static let directives: [ConformanceCase] =
    table(
      "§5.4",
      """
      must passed now §5.2.2.7 cc-resp-private-shared | Cache-Control: private, max-age=3600
      must passed now §5.2.2.5 cc-resp-no-store | Cache-Control: no-store
      must passed now §5.2.2.5 cc-resp-no-store-case-insensitive | Cache-Control: No-StOrE
      must passed now §5.2.2.5 cc-resp-no-store-fresh | Cache-Control: max-age=10000, no-store \
      | Expires: @10000 | Date: @0
      must passed now §5.2.2.4 cc-resp-no-cache | Cache-Control: max-age=10000, no-cache | Expires: @10000 | Date: @0
      must passed now §5.2.2.4 cc-resp-no-cache-case-insensitive | Cache-Control: max-age=10000, No-CaChE \
      | Expires: @10000 | Date: @0
      should tagConfirmed now §5.2.2.4 cc-resp-no-cache-revalidate | Cache-Control: no-cache | ETag: "abcd"
      should tagConfirmed now §5.2.2.4 cc-resp-no-cache-revalidate-fresh \
      | Cache-Control: max-age=10000, no-cache | ETag: "abcd" | Expires: @10000 | Date: @0
      should cached now §5.2.2.2 cc-resp-must-revalidate-fresh | Cache-Control: max-age=10000, must-revalidate \
      | ETag: "abcd"
      does passed §5.2.1.1 ccreq-ma0 | Cache-Control: max-age=3600 > Cache-Control: max-age=0
      does passed §5.2.1.1 ccreq-ma1 | Cache-Control: max-age=3600 > Cache-Control: max-age=1
      does passed now §5.2.1.1 ccreq-magreaterage | Cache-Control: max-age=3600 | Age: 1800 \
      > Cache-Control: max-age=600
      does cached §5.2.1.2 ccreq-max-stale | Cache-Control: max-age=1 > Cache-Control: max-stale=1000
      does cached now §5.2.1.2 ccreq-max-stale-age | Cache-Control: max-age=1500 | Age: 2000 \
      > Cache-Control: max-stale=1000
      does passed now §5.2.1.3 ccreq-min-fresh | Cache-Control: max-age=1500 > Cache-Control: min-fresh=2000
      does passed now §5.2.1.3 ccreq-min-fresh-age | Cache-Control: max-age=1500 | Age: 1000 \
      > Cache-Control: min-fresh=1000
      does passed now §5.2.1.4 ccreq-no-cache | Cache-Control: max-age=3600 > Cache-Control: no-cache
      does dateConfirmed now §5.2.1.4 ccreq-no-cache-lm | Cache-Control: max-age=3600 | Last-Modified: @-10000 \
      | Date: @0 > Cache-Control: no-cache
      does tagConfirmed now §5.2.1.4 ccreq-no-cache-etag | Cache-Control: max-age=3600 | ETag: "abc" \
      > Cache-Control: no-cache
      does passed now §5.2.1.5 ccreq-no-store | Cache-Control: max-age=3600 > Cache-Control: no-store
      does cached now pragma-request-no-cache | Cache-Control: max-age=3600 > Pragma: no-cache
      does cached now pragma-request-extension | Cache-Control: max-age=3600 > Pragma: unrecognised-extension
      does cached now pragma-response-no-cache | Cache-Control: max-age=3600 | Pragma: no-cache
      does cached now pragma-response-no-cache-heuristic | Last-Modified: @-10000 | Pragma: no-cache
      does cached now pragma-response-extension | Cache-Control: max-age=3600 | Pragma: unrecognised-extension
      """) + [
      ConformanceCase(
        "cc-resp-no-store-old-new", .required, "§5.2.2.5",
        [
          .fill(["Cache-Control: max-age=10000", "A: 1"] + dated),
          .fill(["Cache-Control: no-store", "Date: @0", "A: 2"]), .look(.cached, has: ["A: 1"]),
        ]),
      ConformanceCase(
        "cc-resp-no-store-old-max-age", .required, "§5.2.2.5",
        [
          .fill(["Cache-Control: max-age=10000", "A: 1"] + dated),
          .fill(["Cache-Control: no-store, max-age=0", "Date: @0", "A: 2"]),
          .look(.cached, has: ["A: 1"]),
        ]),
      ConformanceCase(
        "headers-omit-headers-listed-in-Cache-Control-no-cache-single", .choice(true), "§5.2.2.4",
        [
          .fill([
            "Cache-Control: no-cache=\"a\"", "A: 1", "B: 2", "Cache-Control: max-age=3600",
            "Date: @0",
          ]), .look(.cached, has: ["B: 2"], lacks: ["A"], prepares: [.arrival]),
        ]),
      ConformanceCase(
        "headers-omit-headers-listed-in-Cache-Control-no-cache", .choice(true), "§5.2.2.4",
        [
          .fill([
            "Cache-Control: no-cache=\"a, b\"", "A: 1", "B: 2", "C: 3",
            "Cache-Control: max-age=3600", "Date: @0",
          ]), .look(.cached, has: ["C: 3"], lacks: ["A", "B"], prepares: [.arrival]),
        ]),
      ConformanceCase(
        "cc-resp-must-revalidate-stale", .required, "§5.2.2.2",
        [
          .fill(["Cache-Control: max-age=2, must-revalidate", "ETag: \"abcd\""], pauses: false),
          .fill(["Cache-Control: max-age=2, must-revalidate", "ETag: \"abcd\""]).with {
            $0.arrival = .cached
          }, .look(.tagConfirmed),
        ]),
      ConformanceCase(
        "ccreq-oic", .choice(true), "§5.2.1.7",
        [.look(send: ["Cache-Control: only-if-cached"], gives: 504, givesText: "")]),
    ]
}
