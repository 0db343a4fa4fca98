import Testing
import TextEncodings

@testable import ImageModel

@Suite struct `Quantities as text` {
  @Test(
    arguments: [
      (0, "0 B"), (1_023, "1023 B"), (1_024, "1 KiB"), (1_536, "1.5 KiB"), (10_188, "9.9 KiB"),
      (10_752, "11 KiB"), (1 << 20, "1 MiB"), (64 << 20, "64 MiB"), (5 << 30, "5 GiB"),
      (3 << 40, "3 TiB"), (2_048 << 40, "2048 TiB"), (1_048_063, "1023 KiB"), (1_048_064, "1 MiB"),
      (1_048_575, "1 MiB"), (1023 << 20, "1023 MiB"), ((1 << 30) - 1, "1 GiB"),
      ((1 << 40) - 1, "1 TiB"),
    ] as [(Int, String)])
  func `bytes have one decimal below 10 units`(count: Int, text: String) {
    #expect(Measure.bytes(count) == text)
  }

  @Test func `bytes never have four digits before the last unit, and never fall`() {
    var last = (count: 0, value: 0.0)
    let units = ["B": 1.0, "KiB": 1024, "MiB": 1_048_576, "GiB": 1_073_741_824]
    for power in 0..<400 {
      let count = Int(1.05 * Double(last.count)) + 1 + power % 3
      guard count < 1 << 39 else { break }

      let words = Measure.bytes(count).split(separator: " ")
      let number = Double(words[0]) ?? -1
      let value = number * (units[String(words[1])] ?? .nan)

      #expect(words[1] == "B" || number < 1024, "\(count)")
      #expect(value >= last.value, "\(count) after \(last.count)")
      #expect(abs(value - Double(count)) <= 0.06 * Double(count), "\(count)")
      last = (count, value)
    }
  }

  @Test(
    arguments: [
      (0.000_085, "85 µs"), (0.000_42, "0.42 ms"), (0.012, "12 ms"), (0.999, "999 ms"),
      (0.9996, "1 s"), (1.5, "1.5 s"), (12, "12 s"), (5_400, "5,400 s"),
    ] as [(Double, String)])
  func `a time has the unit that keeps it short`(seconds: Double, text: String) {
    #expect(Measure.seconds(seconds) == text)
  }

  @Test(
    arguments: [
      (0, "0"), (-1, "0"), (.nan, "0"), (.infinity, "0"), (0.001, "<0.01"), (0.05, "0.05"),
      (0.5, "0.5"), (0.42, "0.42"), (3.14, "3.1"), (3.0, "3"), (9.96, "10"), (119.6, "120"),
      (1_204_331, "1,204,331"),
    ] as [(Double, String)])
  func `a number has at most two digits after the point`(value: Double, text: String) {
    #expect(Measure.number(value) == text)
  }

  @Test(
    arguments: [
      (0, "0"), (999, "999"), (1_000, "1,000"), (-1_000, "-1,000"), (-100, "-100"),
      (.max, "9,223,372,036,854,775,807"), (.min, "-9,223,372,036,854,775,808"),
    ] as [(Int, String)])
  func `digits are grouped by three`(count: Int, text: String) {
    #expect(Measure.grouped(count) == text)
  }

  @Test(
    arguments: [
      (0, "0 %"), (-0.1, "0 %"), (.nan, "0 %"), (0.000_5, "<0.1 %"), (0.034, "3.4 %"),
      (0.05, "5 %"), (0.123, "12 %"), (0.97, "97 %"), (0.998, "99.8 %"), (0.9995, ">99.9 %"),
      (1, "100 %"), (1.5, "100 %"),
    ] as [(Double, String)])
  func `only a whole is 100 percent`(share: Double, text: String) {
    #expect(Measure.percent(share) == text)
  }

  @Test(
    arguments: [
      ("", ""), (" \n\t", ""), ("a", "a"), ("\r\n a b \u{3000}", "a b"), ("\u{200B}a", "\u{200B}a"),
    ] as [(String, String)])
  func `only white space at both ends is trimmed`(text: String, trimmed: String) {
    #expect(text.trimmingWhiteSpace() == trimmed)
  }
}

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
