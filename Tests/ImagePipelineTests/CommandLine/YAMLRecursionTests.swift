import Testing

@testable import imgcache

@Suite struct `A YAML document within itself` {
  @Test(arguments: ["&a [*a]", "a: &x {b: *x}", "retries: &r [1, [*r]]"])
  func `is refused with its line`(text: String) {
    let failure = #expect(throws: YAMLNode.Failure.self) { try YAMLNode.document(in: text) }

    #expect(failure?.line == 1)
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
