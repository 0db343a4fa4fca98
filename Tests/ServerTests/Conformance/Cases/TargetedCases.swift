extension ConformanceCase {
  // Keys of structured fields are lower case (RFC 9651 §3.1.2).
  static let targeted: [ConformanceCase] =
    table(
      "RFC 9213 §2",
      """
      should cached cdn-max-age | ~CDN-Cache-Control: max-age=3600
      should cached cdn-max-age-max | ~CDN-Cache-Control: max-age=2147483648
      should cached cdn-max-age-max-plus | ~CDN-Cache-Control: max-age=99999999999
      must passed cdn-max-age-age | ~CDN-Cache-Control: max-age=3600 | Date: @0 | Age: 7200
      does passed cdn-max-age-space-before-equals | ~CDN-Cache-Control: max-age =100 | Cache-Control: max-age=1
      does passed cdn-max-age-space-after-equals | ~CDN-Cache-Control: max-age= 100 | Cache-Control: max-age=1
      must passed cdn-max-age-0 | ~CDN-Cache-Control: max-age=0
      should cached cdn-max-age-extension | ~CDN-Cache-Control: foobar, max-age=3600
      differs cached cdn-max-age-case-insensitive | ~CDN-Cache-Control: MaX-aGe=3600
      should cached cdn-max-age-expires | ~CDN-Cache-Control: max-age=3600 | Expires: @-10000 | Date: @0
      should cached cdn-max-age-cc-max-age-invalid-expires | ~CDN-Cache-Control: max-age=3600 | ~Expires: 0 | Date: @0
      must passed cdn-max-age-0-expires | ~CDN-Cache-Control: max-age=0 | Expires: @10000 | Date: @0
      should cached cdn-max-age-short-cc-max-age | ~CDN-Cache-Control: max-age=3600 | Cache-Control: max-age=1
      must passed cdn-max-age-long-cc-max-age | ~CDN-Cache-Control: max-age=1 | Cache-Control: max-age=3600
      must passed cdn-private | ~CDN-Cache-Control: private | Cache-Control: max-age=10000 | Expires: @10000 \
      | Date: @0
      must passed cdn-no-cache | ~CDN-Cache-Control: no-cache | Cache-Control: max-age=10000 | Expires: @10000 \
      | Date: @0
      must passed cdn-no-store-cc-fresh | ~CDN-Cache-Control: no-store | Cache-Control: max-age=10000 \
      | Expires: @10000 | Date: @0
      must cached cdn-fresh-cc-nostore | ~CDN-Cache-Control: max-age=10000 | Cache-Control: no-store
      must passed cdn-cc-invalid-sh-type-unknown | ~CDN-Cache-Control: max-age=10000, &&&&& | Cache-Control: no-store
      must passed cdn-cc-invalid-sh-type-wrong | ~CDN-Cache-Control: max-age="10000" | Cache-Control: no-store
      """) + [
      ConformanceCase(
        "cdn-remove-header", .choice(true), "RFC 9213 §2.1",
        [
          .look(
            answer: [
              "~CDN-Cache-Control: foo", "Cache-Control: max-age=10000", "Expires: @10000",
              "Date: @0",
            ], has: ["CDN-Cache-Control: foo"])
        ])
    ]
}
