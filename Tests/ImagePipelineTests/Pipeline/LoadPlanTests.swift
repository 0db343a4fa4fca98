import Foundation
import Testing

@testable import ImagePipeline

@Suite struct `Load plan` {
  private static let kept = CacheRecord.stub(byteCount: 5)
  private static let negative = CacheRecord.stub(byteCount: nil, failure: .httpStatus)

  @Test(arguments: CachePolicy.allCases.filter { $0 != .onlyIfCached }, [true, false])
  func `nothing kept is fetched whole`(policy: CachePolicy, isFresh: Bool) {
    #expect(LoadPlan(policy: policy, kept: nil, isFresh: isFresh) == .fetch(revalidates: false))
  }

  @Test func `nothing kept and no origin allowed is a miss of its own kind (75)`() {
    let plan = LoadPlan(policy: .onlyIfCached, kept: nil, isFresh: false)

    #expect(plan == .fail(.notCached))
  }

  @Test(arguments: [
    (CachePolicy.http, true, LoadPlan.deliver), (.http, false, .fetch(revalidates: true)),
    (.forever, true, .deliver), (.forever, false, .deliver),
    (.onlyIfCached, true, .deliver), (.onlyIfCached, false, .deliver),
    (.revalidate, true, .fetch(revalidates: true)),
    (.revalidate, false, .fetch(revalidates: true)),
    (.reload, true, .fetch(revalidates: false)), (.reload, false, .fetch(revalidates: false)),
  ])
  func `a kept picture is trusted as far as the policy says`(
    policy: CachePolicy, isFresh: Bool, plan: LoadPlan
  ) {
    #expect(LoadPlan(policy: policy, kept: Self.kept, isFresh: isFresh) == plan)
  }

  @Test(arguments: [
    (CachePolicy.http, true, LoadPlan.fail(.httpStatus)),
    (.http, false, .fetch(revalidates: false)),
    (.forever, true, .fail(.httpStatus)), (.forever, false, .fetch(revalidates: false)),
    (.onlyIfCached, true, .fail(.notCached)), (.revalidate, true, .fetch(revalidates: false)),
    (.reload, true, .fetch(revalidates: false)),
  ])
  func `a remembered failure is believed while it is fresh (42)`(
    policy: CachePolicy, isFresh: Bool, plan: LoadPlan
  ) {
    #expect(LoadPlan(policy: policy, kept: Self.negative, isFresh: isFresh) == plan)
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
