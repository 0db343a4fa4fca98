import Foundation
import HTTPTypes
import Testing

@testable import DiskCaching
@testable import HTTPCaching
@testable import ImageModel

/// Cache rules as values; sections are those of RFC 9111 where no other is named.
@Suite struct `HTTP cache decisions` {
  static let now = Date(timeIntervalSince1970: 1_600_000_000)

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

  @Test(arguments: [HTTPField.Name.ifMatch, .ifUnmodifiedSince])
  func `conditions for the origin alone bypass the store (RFC 9111 §4.3.2)`(name: HTTPField.Name) {
    let decision = decide(get([name: "x"]), Self.stored([.cacheControl: "max-age=60"]))

    #expect(decision == .forward(.bypass, substitute: nil))
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
}

@Suite struct `HTTP cache updates` {
  static let now = `HTTP cache decisions`.now

  func after(
    _ status: Int, _ fields: HTTPFields, to request: HTTPCacheRequest = HTTPCacheRequest(),
    asking: HTTPRevalidation? = nil, substitute: Int? = nil, _ stored: StoredResponse...,
    namesItself: Bool = false
  ) -> HTTPCacheUpdate {
    HTTPCacheUpdate(
      after: OriginHead(
        status: status, fields: fields, requestTime: Self.now, responseTime: Self.now),
      to: request, asking: asking, substitute: substitute, stored: stored,
      namesItself: namesItself, profile: .proxy())
  }

  func isStored(_ update: HTTPCacheUpdate) -> Bool {
    if case .store = update.action { true } else { false }
  }

  @Test func `a newer response that is not stored drops the stale one before it`() {
    let stale = `HTTP cache decisions`.stored([.cacheControl: "max-age=1"], ago: 30)

    #expect(after(200, [.cacheControl: "no-store"], substitute: 0, stale).dropped == [0])
    #expect(after(503, [:], substitute: 0, stale).dropped == [])
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
