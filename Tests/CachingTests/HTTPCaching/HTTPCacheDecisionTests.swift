import Foundation
import HTTPTypes
import Testing

@testable import DiskCaching
@testable import HTTPCaching
@testable import ImageModel

/// Cache rules as values; sections are those of RFC 9111 where no other is named.
@Suite struct `HTTP cache decisions` {
  static let now = Date(timeIntervalSince1970: 1_600_000_000)
  static let etag = "\"1\""

  static func stored(
    _ fields: HTTPFields, status: Int = 200, ago: TimeInterval = 0, selection: String = "",
    byteCount: Int = 10
  ) -> StoredResponse {
    StoredResponse(
      status: status, fields: fields, requestTime: now - ago, responseTime: now - ago,
      selection: selection, byteCount: byteCount)
  }

  func decide(
    _ request: HTTPCacheRequest, _ stored: StoredResponse...
  ) -> HTTPCacheDecision {
    HTTPCacheDecision(for: request, stored: stored, at: Self.now, profile: .proxy())
  }

  func get(_ fields: HTTPFields = [:]) -> HTTPCacheRequest { HTTPCacheRequest(fields: fields) }

  @Test func `a fresh response is served without an origin request (RFC 9111 §4)`() {
    let decision = decide(get(), Self.stored([.cacheControl: "max-age=10"], ago: 9))

    #expect(decision == .deliver(0, .fresh))
  }

  @Test(arguments: ["POST", "PUT", "DELETE", "OPTIONS", "BREW"])
  func `other methods are forwarded to the origin (RFC 9111 §4)`(method: String) {
    let decision = decide(
      HTTPCacheRequest(method: method), Self.stored([.cacheControl: "max-age=10"]))

    #expect(decision == .forward(.method, substitute: nil))
  }

  @Test func `a stale response is revalidated by its validators (RFC 9111 §4.3.1)`() {
    let fields: HTTPFields = [.cacheControl: "max-age=1", .eTag: Self.etag]
    let request = get([.ifNoneMatch: "\"mine\"", .accept: "a/b"])
    let decision = decide(request, Self.stored(fields, ago: 5))

    guard case .validate(let question, .stale, substitute: 0) = decision else {
      Issue.record("\(decision)")
      return
    }
    #expect(question.purpose == .confirm(0))
    #expect(question.fields(for: request) == [.accept: "a/b", .ifNoneMatch: Self.etag])
  }

  @Test func `an entity tag that is not UTF-8 is sent and compared byte for byte (RFC 9111 §4.3)`()
    throws
  {
    func field(_ name: HTTPField.Name, _ bytes: [UInt8]) -> HTTPFields {
      var fields: HTTPFields = [.cacheControl: "max-age=1"]
      fields.append(HTTPField(name: name, value: bytes))
      return fields
    }
    let (tag, other) = ([0x22, 0x61, 0xE9, 0x22] as [UInt8], [0x22, 0x61, 0xE8, 0x22] as [UInt8])
    // As read back from the disk.
    let stored = Self.stored(HeaderText(field(.eTag, tag)).fields, ago: 5)

    guard case .validate(let question, .stale, substitute: 0) = decide(get(), stored) else {
      Issue.record("it is not asked about")
      return
    }
    let sent = question.fields(for: get())[fields: .ifNoneMatch].map(\.valueBytes)
    func selected(_ bytes: [UInt8]) -> Int? {
      HTTPValidation.selected(by: field(.eTag, bytes), among: [stored], nominated: [0])
    }

    #expect(sent == [tag])
    #expect(selected(tag) == 0)
    #expect(selected(other) == nil)
  }

  @Test func `a stale response without a validator is fetched again`() {
    let decision = decide(get(), Self.stored([.cacheControl: "max-age=1"], ago: 5))

    #expect(decision == .forward(.stale, substitute: 0))
  }

  @Test
  func `within stale-while-revalidate a stale response is served and revalidated (RFC 5861 §3)`() {
    let fields: HTTPFields = [.cacheControl: "max-age=1, stale-while-revalidate=9", .eTag: "\"1\""]
    let decision = decide(get(), Self.stored(fields, ago: 5))

    guard case .deliver(0, .revalidatingMeanwhile(let question)) = decision else {
      Issue.record("\(decision)")
      return
    }
    #expect(question.conditions == [.ifNoneMatch: "\"1\""])
  }

