import Foundation
import HTTPTypes
import Testing

@testable import HTTPCaching

@Suite struct `The directives of redirects` {
  private static let date = Date(timeIntervalSince1970: 1_600_000_000)
  private static let targeted = HTTPField.Name("CDN-Cache-Control")

  private func restricted(
    _ own: HTTPFields, by redirects: HTTPFields..., status: Int = 200
  ) -> HTTPFields {
    own.restricted(
      by: redirects, status: status, requestTime: Self.date, responseTime: Self.date)
  }

  private func freshness(_ fields: HTTPFields, isShared: Bool = false) -> HTTPFreshness {
    HTTPFreshness(
      status: 200, headers: fields, requestTime: Self.date, responseTime: Self.date,
      isShared: isShared)
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

  @Test func `end with their Expires`() {
    let fields = restricted(
      [.cacheControl: "max-age=600"],
      by: [.date: "Sun, 13 Sep 2020 12:26:40 GMT", .expires: "Sun, 13 Sep 2020 12:27:40 GMT"])

    #expect(freshness(fields).lifetime == 60)
  }

  @Test func `that have expired leave no lifetime`() {
    let own: HTTPFields = [.cacheControl: "max-age=600"]

    for redirect in [
      [.expires: "0"], [.cacheControl: "max-age=0"], [.cacheControl: "max-age=60", .age: "90"],
    ] as [HTTPFields] {
      #expect(freshness(restricted(own, by: redirect)).lifetime == 0, "\(redirect)")
    }
  }

  @Test func `apply to a shared cache whose response names it`() throws {
    let targeted = try #require(Self.targeted)
    let own: HTTPFields = [.cacheControl: "no-store", targeted: "max-age=600, must-revalidate"]

    let fields = restricted(own, by: [.cacheControl: "max-age=60"])

    let shared = freshness(fields, isShared: true)
    #expect(shared.lifetime == 60)
    #expect(shared.isForbiddenStale)
  }

  @Test func `bound a guessed lifetime`() {
    let fields = restricted(
      [.lastModified: "Sun, 13 Sep 2015 12:26:40 GMT"], by: [.cacheControl: "max-age=60"])

    #expect(freshness(fields).lifetime == 60)
    #expect(!freshness(fields).isHeuristic)
  }
}
