extension ConformanceCase {
  private static let varying = dated + ["Vary: Foo"]
  private static let dated = ["Cache-Control: max-age=5000", "Last-Modified: @-3000", "Date: @0"]

  static let vary: [ConformanceCase] =
    table(
      "§4.1", before: dated, pauses: false,
      """
      should cached vary-match | Vary: Foo < Foo: 1 > Foo: 1
      must passed vary-no-match | Vary: Foo < Foo: 1 > Foo: 2
      must passed vary-omit-stored | Vary: Foo > Foo: 1
      must passed vary-omit | Vary: Foo < Foo: 1
      should cached vary-cache-key | Vary: Foo < Foo: 1 < Other: 2 > Foo: 1 > Other: 3
      should cached vary-2-match | ~Vary: Foo, Bar < Foo: 1 < Bar: abc > Foo: 1 > Bar: abc
      must passed vary-2-no-match | ~Vary: Foo, Bar < Foo: 1 < Bar: abc > Foo: 2 > Bar: abc
      must passed vary-2-match-omit | ~Vary: Foo, Bar < Foo: 1 < Bar: abc
      should cached vary-3-match | ~Vary: Foo, Bar, Baz < Foo: 1 < Bar: abc < Baz: 789 > Foo: 1 > Bar: abc > Baz: 789
      must passed vary-3-no-match | ~Vary: Foo, Bar, Baz < Foo: 1 < Bar: abc < Baz: 789 > Foo: 2 > Bar: abc > Baz: 789
      must passed vary-3-order | ~Vary: Foo, Bar, Baz < Foo: 1 < Bar: abc < Baz: 789 > Foo: 1 > Baz: 789 > Bar: abcde
      should cached vary-3-omit | ~Vary: Foo, Bar, Baz < Foo: 1 < Baz: 789 > Foo: 1 > Baz: 789
      must passed vary-star | Vary: * < Foo: 1 < Baz: 789 > Foo: 1 > Baz: 789
      must passed vary-syntax-star | ~Vary: * < Foo: 1 < Baz: 789 > Foo: 1 > Baz: 789
      must passed vary-syntax-star-star | ~Vary: *, * < Foo: 1 < Baz: 789 > Foo: 1 > Baz: 789
      must passed vary-syntax-star-star-lines | ~Vary: * | ~Vary: * < Foo: 1 < Baz: 789 > Foo: 1 > Baz: 789
      must passed vary-syntax-empty-star | ~Vary: , * < Foo: 1 < Baz: 789 > Foo: 1 > Baz: 789
      must passed vary-syntax-empty-star-lines | ~Vary:  | ~Vary: * < Foo: 1 < Baz: 789 > Foo: 1 > Baz: 789
      must passed vary-syntax-star-foo | ~Vary: *, Foo < Foo: 1 < Baz: 789 > Foo: 1 > Baz: 789
      must passed vary-syntax-foo-star | ~Vary: Foo, * < Foo: 1 < Baz: 789 > Foo: 1 > Baz: 789
      should cached vary-normalise-combine | Vary: Foo < Foo: 1, 2 > Foo: 1 > Foo: 2
      should cached vary-normalise-lang-order | Vary: Accept-Language < Accept-Language: en, de \
      > Accept-Language: de, en
      should cached vary-normalise-lang-case | Vary: Accept-Language < Accept-Language: en, de \
      > Accept-Language: eN, De
      should cached vary-normalise-lang-space | Vary: Accept-Language < Accept-Language: en, de \
      > Accept-Language:  en ,   de
      should cached vary-normalise-lang-select | Vary: Accept-Language | Content-Language: de \
      < Accept-Language: en, de > Accept-Language: fr;q=0.5, de;q=1.0
      """) + [
      ConformanceCase(
        "vary-invalidate", .optimal, "§4.1",
        [
          .fill(varying, send: ["Foo: 1"], text: "foo_1", pauses: false),
          .look(.passed, send: ["Foo: 2"], answer: varying, prepares: [.all], text: "foo_2"),
          .look(.cached, send: ["Foo: 1"], text: "foo_1"),
        ]),
      ConformanceCase(
        "vary-normalise-space", .optimal, "§4.1",
        [.fill(varying, send: ["Foo: 1,2"], pauses: false), .look(.cached, send: ["Foo:  1, 2 "])]),
    ]
}
