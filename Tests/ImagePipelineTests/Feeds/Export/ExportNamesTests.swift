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
    #expect(try name("{title}", title: "为什么？") == "为什么？")
  }

  @Test(arguments: [
    ("a/b\\c:d*e?f\"g<h>i|j", "a b c d e f g h i j"), ("..hidden", "hidden"), ("-rf", "rf"),
    ("end. . ", "end"), ("a\u{202E}gpj\u{0}.b\n c", "agpj.b c"), ("con", "_con"),
    ("COM1.x", "_COM1.x"), ("nul", "_nul"), ("e\u{301}", "\u{E9}"), ("", "top-42-3"),
    ("\u{200D}", "top-42-3"), ("...", "top-42-3"), ("👨‍👩‍👧", "👨‍👩‍👧"),
  ])
  func `a title becomes a name that every file system takes`(title: String, expected: String)
    throws
  {
    let name = try name(title: title)
    #expect(name.unicodeScalars.elementsEqual(expected.unicodeScalars), "\(name)")
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
}
