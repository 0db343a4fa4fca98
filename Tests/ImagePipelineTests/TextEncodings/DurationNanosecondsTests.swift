import Testing

@testable import ImageModel

@Suite struct `Nanoseconds of a duration` {
  @Test(
    arguments: [
      (.zero, 0), (.nanoseconds(1), 1), (.nanoseconds(-1), -1),
      (.milliseconds(1500), 1_500_000_000),
      (.nanoseconds(Int64.max), .max), (.nanoseconds(Int64.min), .min),
    ] as [(Duration, Int64)])
  func `are exact as far as they are a number`(duration: Duration, count: Int64) {
    #expect(duration.nanoseconds == count)
  }

  @Test(
    arguments: [
      .seconds(9_223_372_036) + .milliseconds(900), .seconds(9_223_372_037),
      .seconds(Int64.max), .nanoseconds(Int64.max) + .nanoseconds(1),
    ] as [Duration])
  func `of more than 292 years are the largest number, or the smallest before`(duration: Duration) {
    #expect(duration.nanoseconds == .max)
    #expect((.zero - duration - .nanoseconds(2)).nanoseconds == .min)
  }

  @Test func `drop what is less`() {
    let short = Duration(secondsComponent: 0, attosecondsComponent: 1_999_999_999)
    #expect(short.nanoseconds == 1)
    #expect((.zero - short).nanoseconds == -1)
  }
}
