import Foundation
import HTTPTypes
import Testing

@testable import DiskCaching
@testable import HTTPCaching
@testable import ImageModel

/// What the HTTP cache of images does with a request, given what is stored.
@Suite struct `Reuse of stored images` {
  private static let now = Date(timeIntervalSince1970: 1e9)

  /// A response of 100 s ago.
  private static func stored(_ control: String, status: Int = 200) -> StoredResponse {
    StoredResponse(
      status: status, fields: [.cacheControl: control, .eTag: "\"1\""],
      requestTime: now - 100, responseTime: now - 100, byteCount: 5)
  }

  private static func decide(
    _ policy: CachePolicy, _ stored: StoredResponse..., isLookedAt: Bool = true
  ) -> HTTPCacheDecision {
    var request = HTTPCacheRequest()
    request.policy = policy
    request.acceptsRevalidatingMeanwhile = isLookedAt
    return HTTPCacheDecision(
      for: request, stored: stored, at: now, profile: .images(isShared: false))
  }

  @Test
  func `an image that is not stored is fetched unconditionally, or is a miss of its own code`() {
    for policy in CachePolicy.allCases where policy != .onlyIfCached {
      let reason: CacheStatus.Reason = policy == .reload ? .request : .noAnswer
      #expect(Self.decide(policy) == .forward(reason, substitute: nil))
    }
    #expect(Self.decide(.onlyIfCached) == .gatewayTimeout)
  }

  private enum Outcome: Equatable {
    case fresh, stale, whileRevalidating, asked, fetchedWhole
  }

  private static func outcome(_ decision: HTTPCacheDecision) -> Outcome? {
    switch decision {
    case .deliver(0, .fresh, inBackground: nil): .fresh
    case .deliver(0, .stale, inBackground: nil): .stale
    case .deliver(0, .staleWhileRevalidating, _): .whileRevalidating
    case .validate(_, _, substitute: 0): .asked
    case .forward(_, substitute: nil): .fetchedWhole
    default: nil
    }
  }

  @Test(arguments: [
    (CachePolicy.http, "max-age=200", Outcome.fresh), (.http, "max-age=50", .asked),
    (.http, "max-age=50, stale-while-revalidate=99", .whileRevalidating),
    (.http, "max-age=50, must-revalidate", .asked), (.forever, "max-age=200", .fresh),
    (.forever, "max-age=50", .stale), (.forever, "no-cache", .stale),
    (.forever, "max-age=50, stale-while-revalidate=99", .stale),
    (.onlyIfCached, "max-age=200", .fresh), (.onlyIfCached, "max-age=50, must-revalidate", .stale),
    (.revalidate, "max-age=200", .asked), (.revalidate, "max-age=50", .asked),
    (.reload, "max-age=200", .fetchedWhole), (.reload, "max-age=50", .fetchedWhole),
  ])
  private func `a stored image is used or revalidated by the cache policy`(
    policy: CachePolicy, control: String, expected: Outcome
  ) {
    #expect(Self.outcome(Self.decide(policy, Self.stored(control))) == expected)
  }

  @Test func `a prefetch revalidates stale images instead of serving them`() {
    let stored = Self.stored("max-age=50, stale-while-revalidate=99")

    #expect(Self.outcome(Self.decide(.http, stored, isLookedAt: false)) == .asked)
  }

  @Test(arguments: [
    (CachePolicy.http, Outcome.asked), (.forever, .stale), (.onlyIfCached, .stale),
    (.revalidate, .asked), (.reload, .fetchedWhole),
  ])
  private func `an image stored despite no-store is never fresh`(
    policy: CachePolicy, expected: Outcome
  ) {
    var stored = Self.stored("no-store, max-age=200")
    stored.isAlwaysStale = true

    #expect(Self.outcome(Self.decide(policy, stored)) == expected)
  }

  private struct Entry: StoredEntry { let response: StoredResponse }
  private struct Nothing: ResponseStore {
    func entries(for url: String, request: HTTPFields) -> [Entry] { [] }
    func update(_ entry: Entry, as response: StoredResponse, for url: String) -> Entry { entry }
    func remove(_ entry: Entry, for url: String) {}
    func removeAll(for url: String) {}
  }

  /// The codes and statuses of failures that are answered by a stored response.
  private static func covered(
    _ control: String, policy: CachePolicy = .http, directives: String = "",
    isAlwaysStale: Bool = false
  ) -> (codes: Set<ImageError.Code>, statuses: [Int]) {
    let cache = HTTPCache<Entry>(Nothing(), profile: .images(isShared: false), clock: { now })
    var request = HTTPCacheRequest(fields: directives.isEmpty ? [:] : [.cacheControl: directives])
    request.policy = policy
    var question = HTTPCache<Entry>.Question(request, url: "http://test.invalid/a.jpg")
    var stored = stored(control)
    stored.isAlwaysStale = isAlwaysStale
    (question.stored, question.substitute) = ([Entry(response: stored)], 0)
    let codes = ImageError.Code.known.filter {
      $0 != .httpStatus && cache.substitute(for: ImageError($0, ""), in: question) != nil
    }
    let statuses = (400..<600).filter {
      cache.substitute(for: ImageError(.httpStatus, "", status: $0), in: question) != nil
    }
    return (Set(codes), statuses)
  }

  private static let unreachable: Set<ImageError.Code> = [
    .nameNotResolved, .connectionFailed, .connectionReset, .tlsFailed, .timedOut,
  ]
  private static let incomplete: Set<ImageError.Code> = [.shortBody, .protocolError, .saturated]

  @Test(arguments: ["max-age=50, stale-if-error=99", "max-age=50, stale-while-revalidate=99"])
  func `a stale image is served only for an origin's failures`(control: String) {
    let covered = Self.covered(control)

    #expect(covered.codes == Self.unreachable.union(Self.incomplete))
    #expect(covered.statuses == [429, 500, 502, 503, 504])
  }

  @Test func `any stale image is served for an unreachable origin (RFC 9111 §4.2.4)`() {
    let covered = Self.covered("max-age=50")

    #expect(covered.codes == Self.unreachable)
    #expect(covered.statuses.isEmpty)
  }

  @Test(arguments: [
    ("max-age=50, must-revalidate", CachePolicy.http, ""), ("no-cache", .http, ""),
    ("max-age=50, stale-if-error=9", .http, ""), ("max-age=50", .revalidate, ""),
    ("max-age=50", .http, "max-age=0"), ("max-age=50", .http, "no-cache"),
  ])
  func `a stale image is not served where the origin or the caller forbids it`(
    control: String, policy: CachePolicy, directives: String
  ) {
    let covered = Self.covered(control, policy: policy, directives: directives)

    #expect(covered.codes.isEmpty)
    #expect(covered.statuses.isEmpty)
  }

  @Test func `an image stored despite no-store is served for every failure of the origin`() {
    let covered = Self.covered("no-store", isAlwaysStale: true)

    #expect(covered.codes == Self.unreachable.union(Self.incomplete))
    #expect(covered.statuses == [429, 500, 502, 503, 504])
  }
}