  @Test(arguments: [
    ("no-store", HTTPCacheDecision.forward(.request, substitute: nil)),
    ("no-cache", .forward(.request, substitute: 0)),
    ("max-age=3", .forward(.request, substitute: 0)),
    ("min-fresh=90", .forward(.request, substitute: 0)),
    ("min-fresh=9", .deliver(0, .fresh)),
    ("no-cache, only-if-cached", .gatewayTimeout), ("only-if-cached, no-store", .gatewayTimeout),
    ("only-if-cached", .deliver(0, .fresh)),
  ])
  func `a request's directives are followed (RFC 9111 §5.2.1)`(
    control: String, expected: HTTPCacheDecision
  ) {
    let decision = decide(
      get([.cacheControl: control]), Self.stored([.cacheControl: "max-age=60"], ago: 5))

    #expect(decision == expected)
  }

  @Test func `only-if-cached without a response is a 504 (RFC 9111 §5.2.1.7)`() {
    #expect(decide(get([.cacheControl: "only-if-cached"])) == .gatewayTimeout)
    #expect(decide(get()) == .forward(.noAnswer, substitute: nil))
  }

  @Test(arguments: [HTTPField.Name.ifMatch, .ifUnmodifiedSince])
  func `conditions for the origin alone bypass the store (RFC 9111 §4.3.2)`(name: HTTPField.Name) {
    let decision = decide(get([name: "x"]), Self.stored([.cacheControl: "max-age=60"]))

    #expect(decision == .forward(.bypass, substitute: nil))
  }

  @Test func `of several responses the newest that matches is selected (RFC 9111 §4.1)`() {
    func answer(_ accept: String, _ ago: TimeInterval) -> StoredResponse {
      Self.stored(
        [.cacheControl: "max-age=99", .vary: "accept", .date: HTTPDate.format(Self.now - ago)],
        ago: ago, selection: "accept: \(accept)")
    }
    let decision = decide(
      get([.accept: "b"]), answer("a", 1), answer("b", 9), answer("b", 5))

    #expect(decision == .deliver(2, .fresh))
  }

  @Test
  func `a variant that is not stored is requested by the stored variants' tags (RFC 9111 §4.1)`() {
    func answer(_ tag: String, _ accept: String) -> StoredResponse {
      Self.stored(
        [.cacheControl: "max-age=99", .vary: "accept", .eTag: tag], selection: "accept: \(accept)")
    }
    let decision = decide(
      get([.accept: "c"]), answer("\"1\"", "a"), answer("\"2\"", "b"), answer("W/\"3\"", "d"))

    guard case .validate(let question, .noVariant, nil) = decision else {
      Issue.record("\(decision)")
      return
    }
    #expect(question.conditions == [.ifNoneMatch: "\"1\", \"2\""])
    #expect(question.nominated == [0, 1])
  }

  @Test func `of many variants the newest are named, at most eight tags and 1 KiB`() {
    func answer(_ tag: String, _ ago: TimeInterval) -> StoredResponse {
      Self.stored(
        [.cacheControl: "max-age=99", .vary: "accept", .eTag: "\"\(tag)\""], ago: ago,
        selection: "accept: \(ago)")
    }
    func question(_ stored: [StoredResponse]) -> HTTPRevalidation? {
      let decision = HTTPCacheDecision(
        for: get([.accept: "c"]), stored: stored, at: Self.now, profile: .proxy())
      if case .validate(let question, .noVariant, nil) = decision { return question }
      return nil
    }
    let long = String(repeating: "x", count: 600)

    let many = question((0..<20).map { answer("\($0)", 30 - TimeInterval($0)) })
    #expect(many?.nominated == [19, 18, 17, 16, 15, 14, 13, 12])
    #expect(many?.conditions[.ifNoneMatch]?.split(separator: ",").count == 8)
    let large = question([answer("a", 1), answer(long, 2), answer(long + "y", 3), answer("b", 4)])
    #expect(large?.nominated == [0, 1, 3])
    #expect(question([answer("a", 3), answer("a", 1), answer("a", 2)])?.nominated == [1])
    #expect(question([answer(long + long, 1)]) == nil)
  }

