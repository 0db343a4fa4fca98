import Testing

@testable import HTTPCaching
@testable import ImageModel

/// The lists of `Cache-Control` (RFC 9111 §5.2) as they are parsed before they mean anything.
@Suite struct `A list of directives` {
  private struct Member: Equatable, CustomStringConvertible {
    var name: String
    var value: String?
    var isQuoted = false

    var description: String { "\(name)=\(value ?? "-")\(isQuoted ? " quoted" : "")" }
  }

  private func members(_ line: String) -> [Member] {
    HTTPDirectives(line).members.map {
      Member(name: $0.name, value: $0.value, isQuoted: $0.isQuoted)
    }
  }

  @Test func `has names in lower case and values as they are`() {
    #expect(
      members("Max-Age=60, COMMUNITY=\"UCI\", X=AbC") == [
        Member(name: "max-age", value: "60"),
        Member(name: "community", value: "UCI", isQuoted: true), Member(name: "x", value: "AbC"),
      ])
  }

  @Test func `may have white space and empty members and values`() {
    #expect(
      members("\t no-store ,max-age = 60\t,ext= \"a\" ") == [
        Member(name: "no-store"), Member(name: "max-age", value: "60"),
        Member(name: "ext", value: "a", isQuoted: true),
      ])
    #expect(members(", ,a,,\t,b,") == [Member(name: "a"), Member(name: "b")])
    #expect(members("").isEmpty && HTTPDirectives(" ,, ").malformedWords == nil)
    #expect(
      members("a=,b=\"\",c,d=b=c") == [
        Member(name: "a", value: ""), Member(name: "b", value: "", isQuoted: true),
        Member(name: "c"), Member(name: "d", value: "b=c"),
      ])
  }

  private static let malformed: [(String, Set<String>)] = [
    ("=5", ["5"]), ("a=\"b", ["a", "b"]), ("a=\"b\" c", ["a", "b", "c"]), ("a b", ["a", "b"]),
    ("a;b", ["a", "b"]), ("No-Store;X=1", ["no-store", "x", "1"]), ("a=1 2", ["a", "1", "2"]),
    ("a=\"b\\", ["a", "b"]), ("a\u{7F}b", ["a", "b"]), ("\"a\"", ["a"]),
    ("max_age=1 x", ["max_age", "1", "x"]),
  ]

  @Test(arguments: malformed)
  func `that is malformed is a set of words`(line: String, words: Set<String>) {
    #expect(HTTPDirectives(line).malformedWords == words)
  }

  private static let numbers: [(String?, Int?)] = [
    ("0", 0), ("00060", 60), ("2147483647", 2_147_483_647), ("2147483648", 2_147_483_648),
    ("2147483649", 2_147_483_648), ("99999999999999999999999", 2_147_483_648), ("", nil),
    (nil, nil), ("-1", nil), ("+1", nil), (" 1", nil), ("1 ", nil), ("1.0", nil), ("0x1", nil),
    ("１", nil), ("1e3", nil),
  ]

  @Test(arguments: numbers)
  func `has seconds of digits alone, at most 2³¹`(text: String?, seconds: Int?) {
    #expect(HTTPDirectives.seconds(text) == seconds)
  }

  /// Writes lists in one of the many ways that RFC 9110 §5.6.1 allows, and reads them again.
  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `is parsed as it was written, however it is spaced and quoted`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let blanks = ["", " ", "\t", "  "]
    let tokens = ["a", "max-age", "0", "x_y", "!#$%&'*+.^`|~"]
    let texts = ["", "plain", "a, b", "no-store", "\"", "\\", "=", " ;\t", "é"]
    for _ in 0..<200 {
      var expected: [Member] = []
      var line = ""
      for number in 0..<Int.random(in: 0...5, using: &random) {
        func blank() -> String { blanks.randomElement(using: &random) ?? "" }
        if number > 0 { line += blank() + "," + blank() }
        let name = tokens.randomElement(using: &random) ?? "a"
        line += name
        switch Int.random(in: 0..<3, using: &random) {
        case 0: expected.append(Member(name: name))
        case 1:
          let value = tokens.randomElement(using: &random) ?? "a"
          line += "=" + value
          expected.append(Member(name: name, value: value))
        default:
          let value = texts.randomElement(using: &random) ?? ""
          let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
          line += "=\"\(escaped)\""
          expected.append(Member(name: name, value: value, isQuoted: true))
        }
      }

      #expect(members(line) == expected, "seed \(seed): \(line)")
      #expect(HTTPDirectives(line).malformedWords == nil, "seed \(seed): \(line)")
    }
  }

  /// A line may be cut or damaged anywhere: then it must not allow more than the whole one.
  @Test func `that is cut anywhere never forgets a restriction before the cut`() {
    let line = #"no-store, private="a, \"b\"", max-age=60, ext="x"#
    for count in 8...line.count {
      let control = CacheControl([String(line.prefix(count))])
      #expect(control.noStore, "\(line.prefix(count))")
    }
  }
}
