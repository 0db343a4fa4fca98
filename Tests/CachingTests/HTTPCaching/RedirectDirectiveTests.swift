import Foundation
import HTTPTypes
import Testing

@testable import HTTPCaching

@Suite struct `The directives of redirects` {
  private static let date = Date(timeIntervalSince1970: 1_600_000_000)
  private static let targeted = HTTPField.Name("CDN-Cache-Control")

  private func restricted(_ own: HTTPFields, by redirects: HTTPFields...) -> HTTPFields {
    own.restricted(by: redirects, status: 200, requestTime: Self.date, responseTime: Self.date)
  }

  private func freshness(_ fields: HTTPFields, isShared: Bool = false) -> HTTPFreshness {
    HTTPFreshness(
      status: 200, headers: fields, requestTime: Self.date, responseTime: Self.date,
      profile: CacheProfile(isShared: isShared))
  }

  @Test(
    arguments: [
      [:], [.location: "https://a.org/"], [.cacheControl: "max-age=600"],
      [.cacheControl: "public, immutable"], [.cacheControl: "must-understand, no-store"],
    ] as [HTTPFields])
  func `change nothing where they allow what the response does`(redirect: HTTPFields) {
    let own: HTTPFields = [.cacheControl: "max-age=60, public", .eTag: "\"1\""]

    #expect(restricted(own, by: redirect) == own)
  }

  @Test(arguments: ["no-store", "no-cache", "private", "must-revalidate", "proxy-revalidate"])
  func `that forbid are added`(directive: String) {
    let fields = restricted(
      [.cacheControl: "max-age=60"], by: [:], [.cacheControl: directive], [:])

    #expect(fields[values: .cacheControl] == [directive, "max-age=60"])
  }

  @Test func `shorten the lifetime to the shortest of all`() {
    let fields = restricted(
      [.cacheControl: "max-age=600", .age: "100"], by: [.cacheControl: "max-age=90"],
      [.cacheControl: "max-age=80, s-maxage=70", .age: "30"])

    // 50 seconds are left of the second one's, 100 seconds after the response was made.
    #expect(freshness(fields).remaining(at: Self.date) == 50)
    #expect(freshness(fields, isShared: true).remaining(at: Self.date) == 40)
  }

  @Test(
    arguments: [
      (
        [.date: "Sun, 13 Sep 2020 12:26:40 GMT", .expires: "Sun, 13 Sep 2020 12:27:40 GMT"],
        60
      ),
      ([.expires: "0"], 0), ([.cacheControl: "max-age=0"], 0),
      ([.cacheControl: "max-age=60", .age: "90"], 0), ([.cacheControl: "max-age=60"], 60),
    ] as [(HTTPFields, Double)])
  func `end a lifetime, also a guessed one, with their own`(redirect: HTTPFields, lifetime: Double)
  {
    let guessed: HTTPFields = [.lastModified: "Sun, 13 Sep 2015 12:26:40 GMT"]

    #expect(
      freshness(restricted([.cacheControl: "max-age=600"], by: redirect)).lifetime == lifetime)
    #expect(freshness(restricted(guessed, by: redirect)).lifetime == lifetime)
    #expect(!freshness(restricted(guessed, by: redirect)).isHeuristic)
  }

  @Test func `apply to a shared cache whose response names it`() throws {
    let targeted = try #require(Self.targeted)
    let own: HTTPFields = [.cacheControl: "no-store", targeted: "max-age=600, must-revalidate"]

    let shared = freshness(restricted(own, by: [.cacheControl: "max-age=60"]), isShared: true)

    #expect(shared.lifetime == 60 && shared.isForbiddenStale)
  }
}
