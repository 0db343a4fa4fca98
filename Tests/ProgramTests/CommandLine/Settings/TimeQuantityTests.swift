import ArgumentParser
import Testing

@testable import ImageModel
@testable import imgcache

@Suite struct `Durations on the command line` {
  @Test(arguments: [
    ("30", Duration.seconds(30)), ("90s", .seconds(90)), ("5m", .seconds(300)),
    ("12h", .seconds(43_200)), ("30d", .seconds(2_592_000)), ("1w", .seconds(604_800)),
    ("250ms", .milliseconds(250)), ("0.5", .milliseconds(500)), ("1.5h", .seconds(5_400)),
    ("1h30m", .seconds(5_400)), ("1h 30m", .seconds(5_400)), (" 23 h 50 min ", .seconds(85_800)),
    ("2D", .seconds(172_800)), ("1s500ms", .milliseconds(1_500)),
  ])
  func `durations are read with their units, a bare number as seconds`(
    text: String, duration: Duration
  ) throws {
    #expect(try TimeQuantity.parse(text).duration == duration)
  }

  @Test(arguments: [
    "", "s", "-3", "5 parsecs", "1e40", "1h30", "30m1h", "1h1h", "1.2.3s", ".", "3M", "3mo", "1y",
    "9999999999999", "3s4", "1,5h",
  ])
  func `what is not a duration is refused`(text: String) {
    #expect(throws: ImageError.self) { try TimeQuantity.parse(text) }
    #expect(TimeQuantity(argument: text) == nil)
  }

  @Test func `what selects entries to delete needs a unit, and the message says which`() throws {
    for text in ["0", " 3 ", "1.5"] {
      #expect(throws: ImageError.self) { try TimeQuantity.withUnit(text) }
    }
    let error = #expect(throws: ImageError.self) { try TimeQuantity.withUnit("3") }

    #expect(error?.message == "Missing unit in duration \"3\"; use 3s, 3h or 3d")
    #expect(error?.code == .invalidArgument)
    #expect(try TimeQuantity.withUnit("3d").duration == .seconds(259_200))
  }

  @Test func `a timeout of nothing is refused`() throws {
    #expect(throws: ImageError.self) { try TimeQuantity.positive("0") }
    #expect(try TimeQuantity.positive("500ms").duration == .milliseconds(500))
  }

  @Test(arguments: [
    (Duration.zero, "0 ms"), (.milliseconds(500), "500 ms"), (.seconds(1), "1 s"),
    (.milliseconds(1_560), "1.5 s"), (.seconds(59), "59 s"), (.seconds(60), "1 min"),
    (.seconds(75), "1 min 15 s"), (.seconds(3_600), "1 h"), (.seconds(85_800), "23 h 50 min"),
    (.seconds(86_400), "1 d"), (.seconds(93_599), "1 d 1 h"), (.seconds(-75), "-1 min 15 s"),
  ])
  func `a duration is written in its two largest units`(duration: Duration, text: String) {
    #expect(duration.readable == text)
  }

  @Test(arguments: [Duration.seconds(75), .milliseconds(500), .seconds(85_800), .seconds(90_000)])
  func `a duration as it is written can be read again`(duration: Duration) throws {
    #expect(try TimeQuantity.parse(duration.readable).duration == duration)
  }
}
