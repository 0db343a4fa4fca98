import Testing

@testable import ImageModel
@testable import LoadScheduling

@Suite struct `The limits of as many hosts as are remembered` {
  @Test func `stay when another host answers with a failure that is not overload`() {
    var clock = QueueClock()
    clock.now = { .zero }
    let queue = JobQueue(maximumRunning: 100, maximumPerHost: 4, rate: nil, clock: clock)
    let limiter = HostLimiter(queue: queue, maximum: 4, clock: clock)
    for number in 0..<HostLimiter.maximumCount {
      limiter.note("\(number)", ImageError(.httpStatus, "", status: 503))
    }

    limiter.note("other", ImageError(.httpStatus, "", status: 404))

    #expect(limiter.count == HostLimiter.maximumCount)
  }
}
