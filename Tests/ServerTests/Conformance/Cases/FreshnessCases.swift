extension ConformanceCase {
  static let freshness: [ConformanceCase] = table(
    "§5.2.2.10",
    """
    does passed §4.2 freshness-none
    should cached §5.2.2.1 freshness-max-age | Cache-Control: max-age=3600
    must passed §4.2 freshness-max-age-stale | Cache-Control: max-age=2 | Template-A: 1
    must passed §5.2.2.1 freshness-max-age-0 | Cache-Control: max-age=0
    should cached §1.2.2 freshness-max-age-max-minus-1 | Cache-Control: max-age=2147483647
    should cached §1.2.2 freshness-max-age-max | Cache-Control: max-age=2147483648
    should cached §1.2.2 freshness-max-age-max-plus-1 | Cache-Control: max-age=2147483649
    should cached §1.2.2 freshness-max-age-max-plus | Cache-Control: max-age=99999999999
    must passed §4.2.3 freshness-max-age-age | Date: @0 | Cache-Control: max-age=3600 | Age: 7200
    does passed §4.2.3 freshness-max-age-date | Date: @-7200 | Cache-Control: max-age=3600
    should cached §5.3 freshness-max-age-expires | Cache-Control: max-age=3600 | Expires: @-7200 | Date: @0
    should cached §5.3 freshness-max-age-expires-invalid | Cache-Control: max-age=3600 | ~Expires: 0 | Date: @0
    must passed §5.3 freshness-max-age-0-expires | Expires: @3600 | Cache-Control: max-age=0 | Date: @0
    should cached §5.2.3 freshness-max-age-extension | Cache-Control: foobar, max-age=3600
    should cached §5.2 freshness-max-age-case-insenstive | Cache-Control: MaX-aGe=3600
    must passed §1.2.2 freshness-max-age-negative | Cache-Control: max-age=-3600
    must cached freshness-s-maxage-shared | Cache-Control: s-maxage=3600
    must passed freshness-max-age-s-maxage-shared-longer | Cache-Control: max-age=3600, s-maxage=1
    must passed freshness-max-age-s-maxage-shared-longer-reversed | Cache-Control: s-maxage=1, max-age=3600
    must passed freshness-max-age-s-maxage-shared-longer-multiple | Cache-Control: max-age=3600 \
    | Cache-Control: s-maxage=1
    should cached freshness-max-age-s-maxage-shared-shorter | Cache-Control: max-age=1, s-maxage=3600
    should cached freshness-max-age-s-maxage-shared-shorter-expires | Expires: @-10 \
    | Cache-Control: max-age=0, s-maxage=3600
    """)

  static let expires: [ConformanceCase] =
    table(
      "§5.3", after: ["Date: @0"],
      """
      should cached freshness-expires-future | Expires: @2592000
      must passed freshness-expires-past | ~Expires: @-2592000
      must passed now §4.2.1 freshness-expires-present | Expires: @0
      must passed freshness-expires-invalid | ~Expires: 0
      should cached freshness-expires-32bit | ~Expires: Tue, 19 Jan 2038 14:14:08 GMT
      should cached freshness-expires-far-future | ~Expires: Sun, 21 Nov 2286 04:46:39 GMT
      should cached freshness-expires-rfc850 | ~Expires: Thursday, 18-Aug-50 02:01:18 GMT
      should cached freshness-expires-ansi-c | ~Expires: Thu Aug  8 02:01:18 2050
      should cached freshness-expires-wrong-case-weekday | ~Expires: THU, 18 Aug 2050 02:01:18 GMT
      should cached freshness-expires-wrong-case-month | ~Expires: Thu, 18 AUG 2050 02:01:18 GMT
      should cached freshness-expires-wrong-case-tz | ~Expires: Thu, 18 Aug 2050 02:01:18 gMT
      must passed freshness-expires-invalid-utc | ~Expires: Thu, 18 Aug 2050 02:01:18 UTC
      must passed freshness-expires-invalid-aest | ~Expires: Thu, 18 Aug 2050 02:01:18 AEST
      must passed freshness-expires-invalid-2-digit-year | ~Expires: Thu, 18 Aug 50 02:01:18 GMT
      must passed freshness-expires-invalid-no-comma | ~Expires: Thu 18 Aug 2050 02:01:18 GMT
      must passed freshness-expires-invalid-multiple-spaces | ~Expires: Thu, 18  Aug  2050 02:01:18 GMT
      must passed freshness-expires-invalid-date-dashes | ~Expires: Thu, 18-Aug-2050 02:01:18 GMT
      must passed freshness-expires-invalid-time-periods | ~Expires: Thu, 18 Aug 2050 02.01.18 GMT
      must passed freshness-expires-invalid-1-digit-hour | ~Expires: Thu, 18 Aug 2050 2:01:18 GMT
      must passed §4.2.1 freshness-expires-invalid-multiple-lines | ~Expires: Thu, 18 Aug 2050 2:01:18 GMT \
      | ~Expires: Thu, 18 Aug 2050 2:01:19 GMT
      """)
    + table(
      "§4.2.3",
      """
      must passed §4.2.1 freshness-expires-old-date | Expires: @300 | Date: @400
      should cached now §4.2.1 freshness-expires-invalid-date | ~Date: foo | Expires: @10
      must passed now freshness-expires-age-slow-date | Date: @-10 | Expires: @10 | Age: 25
      must passed now freshness-expires-age-fast-date | Date: @10 | Expires: @20 | Age: 15
      """)

  static let parsing: [ConformanceCase] =
    table(
      "§5.1", before: ["Date: @0", "Cache-Control: max-age=3600"],
      """
      must cached age-parse-nonnumeric | ~Age: abc
      must cached age-parse-negative | ~Age: -7200
      must cached age-parse-float | ~Age: 7200.0
      must passed age-parse-large-minus-one | ~Age: 2147483647
      must passed age-parse-large | ~Age: 2147483648
      must passed age-parse-larger | ~Age: 2147483649
      must passed age-parse-suffix | ~Age: 7200, 0
      must cached age-parse-prefix | ~Age: 0, 7200
      must passed age-parse-suffix-twoline | ~Age: 7200 | ~Age: 0
      must cached age-parse-prefix-twoline | ~Age: 0 | ~Age: 7200
      must cached age-parse-dup-0 | ~Age: 0, 0
      must cached age-parse-dup-0-twoline | ~Age: 0 | ~Age: 0
      differs passed age-parse-parameter | ~Age: 7200;foo=bar
      differs passed age-parse-numeric-parameter | ~Age: 7200;foo=111
      """)
    + table(
      "§5.2",
      """
      must cached §5.1 age-parse-dup-old | Date: @0 | Cache-Control: max-age=10000 | ~Age: 3600 | ~Age: 3600
      does cached freshness-max-age-two-fresh-stale-sameline | ~Cache-Control: max-age=1800, max-age=1
      does cached freshness-max-age-two-fresh-stale-sepline | ~Cache-Control: max-age=1800 | ~Cache-Control: max-age=1
      differs cached freshness-max-age-two-stale-fresh-sameline | ~Cache-Control: max-age=1, max-age=1800
      differs cached freshness-max-age-two-stale-fresh-sepline | ~Cache-Control: max-age=1 \
      | ~Cache-Control: max-age=1800
      does cached freshness-max-age-quoted | ~Cache-Control: max-age="3600"
      must passed freshness-max-age-ignore-quoted | ~Cache-Control: extension="max-age=3600", max-age=1
      must passed freshness-max-age-ignore-quoted-rev | ~Cache-Control: max-age=1, extension="max-age=3600"
      differs passed freshness-max-age-space-before-equals | ~Cache-Control: max-age =3600
      differs passed freshness-max-age-space-after-equals | ~Cache-Control: max-age= 3600
      must cached freshness-max-age-leading-zero | ~Cache-Control: max-age=003600
      must passed freshness-max-age-single-quoted | ~Cache-Control: max-age='3600'
      differs cached freshness-max-age-decimal-zero | ~Cache-Control: max-age=3600.0
      differs cached freshness-max-age-decimal-five | ~Cache-Control: max-age=3600.5
      differs cached freshness-max-age-a100 | ~Cache-Control: max-age=a3600
      differs cached freshness-max-age-100a | ~Cache-Control: max-age=3600a
      """)
}
