import Testing

@testable import ImageFeeds
@testable import ImageModel

@Suite struct `Names of exported files` {
  private func name(
    _ template: String = "{title}", title: String = "Title",
    url: String = "https://img.example.org/a/Photo%20one.JPG?x=1"
  ) throws -> String {
    let image = FeedImage(url: url, role: .topStory, storyID: "42", index: 3)
    let story = ExportIndex.Story(
      id: "42", title: title, author: "Ann · 3 min", date: "2020-06-15")
    let day = try #require(DayKey("20200616"))
    return try ExportNames(template).stem(of: image, in: story, day: day)
  }

  @Test func `each placeholder has its value`() throws {
    #expect(
      try name("{day} {date} {role} {id} {n} {host} {author} {name} {title}")
        == "20200616 2020-06-15 top 42 3 img.example.org Ann Photo one Title")
  }

  private static let names: [(text: String, name: String?)] = [
    ("a/b\\c:d*e?f\"g<h>i|j", "a b c d e f g h i j"), ("a\r\n\tb", "a b"), ("  a  ", "a"),
    ("...hidden", "hidden"), ("-rf", "rf"), ("--", nil), (" . - ", nil), ("a. .", "a"),
    ("a\u{0}b\u{1B}c", "abc"), ("e\u{301}", "\u{E9}"), ("知乎日报？", "知乎日报？"), ("", nil),
    ("\u{202E}gpj.exe", "gpj.exe"), ("\u{200D}", nil), ("\u{301}", nil), ("\u{FEFF}", nil),
    ("CON", "_CON"), ("con.txt", "_con.txt"), ("Com1", "_Com1"), ("LPT².x", "_LPT².x"),
    ("COM", "COM"), ("COM10", "COM10"), ("CONSOLE", "CONSOLE"), ("nul ", "_nul"), ("...", nil),
    ("aux .jpg", "_aux .jpg"), ("a\u{2028}b", "a b"), ("a\u{3000}b", "a b"), ("👨‍👩‍👧", "👨‍👩‍👧"),
  ]

  @Test(arguments: names)
  func `a title becomes a name that every file system takes, or the role and number do`(
    text: String, expected: String?
  ) throws {
    let name = try name(title: text)

    #expect(name.unicodeScalars.elementsEqual((expected ?? "top-42-3").unicodeScalars), "\(name)")
  }

  @Test(arguments: ["图", "👨‍👩‍👧", "e\u{323}\u{302}", "a"])
  func `a long title is cut between characters, and what follows it stays`(character: String)
    throws
  {
    let name = try name("{title}-{n}", title: String(repeating: character, count: 10_000))

    #expect(name.utf8.count <= 200 && name.utf8.count > 170)
    #expect(name.hasSuffix("-3"))
    #expect(name.dropLast(2).allSatisfy { String($0) == character })
  }

  @Test(arguments: ["", "{x}", "{title", "a}b", "{}", "{day}/{title}", "a\\b"])
  func `a wrong template names the placeholders there are`(template: String) {
    let error = #expect(throws: ImageError.self) { try ExportNames(template) }

    #expect(error?.code == .invalidArgument)
    #expect(error?.message.contains("{title} {name} {day}") == true)
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `a name of random text keeps the rules`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let signs = Array(
      "ab.- /\\:*?\"<>|\u{0}\u{7F}\u{85}\u{301}\u{200D}\u{202E}知é👍🏽🇨🇳CON1\u{E000}"
        .unicodeScalars)
    func joined(_ texts: [String]) -> String? {
      FileName.joined(texts.map { FileName.Part($0, isFixed: false) })
    }
    for round in 0..<200 {
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0..<150, using: &random) {
        text.append(signs.randomElement(using: &random) ?? "a")
      }
      let half = text.index(text.startIndex, offsetBy: text.count / 2)
      guard let name = joined([String(text[..<half]), String(text[half...])]) else { continue }
      let remark: Comment = "seed \(seed), round \(round): \(name.debugDescription)"
      #expect((1...200).contains(name.utf8.count), remark)
      #expect(!name.unicodeScalars.contains { "<>:\"/\\|?*".unicodeScalars.contains($0) }, remark)
      #expect(!name.unicodeScalars.contains { $0.properties.generalCategory == .control }, remark)
      #expect(![".", "-", " "].contains(name.first) && ![".", " "].contains(name.last), remark)
      // A name is what becomes of itself.
      #expect(joined([name])?.hasSuffix(name) == true, remark)
    }
  }

  @Test(arguments: [
    ("http://a/b/c.jpg?x=/d.png#e", "c"), ("http://a/b/.jpg", ".jpg"), ("http://a", ""),
    ("http://a/", ""), ("http://a/%E7%9F%A5.png", "知"), ("http://a/b.tar.gz", "b.tar"),
    ("http://a/x%2Fy.png", "x/y"), ("s3://bucket/k.png", "k"),
  ])
  func `the name of a URL is its last component without the extension`(url: String, name: String) {
    #expect(FileName.name(of: url) == name)
  }
}
