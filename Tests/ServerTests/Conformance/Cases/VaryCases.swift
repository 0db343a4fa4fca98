extension ConformanceCase {
  private static func answer(_ vary: String) -> [String] {
    ["Cache-Control: max-age=5000", "Last-Modified: @-3000", "Date: @0", vary]
  }

  private static func selected(
    _ id: String, _ kind: Kind, needs: [String] = ["vary-match"], _ vary: [String] = ["Vary: Foo"],
    first: [String], second: [String], _ arrival: ConformanceStep.Arrival
  ) -> ConformanceCase {
    ConformanceCase(
      id, kind, "§4.1", needs: needs,
      [
        .fill(
          ["Cache-Control: max-age=5000", "Last-Modified: @-3000", "Date: @0"] + vary, send: first,
          pauses: false), .look(arrival, send: second),
      ])
  }

  private static let two = ["Foo: 1", "Bar: abc"]
  private static let three = two + ["Baz: 789"]
  private static let odd = ["Foo: 1", "Baz: 789"]

  private static func star(_ id: String, _ lines: [String]) -> ConformanceCase {
    selected(id, .required, lines.map { "~Vary: \($0)" }, first: odd, second: odd, .passed)
  }

  private static func languages(
    _ id: String, _ second: String, _ more: [String] = []
  ) -> ConformanceCase {
    selected(
      id, .optimal, ["Vary: Accept-Language"] + more, first: ["Accept-Language: en, de"],
      second: ["Accept-Language: \(second)"], .cached)
  }

  static let vary: [ConformanceCase] = [
    selected(
      "vary-match", .optimal, needs: ["freshness-max-age"], first: ["Foo: 1"], second: ["Foo: 1"],
      .cached),
    selected("vary-no-match", .required, first: ["Foo: 1"], second: ["Foo: 2"], .passed),
    selected("vary-omit-stored", .required, first: [], second: ["Foo: 1"], .passed),
    selected("vary-omit", .required, first: ["Foo: 1"], second: [], .passed),
    ConformanceCase(
      "vary-invalidate", .optimal, "§4.1", needs: ["vary-match"],
      [
        .fill(answer("Vary: Foo"), send: ["Foo: 1"], text: "foo_1", pauses: false),
        .look(
          .passed, send: ["Foo: 2"], answer: answer("Vary: Foo"), prepares: [.all], text: "foo_2"),
        .look(.cached, send: ["Foo: 1"], text: "foo_1"),
      ]),
    selected(
      "vary-cache-key", .optimal, first: ["Foo: 1", "Other: 2"], second: ["Foo: 1", "Other: 3"],
      .cached),
    selected("vary-2-match", .optimal, ["~Vary: Foo, Bar"], first: two, second: two, .cached),
    selected(
      "vary-2-no-match", .required, needs: ["vary-2-match"], ["~Vary: Foo, Bar"], first: two,
      second: ["Foo: 2", "Bar: abc"], .passed),
    selected(
      "vary-2-match-omit", .required, needs: ["vary-2-match"], ["~Vary: Foo, Bar"], first: two,
      second: [], .passed),
    selected(
      "vary-3-match", .optimal, needs: ["vary-2-match"], ["~Vary: Foo, Bar, Baz"], first: three,
      second: three, .cached),
    selected(
      "vary-3-no-match", .required, needs: ["vary-3-match"], ["~Vary: Foo, Bar, Baz"],
      first: three, second: ["Foo: 2", "Bar: abc", "Baz: 789"], .passed),
    selected(
      "vary-3-order", .required, needs: ["vary-3-match"], ["~Vary: Foo, Bar, Baz"], first: three,
      second: ["Foo: 1", "Baz: 789", "Bar: abcde"], .passed),
    selected(
      "vary-3-omit", .optimal, needs: ["vary-3-match"], ["~Vary: Foo, Bar, Baz"], first: odd,
      second: odd, .cached),
    selected("vary-star", .required, needs: [], ["Vary: *"], first: odd, second: odd, .passed),
    star("vary-syntax-star", ["*"]),
    star("vary-syntax-star-star", ["*, *"]),
    star("vary-syntax-star-star-lines", ["*", "*"]),
    star("vary-syntax-empty-star", [", *"]),
    star("vary-syntax-empty-star-lines", ["", "*"]),
    star("vary-syntax-star-foo", ["*, Foo"]),
    star("vary-syntax-foo-star", ["Foo, *"]),
    selected(
      "vary-normalise-combine", .optimal, first: ["Foo: 1, 2"], second: ["Foo: 1", "Foo: 2"],
      .cached),
    languages("vary-normalise-lang-order", "de, en"),
    languages("vary-normalise-lang-case", "eN, De"),
    languages("vary-normalise-lang-space", " en ,   de"),
    languages("vary-normalise-lang-select", "fr;q=0.5, de;q=1.0", ["Content-Language: de"]),
    selected(
      "vary-normalise-space", .optimal, first: ["Foo: 1,2"], second: ["Foo:  1, 2 "], .cached),
  ]
}
