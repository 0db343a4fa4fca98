import Testing

@testable import ImageModel
@testable import imgcache

@Suite struct `A YAML document` {
  /// The node as one line: scalars quoted, so that shapes are compared at a glance.
  private func shape(_ node: YAMLNode) -> String {
    switch node.content {
    case .null: "null"
    case .scalar(let text): text.debugDescription
    case .sequence(let items): "[" + items.map(shape).joined(separator: ", ") + "]"
    case .mapping(let members):
      "{" + members.map { shape($0.key) + ": " + shape($0.value) }.joined(separator: ", ") + "}"
    }
  }

  private static let documents: [(text: String, shape: String)] = [
    ("a: 1", #"{"a": "1"}"#), ("a: [1, two, '3']", #"{"a": ["1", "two", "3"]}"#),
    ("- x\n- - y\n  - z\n", #"["x", ["y", "z"]]"#), ("plain", #""plain""#),
    (#"{"a": {"b": [true, null, "null"]}}"#, #"{"a": {"b": ["true", null, "null"]}}"#),
    (#"{"é": "\u77e5\u4e4e"}"#, #"{"é": "知乎"}"#),
    ("a: |\n  one\n  two\n", #"{"a": "one\ntwo\n"}"#),
    ("a: >\n  one\n  two\n", #"{"a": "one two\n"}"#),
    ("? k\n: v\n", #"{"k": "v"}"#), ("a: &x [1]\nb: *x", #"{"a": ["1"], "b": ["1"]}"#),
    ("---\na: 1\n...\n", #"{"a": "1"}"#), ("\u{FEFF}a: 1", #"{"a": "1"}"#),
    ("a: 1\r\nb: 2\r\n", #"{"a": "1", "b": "2"}"#),
  ]

  @Test(arguments: documents)
  func `has scalars, lists and mappings, in YAML or JSON`(text: String, shape: String) throws {
    let node = try #require(try YAMLNode.document(in: text))

    #expect(self.shape(node) == shape)
  }

  @Test(arguments: ["~", "null", "Null", "NULL", ""])
  func `has no value where a plain word says so, and a text where it is quoted`(
    word: String
  ) throws {
    let node = try #require(try YAMLNode.document(in: "plain: \(word)\nquoted: '\(word)'"))

    #expect(shape(node) == #"{"plain": null, "quoted": \#(word.debugDescription)}"#)
    for text in ["", "  \n\n", "# only a comment\n"] {
      #expect(try YAMLNode.document(in: text) == nil)
    }
  }

  @Test func `knows the line on which each value begins`() throws {
    let text = "# one\na: 1\n\nb:\n  - 2\n  - c: 3\n"

    let node = try #require(try YAMLNode.document(in: text))

    guard case .mapping(let members) = node.content,
      case .sequence(let items) = members[1].value.content
    else {
      Issue.record("\(node)")
      return
    }
    #expect(node.line == 2)
    #expect(members.map(\.key.line) == [2, 4])
    #expect(items.map(\.line) == [5, 6])
  }

  private static let malformed: [(text: String, line: Int)] = [
    ("a: [1, 2", 1), ("a: 1\nb: 'open\n", 2), ("a: 1\n\tb: 2\n", 2), ("a: 1\n b: 2\n", 2),
    ("a: *missing\n", 1), ("{\"a\": 1", 1), ("a: 1\n---\nb: 2\n", 3), ("a: @x", 1),
    ("a: \u{0}", 1),
  ]

  @Test(arguments: malformed)
  func `that is malformed fails with the line of the fault`(text: String, line: Int) {
    let failure = #expect(throws: YAMLNode.Failure.self) { try YAMLNode.document(in: text) }

    #expect((line...(line + 1)).contains(failure?.line ?? 0))
    #expect(failure?.problem.isEmpty == false)
  }

  @Test func `has so many values and no more, each alias counted again`() throws {
    func list(_ count: Int) -> String {
      "[" + Array(repeating: "1", count: count).joined(separator: ",") + "]"
    }

    // The list itself is a value.
    #expect(try YAMLNode.document(in: list(65_535)) != nil)
    #expect(throws: YAMLNode.Failure.self) { try YAMLNode.document(in: list(65_536)) }
    #expect(throws: YAMLNode.Failure.self) {
      try YAMLNode.document(in: "a: &x \(list(40_000))\nb: *x\n")
    }
  }

  @Test(arguments: [1, 7, 42, 99])
  func `of random bytes is read or refused, on a line of the text`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let signs = Array("ab:-[]{}\"'#&!|>%@,? \n\t~0\\é".unicodeScalars)
    for round in 0..<300 {
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0..<40, using: &random) {
        text.append(signs.randomElement(using: &random) ?? "a")
      }
      let lines = text.count { $0 == "\n" } + 1
      do {
        _ = try YAMLNode.document(in: String(text))
      } catch let failure as YAMLNode.Failure {
        #expect(
          (1...(lines + 1)).contains(failure.line),
          "seed \(seed), round \(round): \(String(text).debugDescription)")
      } catch {
        Issue.record("seed \(seed), round \(round): \(error)")
      }
    }
  }
}

@Suite struct `A YAML document within itself` {
  @Test(arguments: ["&a [*a]", "a: &x {b: *x}", "retries: &r [1, [*r]]"])
  func `is refused with its line`(text: String) {
    let failure = #expect(throws: YAMLNode.Failure.self) { try YAMLNode.document(in: text) }

    #expect(failure?.line == 1)
  }

  /// What the library would take time in the square of its length for.
  @Test(
    .timeLimit(.minutes(1)),
    arguments: [
      (String(repeating: "[", count: 100_000), "more than 100 levels"),
      (String(repeating: "{a: ", count: 100_000), "more than 100 levels"),
      (String(repeating: "- ", count: 100_000), "more than 100 levels"),
      (String(repeating: "? ", count: 100_000), "more than 100 levels"),
      ("a: [" + (0..<100_000).map { "&a\($0) b," }.joined() + "]", "more than 100 anchors"),
      ((0..<50_000).map { "%TAG !a\($0)! b\n" }.joined(), "more than 100 directives"),
      ("[" + String(repeating: "a,", count: 400_000) + "]", "more than 65536 values"),
    ])
  func `above a bound is refused before it is loaded`(text: String, problem: String) {
    let failure = #expect(throws: YAMLNode.Failure.self) { try YAMLNode.document(in: text) }

    #expect(failure?.problem == problem)
  }

  @Test func `that aliases nest without end is refused, too`() {
    let links = (1...60).map { number in
      let nest = (
        open: String(repeating: "[", count: 500), close: String(repeating: "]", count: 500)
      )
      return "a\(number): &a\(number) \(nest.open)*a\(number - 1)\(nest.close)\n"
    }

    #expect(throws: YAMLNode.Failure.self) {
      try YAMLNode.document(in: "a0: &a0 x\n" + links.joined())
    }
  }
}