  @Test
  func
    `a stored range serves requests within it, and is completed for the whole (RFC 9111 §3.3, §3.4)`()
  {
    let part = Self.stored(
      [
        .cacheControl: "max-age=99", .eTag: "\"1\"", .contentRange: "bytes 0-9/100",
      ], status: 206)

    #expect(
      decide(get([.range: "bytes=2-5"]), part) == .deliver(0, .fresh))
    #expect(decide(get([.range: "bytes=5-15"]), part) == .forward(.partial, substitute: nil))
    guard case .validate(let question, .partial, nil) = decide(get(), part) else {
      Issue.record("not completed")
      return
    }
    #expect(question.conditions == [.range: "bytes=10-", .ifRange: "\"1\""])
  }
}

@Suite struct `HTTP presentations` {
  static let stored = `HTTP cache decisions`.stored(
    [
      .cacheControl: "max-age=99", .eTag: "\"1\"", .contentType: "text/plain",
      .lastModified: "Sun, 06 Nov 1994 08:49:37 GMT", .date: "Sun, 06 Nov 1994 08:49:39 GMT",
    ], ago: 7, byteCount: 100)

  func present(
    _ fields: HTTPFields, method: String = "GET", _ stored: StoredResponse = stored
  ) -> HTTPPresentation {
    HTTPPresentation(
      stored, for: HTTPCacheRequest(method: method, fields: fields),
      at: `HTTP cache decisions`.now, isShared: true)
  }

  @Test func `a full response has its age and its length (RFC 9111 §5.1)`() {
    let fresh = `HTTP cache decisions`.stored([.cacheControl: "max-age=99"], ago: 7, byteCount: 3)
    let presentation = present([:], fresh)

    #expect(presentation.status == 200)
    #expect(presentation.fields[.age] == "7")
    #expect(presentation.fields[.contentLength] == "3")
    #expect(presentation.body == .bytes(0..<3))
  }

  @Test func `HEAD has the same fields without a body`() {
    let presentation = present([:], method: "HEAD")

    #expect(presentation.fields[.contentLength] == "100")
    #expect(presentation.body == .none)
  }

