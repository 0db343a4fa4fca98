import Testing

@testable import imgcache

@Suite struct `A table that is wider than the terminal` {
  private let table = TableColumns(columns: [
    .init(head: "policy", cells: ["lru", "sieve"]),
    .init(head: "hits", cells: ["1", "200"]),
    .init(head: "evictions", expendability: 2, cells: ["10", "20"]),
    .init(head: "ns", expendability: 1, cells: ["5.0", "12.5"]),
  ])

  @Test func `is whole where it just fits`() {
    #expect(
      table.text(width: 29) == """
        policy  hits  evictions    ns
        lru        1         10   5.0
        sieve    200         20  12.5

        """)
  }

  @Test func `leaves out the most expendable columns, and says so`() {
    let lines = [28, 22, 0].map { table.text(width: $0).split(separator: "\n") }

    #expect(lines[0].first == "policy  hits  evictions")
    #expect(lines[0].last == "(no room for ns; --format csv has them)")
    #expect(lines[1].first == "policy  hits" && lines[2] == lines[1])
    #expect(lines[1].last == "(no room for ns and evictions; --format csv has them)")
  }

  @Test func `aligns wide letters by what the terminal shows`() {
    let table = TableColumns(columns: [
      .init(head: "name", cells: ["知乎日报", "e\u{301}"]), .init(head: "n", cells: ["1", "20"]),
    ])

    #expect(table.text(width: 80) == "name       n\n知乎日报   1\ne\u{301}         20\n")
  }
}

@Suite struct `Text on one line` {
  @Test(arguments: [
    ("a\tb\n\nc", "a b c"), ("a\r\nb", "a\\u{d} b"), ("\u{1B}[0m", "\\u{1b}[0m"), ("", ""),
  ])
  func `has spaces for tabs and line feeds, and the rest escaped`(text: String, line: String) {
    #expect(text.onOneLine() == line)
  }
}
