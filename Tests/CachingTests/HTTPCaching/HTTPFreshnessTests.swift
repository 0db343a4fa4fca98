import Foundation
import HTTPTypes
import Testing

@testable import DiskCaching
@testable import HTTPCaching
@testable import ImageModel

@Suite struct `HTTP freshness` {
  static let start = Date(timeIntervalSince1970: 1_592_300_000)

  func freshness(
    _ headers: HTTPFields, status: Int = 200, isShared: Bool = false, delay: TimeInterval = 0
  ) -> HTTPFreshness {
    HTTPFreshness(
      status: status, headers: headers, requestTime: Self.start - delay, responseTime: Self.start,
      isShared: isShared)
  }

  func at(_ seconds: TimeInterval) -> Date { Self.start + seconds }

  @Test func `a response is fresh for its max-age and not a second longer`() {
    let freshness = freshness([.cacheControl: "max-age=60"])

    #expect(freshness.use(at: at(59)) == .fresh)
    #expect(freshness.use(at: at(60)) == .revalidate)
  }

  @Test(arguments: ["0", "-1", "", "never", "Thu, 01 Jan 1970 00:00:00 GMT"])
  func `an Expires in the past or malformed is stale`(value: String) {
    let freshness = freshness([.expires: value, .lastModified: "Thu, 01 Jan 2015 00:00:00 GMT"])

    #expect(freshness.lifetime == 0)
    #expect(!freshness.isFresh(at: at(0)))
  }

  @Test func `a response with Vary: * is never fresh`() {
    let freshness = freshness([.cacheControl: "max-age=60", .vary: "Accept, *"])

    #expect(!freshness.isFresh(at: at(0)))
    #expect(self.freshness([.cacheControl: "max-age=60", .vary: "Accept"]).isFresh(at: at(0)))
  }

  @Test func `max-age overrides Expires, and s-maxage both in a shared cache`() {
    let headers: HTTPFields = [
      .cacheControl: "max-age=60, s-maxage=600", .expires: "Thu, 01 Jan 2099 00:00:00 GMT",
    ]

    #expect(freshness(headers).lifetime == 60)
    #expect(freshness(headers, isShared: true).lifetime == 600)
  }

  @Test func `Expires counts from the response's Date`() {
    let headers: HTTPFields = [
      .date: HTTPDate.format(at(-100)), .expires: HTTPDate.format(at(200)),
    ]

    #expect(freshness(headers).lifetime == 300)
    #expect(freshness(headers).age(at: at(10)) == 110)
  }

  @Test func `the age is the larger of the Age field's and the clock's`() {
    let headers: HTTPFields = [.cacheControl: "max-age=100", .age: "30"]

    #expect(freshness(headers, delay: 5).age(at: at(10)) == 45)
    #expect(freshness(headers, delay: 5).remaining(at: at(10)) == 55)
  }