  @Test(arguments: [
    ("If-None-Match", "\"1\"", 304), ("If-None-Match", "W/\"1\"", 304),
    ("If-None-Match", "\"0\", \"1\"", 304), ("If-None-Match", "*", 304),
    ("If-None-Match", "\"2\"", 200), ("If-None-Match", "\"a,\\\"1\"", 200),
    ("If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT", 304),
    ("If-Modified-Since", "Sun, 06 Nov 1994 08:49:36 GMT", 200),
    ("If-Modified-Since", "yesterday", 200),
  ])
  func `a client's condition is evaluated against the stored response (RFC 9111 §4.3.2)`(
    name: String, value: String, status: Int
  ) throws {
    let presentation = present([try #require(HTTPField.Name(name)): value])

    #expect(presentation.status == status)
    #expect((presentation.body == .none) == (status == 304))
    #expect((presentation.fields[.contentType] == nil) == (status == 304))
    #expect(presentation.fields[.eTag] == "\"1\"")
  }

  @Test(arguments: [
    ("bytes=0-0", 206, "bytes 0-0/100", 0..<1), ("bytes=90-", 206, "bytes 90-99/100", 90..<100),
    ("bytes=-5", 206, "bytes 95-99/100", 95..<100),
    ("bytes=-500", 206, "bytes 0-99/100", 0..<100),
    ("bytes=50-500", 206, "bytes 50-99/100", 50..<100),
    ("bytes=100-", 416, "bytes */100", 0..<0), ("bytes=-0", 416, "bytes */100", 0..<0),
    ("bytes=5-4", 200, nil, 0..<100), ("bytes=0-1,x", 200, nil, 0..<100),
    ("lines=0-1", 200, nil, 0..<100), ("bytes=a-b", 200, nil, 0..<100),
    ("bytes=0-99999999999999999999", 206, "bytes 0-99/100", 0..<100),
  ])
  func `one range is served, an unsupported one is ignored (RFC 9110 §14.2)`(
    range: String, status: Int, place: String?, bytes: Range<Int>
  ) {
    let presentation = present([.range: range])

    #expect(presentation.status == status)
    #expect(presentation.fields[.contentRange] == place)
    #expect(presentation.body == .bytes(bytes))
    #expect(presentation.fields[.contentLength] == String(bytes.count))
  }

  @Test(arguments: [("\"1\"", 206), ("W/\"1\"", 200), ("\"2\"", 200)])
  func `If-Range requires the same strong validator (RFC 9110 §13.1.5)`(value: String, status: Int)
  {
    #expect(present([.range: "bytes=0-1", .ifRange: value]).status == status)
  }

  @Test func `fields named by no-cache or private are not reused (RFC 9111 §5.2.2.4, §5.2.2.7)`() {
    let stored = `HTTP cache decisions`.stored([
      .cacheControl: "max-age=9, no-cache=\"set-cookie\", private=\"server, accept\"",
      .setCookie: "a=b", .server: "x", .eTag: "\"1\"",
    ])
    let presentation = present([:], stored)

    #expect(presentation.fields[.setCookie] == nil)
    #expect(presentation.fields[.server] == nil)
    #expect(presentation.fields[.eTag] != nil)
  }
}

@Suite struct `HTTP cache updates` {
  static let now = `HTTP cache decisions`.now

  func after(
    _ status: Int, _ fields: HTTPFields, to request: HTTPCacheRequest = HTTPCacheRequest(),
    asking: HTTPRevalidation? = nil, substitute: Int? = nil, _ stored: StoredResponse...,
    namesItself: Bool = false
  ) -> HTTPCacheUpdate {
    HTTPCacheUpdate(
      after: HTTPCacheUpdate.Answer(
        status: status, fields: fields, requestTime: Self.now, responseTime: Self.now),
      to: request, asking: asking, substitute: substitute, stored: stored,
      namesItself: namesItself, profile: .proxy())
  }

  func isStored(_ update: HTTPCacheUpdate) -> Bool {
    if case .store = update.action { true } else { false }
  }

  @Test(arguments: [
    ("max-age=9", 200, true), ("no-store", 200, false), ("private", 200, false),
    ("private=\"x\", max-age=9", 200, true), ("max-age=9", 599, true),
    ("max-age=9, must-understand", 599, false), ("", 200, false), ("max-age=0", 200, false),
    ("max-age=0, stale-if-error=9", 200, true), ("max-age=9", 304, false),
    ("max-age=9", 206, false), ("max-age=9", 416, true), ("public", 404, false),
  ])
  func `a response is stored when it may be and is useful (RFC 9111 §3)`(
    control: String, status: Int, expected: Bool
  ) {
    let update = after(status, control.isEmpty ? [:] : [.cacheControl: control])

    #expect(isStored(update) == expected)
  }

  @Test func `a response with Vary: * is not stored (RFC 9111 §4.1)`() {
    #expect(!isStored(after(200, [.cacheControl: "max-age=9", .vary: "*"])))
  }

  @Test func `the fields named by Vary are stored with the response (RFC 9111 §4.1)`() {
    let update = after(
      200, [.cacheControl: "max-age=9", .vary: "Accept"],
      to: HTTPCacheRequest(fields: [.accept: "a/b", .userAgent: "x"]))

    guard case .store(let stored) = update.action else {
      Issue.record("not stored")
      return
    }
    #expect(stored.selection == "accept: a/b")
  }

  @Test func `a 304 freshens its response, of several the one with its tag (RFC 9111 §4.3.4)`() {
    let one = `HTTP cache decisions`.stored([.eTag: "\"1\"", .cacheControl: "max-age=1"])
    let two = `HTTP cache decisions`.stored([.eTag: "\"2\"", .cacheControl: "max-age=1"])
    let question = HTTPRevalidation(purpose: .select, nominated: [0, 1], conditions: [:])

    let update = after(
      304, [.eTag: "\"2\"", .cacheControl: "max-age=7"], asking: question, one, two)

    guard case .freshen(1, let renewed) = update.action else {
      Issue.record("\(update.action)")
      return
    }
    #expect(renewed.fields[.cacheControl] == "max-age=7")
    #expect(after(304, [.eTag: "\"3\""], asking: question, one, two).action == .askAgain)
    #expect(after(304, [:], asking: question, one, two).action == .askAgain)
    #expect(after(304, [.eTag: "\"2\""], one, two).action == .pass)
  }

  @Test(arguments: [(500, true), (502, true), (503, true), (504, true), (501, false), (404, false)])
  func `an error within stale-if-error is answered by the stored response (RFC 5861 §4)`(
    status: Int, expected: Bool
  ) {
    let stale = `HTTP cache decisions`.stored(
      [.cacheControl: "max-age=1, stale-if-error=60"], ago: 30)

    let update = after(status, [:], substitute: 0, stale)

    #expect((update.action == .substitute(0)) == expected)
  }

  @Test func `a newer response that is not stored drops the stale one before it`() {
    let stale = `HTTP cache decisions`.stored([.cacheControl: "max-age=1"], ago: 30)

    #expect(after(200, [.cacheControl: "no-store"], substitute: 0, stale).dropped == [0])
    #expect(after(503, [:], substitute: 0, stale).dropped == [])
  }

  @Test(arguments: [
    ("POST", 200, true), ("PUT", 204, true), ("DELETE", 301, true), ("BREW", 200, true),
    ("POST", 404, false), ("POST", 500, false), ("OPTIONS", 200, false), ("GET", 200, false),
  ])
  func `a successful unsafe request invalidates (RFC 9111 §4.4)`(
    method: String, status: Int, expected: Bool
  ) {
    let update = after(
      status, [.location: "/there", .contentLocation: "/here"],
      to: HTTPCacheRequest(method: method))

    #expect(update.invalidated == (expected ? ["", "/there", "/here"] : []))
  }

  @Test
  func `the response to a POST is stored for GET only on explicit freshness (RFC 9110 §9.3.3)`() {
    let post = HTTPCacheRequest(method: "POST", hasBody: true)

    #expect(isStored(after(200, [.cacheControl: "max-age=9"], to: post, namesItself: true)))
    #expect(!isStored(after(200, [.cacheControl: "max-age=9"], to: post)))
    #expect(!isStored(after(200, [.eTag: "\"1\""], to: post, namesItself: true)))
  }

  @Test func `the response to a HEAD updates or invalidates the stored one (RFC 9111 §4.3.5)`() {
    let stored = `HTTP cache decisions`.stored([.eTag: "\"1\"", .server: "a"], byteCount: 10)
    let head = HTTPCacheRequest(method: "HEAD")

    let same = after(
      200, [.eTag: "\"1\"", .contentLength: "10", .cacheControl: "max-age=9"], to: head, stored)
    let other = after(200, [.eTag: "\"2\""], to: head, stored)
    let longer = after(200, [.contentLength: "11"], to: head, stored)

    guard case .describe(0, let renewed) = same.action else {
      Issue.record("\(same.action)")
      return
    }
    #expect(renewed.fields[.cacheControl] == "max-age=9")
    #expect(renewed.fields[.server] == "a")
    #expect(other.dropped == [0])
    #expect(longer.dropped == [0])
  }

  @Test func `a range is stored alone, or joined with the stored prefix (RFC 9111 §3.3, §3.4)`() {
    let ranged = HTTPCacheRequest(fields: [.range: "bytes=0-9"])
    let beginning = `HTTP cache decisions`.stored(
      [.eTag: "\"1\"", .contentRange: "bytes 0-9/20", .cacheControl: "max-age=9"], status: 206)
    let question = HTTPRevalidation(purpose: .complete(0), nominated: [0], conditions: [:])
    let rest: HTTPFields = [.eTag: "\"1\"", .contentRange: "bytes 10-19/20"]

    let alone = after(
      206, [.contentRange: "bytes 0-9/20", .cacheControl: "max-age=9"], to: ranged)
    let joined = after(206, rest, asking: question, beginning)
    let foreign = after(
      206, [.eTag: "\"2\"", .contentRange: "bytes 10-19/20"], asking: question, beginning)

    #expect(isStored(alone))
    guard case .join(0, let whole, answerStart: 10) = joined.action else {
      Issue.record("\(joined.action)")
      return
    }
    #expect(whole.status == 200)
    #expect(whole.byteCount == 20)
    #expect(whole.fields[.contentRange] == nil)
    #expect(foreign.action == .askAgain)
    #expect(foreign.dropped == [0])
  }

  @Test(arguments: [
    ("max-age=1", true), ("max-age=1, must-revalidate", false), ("max-age=1, no-cache", false),
    ("max-age=1, proxy-revalidate", false), ("s-maxage=1", false),
    ("max-age=1, stale-if-error=5", false),
  ])
  func `an unreachable origin is answered stale unless that is forbidden (RFC 9111 §4.2.4)`(
    control: String, expected: Bool
  ) {
    let freshness = `HTTP cache decisions`.stored([.cacheControl: control], ago: 30)
      .freshness(isShared: true)

    func may(_ failure: HTTPFreshness.Failure, after days: Double = 0) -> Bool {
      freshness.maySubstitute(for: failure, at: Self.now + days * 86400, profile: .proxy())
    }

    #expect(may(.unreachable) == expected)
    #expect(!may(.status(503)))
    #expect(!may(.unreachable, after: 8))
    #expect(
      freshness.maySubstitute(
        for: .unreachable, at: Self.now + 8 * 86400, profile: .images(isShared: true)) == expected)
  }
}

@Suite struct `Structured fields` {
  @Test func `values of all types are parsed, and the last of a repeated key counts`() {
    let control = CacheControl(targeted: [
      "max-age=5, b, c=?0;p=1, d=\"x\\\"y\", e=tok/en", "f=(1 2 \"z\");q, g=:YQ==:, h=-1.5, i=@7",
      "j=%\"%c3%bc\", private=\"set-cookie\", max-age=2",
    ])

    #expect(control?.maximumAge == 2)
    #expect(control?.isPrivate == .fields(["set-cookie"]))
  }

