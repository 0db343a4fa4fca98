import Testing

@testable import imgcache

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
