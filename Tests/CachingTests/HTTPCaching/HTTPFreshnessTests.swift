import Foundation
import HTTPTypes
import Testing

@testable import DiskCaching
@testable import HTTPCaching
@testable import ImageModel

@Suite struct `HTTP freshness` {
  static let start = Date(timeIntervalSince1970: 1_592_300_000)

  func freshness(
    _ headers: HTTPFields, status: Int = 200, isShared: Bool = false
  ) -> HTTPFreshness {
    HTTPFreshness(
      status: status, headers: headers, requestTime: Self.start, responseTime: Self.start,
      isShared: isShared)
  }

  func at(_ seconds: TimeInterval) -> Date { Self.start + seconds }

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

  @Test func `a request may accept a stale response for an error`() {
    let freshness = freshness([.cacheControl: "max-age=100"])

    #expect(freshness.covers(503, at: at(149), "stale-if-error=50"))
    #expect(!freshness.covers(503, at: at(150), "stale-if-error=50"))
    #expect(freshness.covers(503, at: at(11), "max-age=10"))
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

  @Test func `a Vary that is not a list of names matches no request`() {
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
}

@Suite struct `HTTP validation` {
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

extension HTTPFreshness {
  /// Whether the response answers for an origin that sent a status.
  fileprivate func covers(_ status: Int, at now: Date, _ directives: String...) -> Bool {
    maySubstitute(
      for: .status(status), at: now, request: CacheControl(directives), profile: .proxy())
  }
}