  @Test func `without explicit freshness the lifetime is a tenth of the time since Last-Modified`()
  {
    let headers: HTTPFields = [.lastModified: HTTPDate.format(at(-1000))]

    #expect(freshness(headers).lifetime == 100)
    #expect(freshness(headers).isHeuristic)
    #expect(freshness(headers, status: 500).lifetime == 0)
    #expect(
      freshness([.lastModified: HTTPDate.format(at(-1e9))]).lifetime
        == HTTPFreshness.maximumHeuristicLifetime)
  }

  @Test func `a stale response is used at once within stale-while-revalidate`() {
    let freshness = freshness([.cacheControl: "max-age=10, stale-while-revalidate=20"])

    #expect(freshness.use(at: at(29)) == .staleWhileRevalidating)
    #expect(freshness.use(at: at(30)) == .revalidate)
    // A request that requires a fresh response may get it when the origin fails.
    #expect(freshness.covers(503, at: at(29)))
    #expect(!freshness.covers(503, at: at(30)))
  }

  @Test func `a stale response answers for an error within stale-if-error`() {
    let freshness = freshness([.cacheControl: "max-age=10, stale-if-error=20"])

    #expect(freshness.use(at: at(29)) == .revalidate)
    #expect(freshness.covers(503, at: at(29)))
    #expect(!freshness.covers(404, at: at(29)))
    #expect(!freshness.covers(503, at: at(30)))
  }

  @Test(arguments: [
    ("must-revalidate", false), ("no-cache", false), ("proxy-revalidate", true),
    ("s-maxage=10", true),
  ])
  func `some directives forbid every use of a stale response`(directive: String, isShared: Bool) {
    let freshness = freshness(
      [
        .cacheControl:
          "max-age=10, stale-while-revalidate=99, stale-if-error=99, \(directive)"
      ], isShared: isShared)

    #expect(freshness.use(at: at(15), request: CacheControl(["max-stale"])) == .revalidate)
    #expect(!freshness.covers(503, at: at(15)))
  }

  @Test func `a request's directives can be stricter`() {
    let freshness = freshness([.cacheControl: "max-age=100"])
    func use(_ directive: String, at seconds: TimeInterval) -> HTTPFreshness.Use {
      freshness.use(at: at(seconds), request: CacheControl([directive]))
    }

    #expect(use("no-cache", at: 1) == .revalidate)
    #expect(use("max-age=10", at: 10) == .fresh)
    #expect(use("max-age=10", at: 11) == .revalidate)
    #expect(use("min-fresh=50", at: 51) == .revalidate)
    #expect(use("min-fresh=50", at: 50) == .fresh)
    #expect(use("max-stale", at: 1000) == .acceptedStale)
    #expect(use("max-stale=50", at: 150) == .acceptedStale)
    #expect(use("max-stale=50", at: 151) == .revalidate)
    #expect(use("stale-if-error=50", at: 120) == .revalidate)
    #expect(freshness.covers(503, at: at(120), "stale-if-error=50"))
    #expect(!freshness.covers(503, at: at(150), "stale-if-error=50"))
    #expect(freshness.covers(503, at: at(11), "max-age=10"))
  }

  @Test func `a response from the future is not fresh`() {
    let freshness = freshness([.cacheControl: "max-age=100"])

    #expect(freshness.use(at: at(-3600)) == .revalidate)
  }

  @Test func `directives are parsed in any case, quotes and order`() {
    let control = CacheControl([
      " Max-Age=\"60\" , NO-STORE,,private=\"a, B\"", "max-age=5, stale-if-error=99999999999",
      "unknown=\"x, no-cache\"",
    ])

    #expect(control.maximumAge == 60)
    #expect(control.noStore)
    #expect(control.isPrivate == .fields(["a", "b"]))
    #expect(control.staleIfError == 1 << 31)
    #expect(control.noCache == nil)
  }

  @Test(arguments: ["max-age=", "max-age=-1", "max-age=1.5", "max-age=a", "max-age"])
  func `a malformed max-age is stale`(line: String) {
    #expect(CacheControl([line]).maximumAge == 0)
  }

  @Test(arguments: [
    "max-age=60, ext=\"a, private", "max-age=60 private", "max-age=60; private", "private\"",
    "\"private\"", "max-age=60, ext=\"a\" private", "public, max-age=60, ext=\"\\",
    "a b, Private=\"x\"",
  ])
  func `a line that is not a list of directives only restricts`(line: String) {
    let control = CacheControl([line, "s-maxage=60"])

    #expect(control.isPrivate == (line.lowercased().contains("private") ? .all : nil))
    #expect(control.maximumAge == 0)
    #expect(control.sharedMaximumAge == 0)
    #expect(!control.isPublic)
    #expect(!control.isEmpty)
  }

  @Test(arguments: [
    "private=1", "private=set-cookie", "private=\"\"", "private=\"a b\"", "private=\"=\"",
  ])
  func `a private or no-cache with an unquoted field list covers the whole response`(line: String) {
    #expect(CacheControl([line]).isPrivate == .all)
  }

  @Test func `a Vary that is not a list of names matches no request`() throws {
    for line in ["Accept Cookie", "\"Cookie\"", "Cookie; Accept", "Accept, *"] {
      #expect(VaryKey(answer: [.vary: line], request: [:]) == nil, "\(line)")
    }
  }

  @Test func `a selection differs where a byte does`() throws {
    func key(_ bytes: [UInt8]) throws -> String {
      var request = HTTPFields()
      request.append(HTTPField(name: .cookie, value: bytes))
      return try #require(VaryKey(answer: [.vary: "Cookie"], request: request)).description
    }
    // Bytes that are not UTF-8, the two Unicode spellings of a letter, and the escaped form of a
    // byte.
    let values: [[UInt8]] = [
      [0x61, 0xE9], [0x61, 0xE8], [0x61, 0xC3, 0xA9], [0x61, 0x65, 0xCC, 0x81],
      [0x61, 0xEF, 0xBF, 0xBD], Array("ae9".utf8), [0x61, 0x20, 0x65, 0x39],
    ]

    #expect(try Set(values.map(key)).count == values.count)
  }

  @Test func `fields are stored byte for byte`() throws {
    var fields = HTTPFields()
    for value in [[0xE9, 0x20, 0xFF], Array("plain".utf8), Array("ü, é".utf8), [0x31, 0x80]] {
      fields.append(HTTPField(name: .server, value: value as [UInt8]))
    }

    let stored = HeaderText(text: HeaderText(fields).text).fields

    #expect(stored.map(\.valueBytes) == fields.map(\.valueBytes))
  }

  @Test func `Pragma counts only where Cache-Control is absent`() throws {
    let pragma = try #require(HTTPField.Name("Pragma"))

    #expect(CacheControl([pragma: "no-cache"] as HTTPFields).noCache == .all)
    #expect(
      CacheControl([pragma: "no-cache", .cacheControl: "max-age=1"] as HTTPFields).noCache == nil)
  }
}

