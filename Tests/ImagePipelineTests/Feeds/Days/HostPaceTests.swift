import Foundation
import ImageModel
import Testing

@testable import ImageFeeds
@testable import ImageFetching

@Suite struct `The pace of a busy host` {
  @Test func `halves with each refusal down to one image a minute, and recovers slowly`() {
    var pace = HostPace()
    var now = Duration.zero
    var intervals: [Duration] = []
    for _ in 0..<10 {
      pace.refused(retryAfter: nil, now: now)
      // One that was sent beside it.
      pace.refused(retryAfter: nil, now: now)
      intervals.append(pace.due - now)
      now = pace.due
    }

    #expect(intervals.first == .milliseconds(500) && intervals[1] == .seconds(1))
    #expect(intervals.suffix(2) == [.seconds(60), .seconds(60)])
    pace.succeeded(now: now)
    #expect(pace.due == now + .seconds(54))
    #expect(pace.end(after: .seconds(5)) > .seconds(1_000_000))
  }

  @Test(arguments: [(5, 5), (0, 1), (3600, 60)])
  func `observes Retry-After up to a minute`(seconds: Int, wait: Int) {
    var pace = HostPace()
    pace.refused(retryAfter: nil, now: .zero)
    pace.refused(retryAfter: .seconds(seconds), now: .seconds(1))

    #expect(pace.due == .seconds(1 + wait))
    #expect(pace.end(after: .seconds(600)) == .seconds(600))
  }

  @Test func `a date without a Date is compared with the clock`() throws {
    let value = "Thu, 26 Nov 2026 12:00:30 GMT"
    let now = try #require(HTTPDate.parse("Thu, 26 Nov 2026 12:00:00 GMT"))
    let own = "Thu, 26 Nov 2026 12:00:20 GMT"

    #expect(FetchFailure.retryAfter(in: [.retryAfter: value], now: now) == .seconds(30))
    #expect(
      FetchFailure.retryAfter(in: [.retryAfter: value, .date: own], now: now) == .seconds(10))
    #expect(FetchFailure.retryAfter(in: [.retryAfter: value], now: now + 60) == .zero)
    #expect(FetchFailure.retryAfter(in: [.retryAfter: "soon"], now: now) == nil)
    #expect(FetchFailure.retryAfter(in: [.retryAfter: "-1"], now: now) == nil)
    let most = FetchFailure.retryAfter(in: [.retryAfter: "99999999999999999999"], now: now)
    #expect(most == .seconds(1 << 31))
  }

  @Test func `a 429 is not among the retries where busy hosts are asked again`() {
    var policy = RetryPolicy()
    let error = ImageError(.httpStatus, "", status: 429, retryAfter: .seconds(90))
    #expect(policy.delay(afterBusy: error, count: 0, waited: .zero) == nil)

    policy.busyTime = .seconds(100)
    #expect(policy.delay(after: error, retryCount: 0, chance: 0) == nil)
    #expect(policy.delay(afterBusy: error, count: 0, waited: .zero) == .seconds(60))
    #expect(policy.delay(afterBusy: error, count: 0, waited: .seconds(50)) == nil)
    let other = ImageError(.httpStatus, "", status: 503)
    #expect(policy.delay(after: other, retryCount: 0, chance: 0) == .zero)
  }
}
