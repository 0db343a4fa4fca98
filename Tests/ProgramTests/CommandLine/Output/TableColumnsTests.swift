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

  @Test func `leaves out the most expendable column first, and says so`() {
    #expect(
      table.text(width: 28) == """
        policy  hits  evictions
        lru        1         10
        sieve    200         20
        (no room for ns; --format csv has them)

        """)
  }

  @Test func `leaves out several, in the order of their expendability`() {
    #expect(
      table.text(width: 22) == """
        policy  hits
        lru        1
        sieve    200
        (no room for ns and evictions; --format csv has them)

        """)
  }

  @Test func `keeps the columns that are not expendable in any width`() {
    #expect(table.text(width: 0) == table.text(width: 22))
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
