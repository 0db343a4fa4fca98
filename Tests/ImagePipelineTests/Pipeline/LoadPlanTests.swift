import Foundation
import Testing

@testable import ImagePipeline

@Suite struct `Load plan` {
  private static let kept = CacheRecord.stub(byteCount: 5)
  private static let negative = CacheRecord.stub(byteCount: nil, failure: .httpStatus)

  @Test(arguments: CachePolicy.allCases.filter { $0 != .onlyIfCached })
  func `nothing kept is fetched whole`(policy: CachePolicy) {
    #expect(LoadPlan(policy: policy, kept: nil) == .fetch(revalidates: false))
  }

  @Test func `nothing kept and no origin allowed is a miss of its own kind (75)`() {
    #expect(LoadPlan(policy: .onlyIfCached, kept: nil) == .fail(.notCached))
    #expect(LoadPlan(policy: .onlyIfCached, kept: Self.negative) == .fail(.notCached))
  }

  private static let ask = HTTPFreshness.Use.revalidate(mayServeOnError: false)
  private static let askOrServe = HTTPFreshness.Use.revalidate(mayServeOnError: true)

  @Test(arguments: [
    (CachePolicy.http, HTTPFreshness.Use.fresh, LoadPlan.deliver(.fresh)),
    (.http, .acceptedStale, .deliver(.stale)),
    (.http, .staleWhileRevalidating, .deliverAndRefresh),
    (.http, ask, .fetch(revalidates: true)),
    (.http, askOrServe, .fetch(revalidates: true, servesOnError: true)),
    (.forever, .fresh, .deliver(.fresh)), (.forever, ask, .deliver(.stale)),
    (.forever, .staleWhileRevalidating, .deliver(.stale)),
    (.onlyIfCached, .fresh, .deliver(.fresh)), (.onlyIfCached, askOrServe, .deliver(.stale)),
    (.revalidate, .fresh, .fetch(revalidates: true)),
    (.revalidate, askOrServe, .fetch(revalidates: true)),
    (.reload, .fresh, .fetch(revalidates: false)), (.reload, ask, .fetch(revalidates: false)),
  ])
  func `a kept picture is trusted as far as the policy says`(
    policy: CachePolicy, use: HTTPFreshness.Use, plan: LoadPlan
  ) {
    #expect(LoadPlan(policy: policy, kept: Self.kept, use: use) == plan)
  }

  @Test func `what nobody looks at is made fresh before it is served (44)`() {
    let plan = LoadPlan(
      policy: .http, kept: Self.kept, use: .staleWhileRevalidating, isLookedAt: false)

    #expect(plan == .fetch(revalidates: true, servesOnError: true))
  }

  @Test(arguments: [
    (CachePolicy.http, true, LoadPlan.fail(.httpStatus)),
    (.http, false, .fetch(revalidates: false)),
    (.forever, true, .fail(.httpStatus)), (.forever, false, .fetch(revalidates: false)),
    (.revalidate, true, .fetch(revalidates: false)),
    (.reload, true, .fetch(revalidates: false)),
  ])
  func `a remembered failure is believed until it ends (42)`(
    policy: CachePolicy, isBelieved: Bool, plan: LoadPlan
  ) {
    #expect(LoadPlan(policy: policy, kept: Self.negative, isBelieved: isBelieved) == plan)
  }

  @Test func `only an origin in trouble is covered up by a stale answer (45)`() {
    let covered = ImageError.Code.known.filter { LoadPlan.isCoveredByStale(ImageError($0, "")) }
    let statuses = (400..<600).filter {
      LoadPlan.isCoveredByStale(ImageError(.httpStatus, "", status: $0))
    }

    #expect(
      Set(covered) == [
        .nameNotResolved, .connectionFailed, .connectionReset, .tlsFailed, .timedOut, .shortBody,
        .protocolError, .saturated,
      ])
    #expect(statuses == [429, 500, 502, 503, 504])
  }
}

extension CacheRecord {
  /// A record as tests need it; without bytes it is a negative one.
  static func stub(byteCount: Int?, failure: ImageError.Code? = nil) -> CacheRecord {
    var record = CacheRecord(
      key: .original(url: "http://test.invalid/a.jpg"), at: Date(timeIntervalSince1970: 1e9))
    record.failure = failure
    record.content = byteCount.map { count in
      [UInt8](repeating: 7, count: count).withUnsafeBytes { CacheContent(of: $0) }
    }
    return record
  }
}