  @Test(arguments: [
    "A=1", "a=1,", "a=1 b=2", "a=", "a= 1", "a =1", "a=1, &&&&&", "a=\"x", "a=\"\\n\"", "a=(1",
    "a=?2", "a=1234567890123456", "a=1.2345", "a=:!:", "a=1;", ",a=1", "a=\u{e9}", "max-age=(1)",
  ])
  func `a malformed member invalidates the whole field (RFC 9651 §4.2)`(text: String) {
    #expect(CacheControl(targeted: ["max-age=60, \(text)"]) == nil)
  }

  @Test func `a field of many thousand members is not parsed`() {
    let members = (0..<2000).map { "a\($0)" }.joined(separator: ", ")

    #expect(CacheControl(targeted: ["max-age=60"]) != nil)
    #expect(CacheControl(targeted: ["max-age=60", members]) == nil)
  }

  @Test(arguments: [
    ("max-age=60", 60), ("max-age=60;a=b, x", 60), ("max-age=\"60\"", nil), ("Max-Age=60", nil),
    ("", nil),
  ])
  func `a targeted field counts only when well formed (RFC 9213 §2.1)`(
    text: String, expected: Int?
  ) {
    #expect(CacheControl(targeted: [text])?.maximumAge == expected)
  }
}

@Suite struct `Cache status` {
  @Test func `its member is appended after those nearer to the origin (RFC 9211 §2)`() throws {
    let name = try #require(HTTPField.Name("Cache-Status"))
    var fields: HTTPFields = [name: "Origin; hit"]
    var status = CacheStatus(.forwarded("stale", status: 304))
    status.isStored = true
    status.isCollapsed = true
    status.lifetime = -3

    status.add(to: &fields)

    #expect(
      fields[name]
        == "Origin; hit, imgcache; fwd=stale; fwd-status=304; ttl=-3; stored; collapsed")
  }
}
