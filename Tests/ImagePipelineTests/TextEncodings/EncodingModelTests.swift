import Foundation
import Testing

@testable import ImageModel
@testable import TextEncodings

@Suite struct `Text encodings beside an independent reference` {
  /// Any scalars, those that encodings treat apart among them.
  private func text(_ random: inout SplitMix64, _ count: Int = 40) -> String {
    let marked = Array("%2fFG<>&'\"\\/ \n\r\t\u{0}\u{1F}\u{7F}\u{85}\u{2028}é知👍\u{301}~-_.")
    return String(
      (0..<Int.random(in: 0...count, using: &random)).map { _ in
        marked.randomElement(using: &random) ?? "a"
      })
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `JSON strings are read by Foundation as they were written`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for round in 0..<200 {
      let (key, value) = ("k" + text(&random), text(&random))
      let line: JSONLine = JSONLine(members: [(key, value), ("n", round), ("none", nil as Int?)])

      let object = try JSONSerialization.jsonObject(with: Data(line.description.utf8))
      let members = try #require(object as? [String: Any])

      #expect(members.count == 2, "seed \(seed), round \(round)")
      #expect(
        (members[key] as? String).map { Array($0.utf8) } == Array(value.utf8),
        "seed \(seed), round \(round): \(line)")
      #expect(!line.description.utf8.contains { $0 < 0x20 || $0 == 0x7F })
    }
  }

  @Test(arguments: [4, 5, 6] as [UInt64])
  func `what is percent-encoded decodes to the same bytes`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for round in 0..<200 {
      let text = text(&random)

      let encoded = PercentEncoding.encoded(text)
      let decoded = PercentEncoding.decoded(encoded)

      #expect(decoded.bytes == Array(text.utf8), "seed \(seed), round \(round)")
      #expect(decoded.isWellFormed)
      let unreserved = CharacterSet(charactersIn: "-._~").union(
        CharacterSet(charactersIn: "a"..."z").union(CharacterSet(charactersIn: "A"..."Z"))
          .union(CharacterSet(charactersIn: "0"..."9")))
      #expect(
        encoded == text.addingPercentEncoding(withAllowedCharacters: unreserved),
        "seed \(seed), round \(round)")
    }
  }

  @Test(arguments: [7, 8] as [UInt64])
  func `any text is percent-decoded, and a malformed triplet stays`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for round in 0..<300 {
      let signs = Array("%%%2aFg.")
      let text = String(
        (0..<Int.random(in: 0...12, using: &random)).map { _ in
          signs.randomElement(using: &random) ?? "a"
        })
      // The reference: a regular expression over the text, left to right.
      var expected: [UInt8] = []
      var rest = text[...]
      var isWellFormed = true
      while let first = rest.first {
        if let match = rest.prefixMatch(of: /%([0-9a-fA-F]{2})/) {
          expected.append(UInt8(match.1, radix: 16) ?? 0)
          rest = rest[match.range.upperBound...]
        } else {
          if first == "%" { isWellFormed = false }
          expected += Array(String(first).utf8)
          rest = rest.dropFirst()
        }
      }

      let decoded = PercentEncoding.decoded(text)

      #expect(decoded.bytes == expected, "seed \(seed), round \(round): \(text)")
      #expect(decoded.isWellFormed == isWellFormed, "seed \(seed), round \(round): \(text)")
    }
  }

  @Test(arguments: [9, 10] as [UInt64])
  func `escaped HTML is the text again once its entities are replaced`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for round in 0..<200 {
      let text = text(&random)

      let escaped = HTMLText.escaped(text)

      #expect(!escaped.unicodeScalars.contains { "<>\"'".unicodeScalars.contains($0) })
      let back = [
        ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&"),
      ].reduce(escaped) { $0.replacing($1.0, with: $1.1) }
      let kept = text.unicodeScalars.filter {
        $0.value >= 0x20 && $0.value != 0x7F || [9, 10, 13].contains($0.value)
      }
      #expect(
        Array(back.utf8) == Array(String(String.UnicodeScalarView(kept)).utf8),
        "seed \(seed), round \(round): \(text.debugDescription)")
    }
  }
}