@Suite struct `HTTP storing` {
  @Test(arguments: [
    ("no-store", 200, false), ("no-store, must-understand, max-age=1", 200, true),
    ("must-understand, max-age=1", 299, false), ("max-age=10", 500, true), ("", 500, false),
    ("", 200, true), ("", 404, true), ("", 302, false), ("max-age=1", 302, true), ("", 206, false),
    ("private", 200, true),
  ])
  func `a response is stored as its status and directives allow`(
    control: String, status: Int, expected: Bool
  ) {
    let headers: HTTPFields = control.isEmpty ? [:] : [.cacheControl: control]

    #expect(HTTPStorability.mayStore(status: status, headers: headers) == expected)
  }

  @Test(arguments: [
    ("private", false), ("max-age=60", false), ("max-age=60, public", true), ("s-maxage=1", true),
    ("must-revalidate", true),
  ])
  func `a shared cache stores authorized responses only when told to`(
    control: String, expected: Bool
  ) {
    let stored = HTTPStorability.mayStore(
      status: 200, headers: [.cacheControl: control], request: [.authorization: "Basic eA=="],
      isShared: true)

    #expect(stored == expected)
  }

  @Test(arguments: [
    ("max-age=60", false), ("s-maxage=60", false), ("max-age=60, public", true), ("", false),
    ("public, private", false),
  ])
  func `a shared cache stores a response with Set-Cookie only where it is public`(
    control: String, expected: Bool
  ) {
    let headers: HTTPFields = [.cacheControl: control, .setCookie: ""]

    #expect(HTTPStorability.mayStore(status: 200, headers: headers, isShared: true) == expected)
    #expect(HTTPStorability.mayStore(status: 200, headers: headers))
    #expect(
      HTTPStorability.mayStore(
        status: 200, headers: headers, isShared: true, storesSetCookie: true)
        == !control.contains("private"))
  }

  @Test func `a targeted field overrides Cache-Control in a shared cache`() throws {
    let targeted = try #require(HTTPField.Name("CDN-Cache-Control"))
    let headers: HTTPFields = [targeted: "max-age=60", .cacheControl: "no-store", .expires: "0"]
    let now = Date(timeIntervalSince1970: 0)

    #expect(HTTPStorability.mayStore(status: 200, headers: headers, isShared: true))
    #expect(!HTTPStorability.mayStore(status: 200, headers: headers))
    let freshness = HTTPFreshness(
      status: 200, headers: headers, requestTime: now, responseTime: now, isShared: true)
    #expect(freshness.lifetime == 60)
  }
}

@Suite struct `HTTP variants` {
  func key(_ vary: String, _ request: HTTPFields) -> VaryKey? {
    VaryKey(answer: [.vary: vary], request: request)
  }

  @Test func `a field that Vary names separates entries, another does not`() {
    let webp = key("Accept", [.accept: "image/webp", .userAgent: "a"])

    #expect(webp != key("Accept", [.accept: "image/png", .userAgent: "a"]))
    #expect(webp != key("Accept", [:]))
    #expect(webp == key("Accept", [.accept: "image/webp", .userAgent: "b"]))
  }

  @Test func `equivalent spellings of a field do not separate entries`() {
    #expect(
      key("ACCEPT , user-agent", [.accept: "a/b,  c/d", .userAgent: "x"])
        == key("User-Agent,accept", [.userAgent: "x", .accept: "a/b,c/d"]))
    #expect(key("", [.accept: "a"])?.isEmpty == true)
    #expect(VaryKey(answer: [:], request: [.accept: "a"])?.isEmpty == true)
  }

  @Test func `Vary: * matches nothing`() {
    #expect(key("Accept, *", [.accept: "a"]) == nil)
  }

  @Test func `keys are distinguished by their text`() {
    #expect(
      key("accept-language, accept", [.accept: "a"])?.description == "accept: a\naccept-language")
  }
}

