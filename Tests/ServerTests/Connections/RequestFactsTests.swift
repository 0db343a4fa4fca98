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

  private func refusal(
    _ fields: KeyValuePairs<String, String>, _ target: String = "/thumb", isOld: Bool = false,
    limits: ConnectionLimits = ConnectionLimits(), maximumBody: Int = 0
  ) -> Problem? {
    let head = head(fields, target, isOld: isOld)
    return RequestFacts(head).problem(head, limits, maximumBody: maximumBody)
  }

  @Test func `a plain request is accepted`() {
    #expect(refusal(["Host": "example.org:8780"]) == nil)
    #expect(refusal(["host": ""]) == nil)
    #expect(refusal([:], isOld: true) == nil)
  }

  @Test func `a target of one byte above the limit is 414`() {
    var limits = ConnectionLimits()
    limits.maximumTargetByteCount = 10

    let problem = refusal(["Host": "a"], "/123456789x", limits: limits)

    #expect(refusal(["Host": "a"], "/123456789", limits: limits) == nil)
    #expect(
      problem == Problem(.uriTooLong, "target_too_long", "The request target is too long."))
  }

  @Test func `a field counts with its separators, and one byte too many is 431`() {
    var limits = ConnectionLimits()
    limits.maximumFieldByteCount = "Host: a\r\nX: 12\r\n".utf8.count

    let problem = refusal(["Host": "a", "X": "123"], limits: limits)

    #expect(refusal(["Host": "a", "X": "12"], limits: limits) == nil)
    #expect(
      problem
        == Problem(
          .requestHeaderFieldsTooLarge, "fields_too_large", "The request's head is too large."))
  }

  @Test func `a field more than the limit is 431, however short`() {
    var limits = ConnectionLimits()
    limits.maximumFieldCount = 2

    #expect(refusal(["Host": "a", "X": ""], limits: limits) == nil)
    #expect(
      refusal(["Host": "a", "X": "", "Y": ""], limits: limits)?.code == "fields_too_large")
  }

  @Test(arguments: [("Content-Length", "1"), ("Transfer-Encoding", "chunked")])
  func `a body is refused where none is accepted`(name: String, value: String) {
    let problem = refusal(["Host": "a", name: value])

    #expect(
      problem
        == Problem(.contentTooLarge, "body_refused", "Requests with a body are refused."))
  }

  @Test func `an empty body is not a body`() {
    #expect(refusal(["Host": "a", "Content-Length": "0"]) == nil)
  }

  @Test(arguments: [
    ("Content-Length", "101"), ("Content-Length", "ten"), ("Transfer-Encoding", "chunked"),
  ])
  func `a body above the limit or of unknown length is refused`(name: String, value: String) {
    let problem = refusal(["Host": "a", name: value], maximumBody: 100)

    #expect(refusal(["Host": "a", "Content-Length": "100"], maximumBody: 100) == nil)
    #expect(
      problem
        == Problem(
          .contentTooLarge, "body_too_large",
          "The request's body is larger than 100 bytes, or does not say how large it is."))
  }

  @Test(
    arguments: [
      [:], ["Host": "a", "HOST": "a"], ["Host": "a b"], ["Host": "a/b"], ["Host": "a?b"],
      ["Host": "a@b"], ["Host": "a\"b"], ["Host": "bücher.example"], ["Host": "a/b", "host": "a"],
    ] as [KeyValuePairs<String, String>])
  func `a missing, repeated or malformed host is 400`(fields: KeyValuePairs<String, String>) {
    #expect(
      refusal(fields)
        == Problem(.badRequest, "bad_host", "The request must have exactly one valid Host."))
  }

  @Test(arguments: ["*", "thumb", "http://example.org/", "example.org:443", ""])
  func `a target that is not a path is 400`(target: String) {
    #expect(
      refusal(["Host": "a"], target)
        == Problem(.badRequest, "bad_target", "The request target must be a path or an http URL."))
  }

  @Test(arguments: [
    ("RANGE", "bytes=0-1"), ("if-match", "\"a\""), ("If-Range", "\"a\""),
    ("If-Unmodified-Since", "x"), ("if-modified-since", "x"),
  ])
  func `a precondition or a range is left to the routes`(name: String, value: String) {
    #expect(RequestFacts(head([name: value])).needsCare)
    #expect(!RequestFacts(head(["Accept": "*/*", "If-None-Match": "\"a\""])).needsCare)
  }

  @Test func `a date is not needed beside a tag`() {
    let facts = RequestFacts(head(["If-Modified-Since": "x", "If-None-Match": "\"a\""]))

    #expect(!facts.needsCare)
    #expect(facts.ifNoneMatch == "\"a\"")
  }

  @Test(arguments: ["Accept", "If-None-Match"])
  func `a field in several lines is left to the routes`(name: String) {
    #expect(RequestFacts(head([name: "\"a\"", name.lowercased(): "\"b\""])).needsCare)
  }

  @Test(arguments: [
    ("\"a\"", false), ("\"a\", \"b\"", true), ("W/\"a\"", true), ("*", true), ("\"a,b\"", true),
    ("", true),
  ])
  func `only one strong tag needs no parser`(value: String, isList: Bool) {
    #expect(RequestFacts(head(["If-None-Match": value])).isListOfTags == isList)
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
