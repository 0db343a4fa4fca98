import ArgumentParser
import ImageModel
import TextEncodings

/// A duration: `500ms`, `90s`, `5m`, `12h`, `7d`, `2w`, `1h30m`. A bare number is seconds, unless
/// what is deleted depends on it: see ``withUnit(_:)``.
struct TimeQuantity: ExpressibleByArgument, Hashable, Sendable, CustomStringConvertible {
  let duration: Duration

  init(_ duration: Duration) { self.duration = duration }

  init?(argument: String) {
    do throws(ImageError) { self = try Self.parse(argument) } catch { return nil }
  }

  var description: String { duration.readable }

  /// Reads a duration above zero; a bare number is seconds.
  @Sendable static func positive(_ text: String) throws(ImageError) -> TimeQuantity {
    let time = try parse(text)
    guard time.duration > .zero else { throw .misuse("The duration must be positive") }
    return time
  }

  /// Reads a duration with a unit: what is deleted must not depend on a guess that `3` is days.
  @Sendable static func withUnit(_ text: String) throws(ImageError) -> TimeQuantity {
    try parse(text, needsUnit: true)
  }

  /// In descending order, as in `1h30m`.
  private static let units: [(names: Set<String>, seconds: Double)] = [
    (["w"], 604_800), (["d"], 86_400), (["h"], 3_600), (["m", "min"], 60), (["s"], 1),
    (["ms"], 0.001),
  ]

  static func parse(
    _ text: String, needsUnit: Bool = false
  ) throws(ImageError) -> TimeQuantity {
    var rest = text.drop { $0 == " " }
    var seconds = 0.0
    var last = -1
    repeat {
      let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
      guard let number = Double(digits), number.isFinite else { throw malformed(text) }
      rest = rest.dropFirst(digits.count).drop { $0 == " " }
      let word = rest.prefix { $0.isLetter }
      rest = rest.dropFirst(word.count).drop { $0 == " " }
      if word.isEmpty {
        guard rest.isEmpty else { throw malformed(text) }
        guard last < 0, !needsUnit else {
          throw .misuse(
            "Missing unit in duration \"\(text)\"; use \(digits)s, \(digits)h or \(digits)d")
        }
        return try quantity(of: number, text)
      }
      let unit = try unit(word, in: text)
      guard unit > last else { throw malformed(text) }
      last = unit
      seconds += number * units[unit].seconds
    } while !rest.isEmpty
    return try quantity(of: seconds, text)
  }

  private static func unit(_ word: Substring, in text: String) throws(ImageError) -> Int {
    // In lower case it is minutes, elsewhere often months: nothing is deleted on a guess.
    guard word != "M" else {
      throw .misuse(
        "Ambiguous unit \"M\" in duration \"\(text)\"; use m for minutes or d for days")
    }
    guard let unit = units.firstIndex(where: { $0.names.contains(word.lowercased()) }) else {
      throw .misuse("Unknown unit \"\(word)\" in duration \"\(text)\"; use ms, s, m, h, d or w")
    }
    return unit
  }

  private static func quantity(of seconds: Double, _ text: String) throws(ImageError) -> Self {
    guard seconds < 1e12 else { throw .misuse("The duration \"\(text)\" is too long") }
    return TimeQuantity(.seconds(seconds))
  }

  private static func malformed(_ text: String) -> ImageError {
    .misuse("\"\(text)\" is not a duration; write 500ms, 30s, 5m, 12h, 7d or 1h30m")
  }
}