@Suite struct `HTTP validation` {
  @Test func `a conditional request has both validators`() {
    let fields = HTTPValidation.conditions(for: [
      .eTag: "W/\"1\"", .lastModified: "Sun, 06 Nov 1994 08:49:37 GMT",
    ])

    #expect(fields[.ifNoneMatch] == "W/\"1\"")
    #expect(fields[.ifModifiedSince] == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(HTTPValidation.conditions(for: [:]).isEmpty)
  }

  @Test func `a 304 updates the response's metadata, not its body's`() {
    let merged = HTTPValidation.merge(
      [
        .eTag: "\"1\"", .contentLength: "100", .contentType: "image/png",
        .cacheControl: "max-age=1",
        .server: "a",
      ],
      with: [
        .eTag: "\"1\"", .contentLength: "0", .contentType: "text/html", .cacheControl: "max-age=9",
        .date: "Sun, 06 Nov 1994 08:49:37 GMT",
      ])

    #expect(merged[.contentLength] == "100")
    #expect(merged[.contentType] == "image/png")
    #expect(merged[.cacheControl] == "max-age=9")
    #expect(merged[.server] == "a")
    #expect(merged[.date] != nil)
  }

  @Test func `only a strong validator lets a body be resumed`() {
    let changed = "Sun, 06 Nov 1994 08:49:37 GMT"

    #expect(HTTPValidation.strongValidator(of: [.eTag: "\"1\""]) == "\"1\"")
    #expect(HTTPValidation.strongValidator(of: [.eTag: "W/\"1\"", .lastModified: changed]) == nil)
    #expect(HTTPValidation.strongValidator(of: [.lastModified: changed]) == nil)
    #expect(
      HTTPValidation.strongValidator(of: [
        .lastModified: changed, .date: "Sun, 06 Nov 1994 08:49:39 GMT",
      ]) == changed)
  }
}

@Suite struct `HTTP dates` {
  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    "sun, 06 NOV 1994 08:49:37 gmt", "Sun Nov 6 08:49:37 1994", "Sun Nov 06 08:49:37 1994",
  ])
  func `all three formats are parsed`(text: String) {
    #expect(HTTPDate.parse(text) == Date(timeIntervalSince1970: 784_111_777))
  }

  @Test(arguments: [
    "", "0", "-1", "Sun, 06 Nov 1994 08:49:37", "Sun, 31 Feb 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
    "Sun, 06 Nov 19945 08:49:37 GMT", "1994-11-06T08:49:37Z", "Sun, 06 Nov 1994 08:49:61 GMT",
    "Sun, 00 Nov 1994 08:49:37 GMT", "Sunday, 29-Feb-95 08:49:37 GMT", "Sun Nov  06 08:49:37 1994",
    "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 06 Nov 1994 08:49:37 GMT", "So\u{308}n, 06 Nov 1994",
    "Sun, ٠٦ Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT ",
  ])
  func `any other text is not a date`(text: String) {
    #expect(HTTPDate.parse(text) == nil)
  }

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
  ])
  func `a truncated date is refused`(text: String) {
    for count in 0..<text.count { #expect(HTTPDate.parse(String(text.prefix(count))) == nil) }
  }

  @Test func `a year of two digits is at most 50 years ahead`() {
    func year(_ text: String, _ now: String) -> Int? {
      HTTPDate.parse(text, now: HTTPDate.parse(now))
        .map { CivilDate(ordinal: Int($0.timeIntervalSince1970 / 86400)).year }
    }
    #expect(year("Sunday, 06-Nov-76 08:49:37 GMT", "Sun, 22 Nov 2026 08:49:37 GMT") == 2076)
    #expect(year("Sunday, 06-Nov-77 08:49:37 GMT", "Sun, 22 Nov 2026 08:49:37 GMT") == 1977)
  }

  @Test func `a written date is parsed as the same second, over 400 years`() {
    var seconds = -5_000_000_000.0
    while seconds < 8_000_000_000 {
      let date = Date(timeIntervalSince1970: seconds)
      #expect(HTTPDate.parse(HTTPDate.format(date)) == date)
      seconds += 86400 * 37 + 3601
    }
    #expect(
      HTTPDate.format(Date(timeIntervalSince1970: 784_111_777)) == "Sun, 06 Nov 1994 08:49:37 GMT")
  }
}

extension HTTPFreshness {
  /// Whether the response answers for an origin that sent a status.
  fileprivate func covers(_ status: Int, at now: Date, _ directives: String...) -> Bool {
    maySubstitute(
      for: .status(status), at: now, request: CacheControl(directives), profile: .proxy())
  }
}
