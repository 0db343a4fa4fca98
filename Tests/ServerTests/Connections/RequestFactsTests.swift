import NIOHTTP1
import Testing

@testable import HTTPListening

@Suite struct `The facts of a request` {
  private func head(
    _ fields: KeyValuePairs<String, String>, _ target: String = "/thumb", isOld: Bool = false
  ) -> HTTPRequestHead {
    HTTPRequestHead(
      version: isOld ? .http1_0 : .http1_1, method: .GET, uri: target,
      headers: HTTPHeaders(fields.map { ($0.key, $0.value) }))
  }

  /// The status and the code of a refusal.
  private func refusal(
    _ fields: KeyValuePairs<String, String>, _ target: String = "/thumb", isOld: Bool = false,
    limits change: (inout ConnectionLimits) -> Void = { _ in }, maximumBody: Int = 0
  ) -> String? {
    var limits = ConnectionLimits()
    change(&limits)
    let head = head(fields, target, isOld: isOld)
    return RequestFacts(head).problem(head, limits, maximumBody: maximumBody).map {
      "\($0.status.code) \($0.code)"
    }
  }

  @Test func `a plain request is accepted, and one byte or field above a limit is refused`() {
    #expect(refusal(["Host": "example.org:8780"]) == nil)
    #expect(refusal(["host": ""]) == nil)
    #expect(refusal([:], isOld: true) == nil)

    let short = { (limits: inout ConnectionLimits) in limits.maximumTargetByteCount = 10 }
    #expect(refusal(["Host": "a"], "/123456789", limits: short) == nil)
    #expect(refusal(["Host": "a"], "/123456789x", limits: short) == "414 target_too_long")
    // A field counts with its separators.
    let narrow = { (limits: inout ConnectionLimits) in
      limits.maximumFieldByteCount = "Host: a\r\nX: 12\r\n".utf8.count
    }
    #expect(refusal(["Host": "a", "X": "12"], limits: narrow) == nil)
    #expect(refusal(["Host": "a", "X": "123"], limits: narrow) == "431 fields_too_large")
    let few = { (limits: inout ConnectionLimits) in limits.maximumFieldCount = 2 }
    #expect(refusal(["Host": "a", "X": ""], limits: few) == nil)
    #expect(refusal(["Host": "a", "X": "", "Y": ""], limits: few) == "431 fields_too_large")
  }

  @Test func `a body is refused where none is accepted, above the limit or of unknown length`() {
    for (name, value) in [("Content-Length", "1"), ("Transfer-Encoding", "chunked")] {
      #expect(refusal(["Host": "a", name: value]) == "413 body_refused")
    }
    #expect(refusal(["Host": "a", "Content-Length": "0"]) == nil)
    #expect(refusal(["Host": "a", "Content-Length": "100"], maximumBody: 100) == nil)
    for (name, value) in [
      ("Content-Length", "101"), ("Content-Length", "ten"), ("Transfer-Encoding", "chunked"),
    ] {
      #expect(refusal(["Host": "a", name: value], maximumBody: 100) == "413 body_too_large")
    }
  }

  @Test func `a host is named once and well, and a target is a path`() {
    for fields in [
      [:], ["Host": "a", "HOST": "a"], ["Host": "a b"], ["Host": "a/b"], ["Host": "a?b"],
      ["Host": "a@b"], ["Host": "a\"b"], ["Host": "bücher.example"], ["Host": "a/b", "host": "a"],
    ] as [KeyValuePairs<String, String>] {
      #expect(refusal(fields) == "400 bad_host", "\(fields)")
    }
    for target in ["*", "thumb", "http://example.org/", "example.org:443", ""] {
      #expect(refusal(["Host": "a"], target) == "400 bad_target", "\(target)")
    }
  }

  @Test func `a precondition, a range or a field in several lines is left to the routes`() {
    for (name, value) in [
      ("RANGE", "bytes=0-1"), ("if-match", "\"a\""), ("If-Range", "\"a\""),
      ("If-Unmodified-Since", "x"), ("if-modified-since", "x"),
    ] {
      #expect(RequestFacts(head([name: value])).needsCare, "\(name)")
    }
    for name in ["Accept", "If-None-Match"] {
      #expect(RequestFacts(head([name: "\"a\"", name.lowercased(): "\"b\""])).needsCare, "\(name)")
    }
    #expect(!RequestFacts(head(["Accept": "*/*", "If-None-Match": "\"a\""])).needsCare)
    // A date is not needed beside a tag.
    let facts = RequestFacts(head(["If-Modified-Since": "x", "If-None-Match": "\"a\""]))
    #expect(!facts.needsCare && facts.ifNoneMatch == "\"a\"")
  }

  @Test func `only one strong tag needs no parser`() {
    #expect(!RequestFacts(head(["If-None-Match": "\"a\""])).isListOfTags)
    for value in ["\"a\", \"b\"", "W/\"a\"", "*", "\"a,b\"", ""] {
      #expect(RequestFacts(head(["If-None-Match": value])).isListOfTags, "\(value)")
    }
    #expect(!RequestFacts(head([:])).isListOfTags)
  }

  @Test(arguments: [
    ("Via", "1.1 a", true), ("Pragma", "no-cache", true), ("Expect", "100-continue", true),
    ("Cache-Control", "", true), ("Connection", "X-Mine", true),
    ("Connection", "close, X-Mine", true), ("Connection", "Keep-Alive", false),
    ("Connection", "CLOSE", false), ("Cookie", "a=b", false),
  ])
  func `a cache decides about directives and fields of the connection`(
    name: String, value: String, concerns: Bool
  ) {
    #expect(RequestFacts(head([name: value])).concernsCaches == concerns)
  }

  @Test func `a trace that is sent twice is none`() {
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    #expect(RequestFacts(head(["traceparent": parent])).trace != nil)
    #expect(RequestFacts(head(["traceparent": parent, "Traceparent": parent])).trace == nil)
    #expect(RequestFacts(head(["traceparent": "00-0-0-01"])).trace == nil)
    #expect(RequestFacts(head(["tracestate": "a=b"])).trace == nil)
  }
}
