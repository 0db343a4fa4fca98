import Foundation
import HTTPTypes
import Testing

@testable import HTTPCaching
@testable import ImageModel

/// Conditions of a client that are evaluated without a stored body (RFC 9110 §13).
@Suite struct `Preconditions of a request` {
  private static let changed = "Sun, 06 Nov 1994 08:49:37 GMT"
  private static let before = "Sun, 06 Nov 1994 08:49:36 GMT"
  private static let after = "Sun, 06 Nov 1994 08:49:38 GMT"

  private func stored(_ fields: HTTPFields) -> StoredResponse {
    let time = Date(timeIntervalSince1970: 1_600_000_000)
    return StoredResponse(status: 200, fields: fields, requestTime: time, responseTime: time)
  }

  private static let tagged: HTTPFields = [.eTag: "\"1\"", .lastModified: changed]

  private static let conditions: [(HTTPFields, HTTPFields, Bool)] = [
    ([:], tagged, true),
    ([.ifMatch: "\"1\""], tagged, true), ([.ifMatch: "\"0\", \"1\""], tagged, true),
    ([.ifMatch: "\"2\""], tagged, false), ([.ifMatch: "*"], tagged, true),
    // Compared strongly (§13.1.1).
    ([.ifMatch: "W/\"1\""], tagged, false), ([.ifMatch: "W/\"1\""], [.eTag: "W/\"1\""], false),
    ([.ifMatch: "\"1\""], [:], false), ([.ifMatch: "*"], [:], true),
    ([.ifUnmodifiedSince: changed], tagged, true), ([.ifUnmodifiedSince: after], tagged, true),
    ([.ifUnmodifiedSince: before], tagged, false),
    // Ignored where it is not a date and where the resource has none (§13.1.4).
    ([.ifUnmodifiedSince: "yesterday"], tagged, true),
    ([.ifUnmodifiedSince: before], [.eTag: "\"1\""], true),
    // The tag goes before the date, either way.
    ([.ifMatch: "\"1\"", .ifUnmodifiedSince: before], tagged, true),
    ([.ifMatch: "\"2\"", .ifUnmodifiedSince: after], tagged, false),
  ]

  @Test(arguments: conditions)
  func `hold as RFC 9110 says`(request: HTTPFields, response: HTTPFields, holds: Bool) {
    #expect(
      HTTPPresentation.preconditionsHold(HTTPCacheRequest(fields: request), for: stored(response))
        == holds)
  }

  private static let known: [(String, HTTPFields, HTTPFields, Int, Bool)] = [
    ("GET", [.ifNoneMatch: "\"1\""], tagged, 200, true),
    ("HEAD", [.ifNoneMatch: "\"1\""], tagged, 200, true),
    ("GET", [.ifNoneMatch: "W/\"1\""], tagged, 200, true),
    ("GET", [.ifNoneMatch: "*"], tagged, 200, true),
    ("GET", [.ifNoneMatch: "\"1\""], tagged, 206, true),
    ("GET", [.ifModifiedSince: changed], tagged, 200, true),
    ("GET", [.ifModifiedSince: after], tagged, 200, true),
    // Without Last-Modified the date of the response counts.
    ("GET", [.ifModifiedSince: changed], [.date: before], 200, true),
    ("GET", [.ifModifiedSince: changed], [.date: after], 200, false),
    ("GET", [.ifModifiedSince: before], tagged, 200, false),
    ("GET", [.ifModifiedSince: "0"], tagged, 200, false),
    ("GET", [.ifModifiedSince: changed], [:], 200, false),
    ("GET", [.ifNoneMatch: "\"2\""], tagged, 200, false),
    // A tag that differs is not outvoted by a date that is equal (§13.1.3).
    ("GET", [.ifNoneMatch: "\"2\"", .ifModifiedSince: changed], tagged, 200, false),
    ("GET", [.ifNoneMatch: "\"1\"", .ifModifiedSince: before], tagged, 200, true),
    ("GET", [:], tagged, 200, false),
    // Conditions are for successes, and for methods that read (§13.2.1).
    ("GET", [.ifNoneMatch: "\"1\""], tagged, 404, false),
    ("GET", [.ifNoneMatch: "\"1\""], tagged, 503, false),
    ("POST", [.ifNoneMatch: "\"1\""], tagged, 200, false),
  ]

  @Test(arguments: known)
  func `make a 304 of a response that arrives while the client has it`(
    method: String, request: HTTPFields, response: HTTPFields, status: Int, isKnown: Bool
  ) {
    let fields = HTTPPresentation.notModified(
      status: status, fields: response, for: HTTPCacheRequest(method: method, fields: request))

    #expect((fields != nil) == isKnown)
  }

  @Test func `leave a 304 what a cache needs, and nothing about content that it lacks`() throws {
    let response: HTTPFields = [
      .eTag: "\"1\"", .cacheControl: "max-age=60", .vary: "Accept", .date: Self.changed,
      .contentLocation: "/a", .expires: Self.after, .contentLength: "10", .contentType: "image/png",
      .contentEncoding: "gzip", .contentLanguage: "en", .contentRange: "bytes 0-9/10",
      .transferEncoding: "chunked",
    ]

    let fields = try #require(
      HTTPPresentation.notModified(
        status: 200, fields: response, for: HTTPCacheRequest(fields: [.ifNoneMatch: "\"1\""])))

    #expect(
      Set(fields.map(\.name)) == [
        .eTag, .cacheControl, .vary, .date, .contentLocation, .expires,
      ])
  }

  @Test func `of an age beyond all bounds are answered with the largest that RFC 9111 knows`() {
    let response = stored([.age: "99999999999"])
    let presented = HTTPPresentation(
      response, for: HTTPCacheRequest(), at: response.responseTime - 3600,
      profile: CacheProfile(isShared: true))

    #expect(presented.fields[.age] == "2147483648")
  }
}
