import Foundation
import Testing

@testable import ImageFeeds

@Suite struct `Patterns of image filters` {
  @Test(arguments: [
    ("*", "", true), ("", "", true), ("", "a", false), ("a", "", false), ("abc", "ABC", true),
    ("*b*", "abc", true), ("*b", "abc", false), ("a*", "abc", true), ("a*c", "abbbc", true),
    ("a*c*", "ab", false), ("**", "x", true), ("*/ads/*", "https://h/x/ads/y.png", true),
    ("广告*", "广告:手机", true), ("*?x", "a?x", true), ("*?x", "abx", false),
  ]) func `a star stands for anything`(_ pattern: String, _ text: String, _ isMatch: Bool) {
    #expect(ImageFilter.matches(pattern, text) == isMatch)
  }

  @Test func `many stars take no time that grows with their number`() {
    let pattern = String(repeating: "*a", count: 2_000) + "b"
    #expect(!ImageFilter.matches(pattern, String(repeating: "a", count: 20_000)))
  }

  /// A random pattern and text of few letters, compared with a search of all ways to match.
  @Test func `matching agrees with a search of all ways`() {
    func slow(_ pattern: Substring, _ text: Substring) -> Bool {
      guard let first = pattern.first else { return text.isEmpty }
      guard first == "*" else {
        return text.first == first && slow(pattern.dropFirst(), text.dropFirst())
      }
      return (0...text.count).contains { slow(pattern.dropFirst(), text.dropFirst($0)) }
    }
    var random = SystemRandomNumberGenerator()
    for _ in 0..<3_000 {
      let pattern = String(
        (0..<Int.random(in: 0...6, using: &random)).map { _ in "ab*".randomElement()! })
      let text = String(
        (0..<Int.random(in: 0...8, using: &random)).map { _ in "ab".randomElement()! })
      #expect(
        ImageFilter.matches(pattern, text) == slow(pattern[...], text[...]), "\(pattern) \(text)")
    }
  }
}
