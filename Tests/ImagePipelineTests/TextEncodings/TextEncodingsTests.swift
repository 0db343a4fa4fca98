import Foundation
import Testing
import TextEncodings

@Suite struct `Text encodings` {
  @Test func `bytes and numbers become lower-case hex with leading zeros`() {
    #expect(Hex.encoded([0, 9, 0x0A, 0xFF]) == "00090aff")
    #expect(Hex.encoded([UInt8]()) == "")
    #expect(Hex.encoded(UInt32(0xAB_CDEF), digitCount: 6) == "abcdef")
    #expect(Hex.encoded(UInt32(0xFF00_000A), digitCount: 6) == "00000a")
    #expect(Hex.encoded(UInt64.max, digitCount: 16) == "ffffffffffffffff")
  }

  @Test func `only hexadecimal digits have a numeric value`() {
    let digits = (UInt8.min ... .max).filter { Hex.value(of: $0) != nil }

    #expect(String(decoding: digits, as: UTF8.self) == "0123456789ABCDEFabcdef")
    #expect(digits.compactMap(Hex.value) == Array(0...9) + Array(10...15) + Array(10...15))
  }

  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy"),
    ("user:pässword?>", "dXNlcjpww6Rzc3dvcmQ/Pg=="),
  ])
  func `Base64 matches RFC 4648`(text: String, encoded: String) {
    #expect(Base64.encoded(Array(text.utf8)) == encoded)
    #expect(Base64.decoded(encoded) == Array(text.utf8))
    for malformed in ["Zg=", "%%%%"] { #expect(Base64.decoded(malformed) == nil) }
  }

  @Test func `JSON has every control as an escape, and the same value`() throws {
    let controls =
      (0..<0x20).map { $0 } + Array(0x7F...0x9F) + [
        0x61C, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202E, 0x2066, 0x2069,
      ]
    let text =
      controls.compactMap { Unicode.Scalar($0).map(String.init) }.joined() + "é知 “x” \u{200B}"
    let line: JSONLine = ["a": text]
    let sorted = try JSONText.encoded(["b": ["a/b"], "a": ["\u{1}"]])
    #expect(String(decoding: sorted, as: UTF8.self) == #"{"a":["\u0001"],"b":["a/b"]}"#)
    let encoded = String(decoding: try JSONText.encoded(["a": text]), as: UTF8.self)

    for json in [line.description, encoded] {
      #expect(json.unicodeScalars.allSatisfy { !$0.isControl }, "\(json)")
      #expect(
        json.contains("\\u009b") && json.contains("\\u202e") && json.contains("é知 “x” \u{200B}"))
      #expect(try JSONDecoder().decode([String: String].self, from: Data(json.utf8)) == ["a": text])
    }
  }

  @Test func `percent-encoding keeps existing triplets only on request`() {
    let text = Array("%41 %4".utf8)[...]

    #expect(PercentEncoding.encoded(text, keeping: PercentEncoding.isUnreserved) == "%2541%20%254")
    #expect(
      PercentEncoding.encoded(text, keepsTriplets: true, keeping: PercentEncoding.isUnreserved)
        == "%41%20%254")
  }
}
