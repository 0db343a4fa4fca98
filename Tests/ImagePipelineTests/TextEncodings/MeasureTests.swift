import Testing
import TextEncodings

@Suite struct `Quantities as text` {
  @Test(
    arguments: [
      (0, "0 B"), (1_023, "1023 B"), (1_024, "1 KiB"), (1_536, "1.5 KiB"), (10_188, "9.9 KiB"),
      (10_752, "11 KiB"), (1 << 20, "1 MiB"), (64 << 20, "64 MiB"), (5 << 30, "5 GiB"),
      (3 << 40, "3 TiB"), (2_048 << 40, "2048 TiB"),
    ] as [(Int, String)])
  func `bytes have one decimal below 10 units`(count: Int, text: String) {
    #expect(Measure.bytes(count) == text)
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
