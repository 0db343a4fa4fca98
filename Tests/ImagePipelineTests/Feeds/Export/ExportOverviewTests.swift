import Foundation
import ImageModel
import Testing

@testable import ImageFeeds
@testable import TestSupport

@Suite struct `The overview of exported days` {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func add(
    _ day: String, images: [ExportIndex.Image] = [], stories: [ExportIndex.Story] = []
  ) throws {
    try ExportFile.makeFolder(scratch / day)
    var index = ExportIndex(day: try #require(DayKey(day)))
    for image in images { index[image.url] = image }
    for story in stories { index.add(story) }
    try Data(index.text).write(to: URL(filePath: scratch / "\(day)/index.json"))
  }

  private func image(
    _ url: String, file: String? = nil, story: String = "1", width: Int = 800
  ) -> ExportIndex.Image {
    var image = ExportIndex.Image(url: url, role: "story", storyID: story)
    image.file = file
    image.width = width
    image.height = 600
    return image
  }

  private func days() -> [Substring] {
    ExportOverview(of: scratch.path).html.split(separator: "<article class=\"day\">")
      .dropFirst().map { $0 }
  }

  @Test func `the newest day is the first, and each links to its own page`() throws {
    for day in ["20200615", "20200617", "20200616"] { try add(day) }
    try Data("mine".utf8).write(to: URL(filePath: scratch / "20200616/index.html"))

    let html = ExportOverview(of: scratch.path).html

    #expect(
      html.matches(of: #/<h2><a href="([^"]*)">([^<]*)</a></h2>/#).map { "\($0.1) \($0.2)" } == [
        "20200617/index.html June 17, 2020", "20200616/index-2.html June 16, 2020",
        "20200615/index.html June 15, 2020",
      ])
    #expect(html.contains("<header><h1>Daily archive</h1><p>3 days</p></header>"))
  }

  @Test func `only folders that are named as days and have an index count`() throws {
    try ExportFile.makeFolder(scratch / "20200610")
    try ExportFile.makeFolder(scratch / "20200231")
    try add("20200611")
    for name in ["2020-06-11", "20200231", "days"] {
      try ExportFile.makeFolder(scratch / name)
      try Data("{\"images\":[]}".utf8).write(to: URL(filePath: scratch / "\(name)/index.json"))
    }
    try FileManager.default.createSymbolicLink(
      atPath: scratch / "20200612", withDestinationPath: scratch / "20200611")
    try Data("not JSON".utf8).write(to: URL(filePath: scratch / "20200610/index.json"))

    let days = days()

    #expect(days.count == 1)
    #expect(days.first?.contains("20200611/index.html") == true)
  }

  @Test func `a folder without days, or that is missing, is empty`() {
    #expect(ExportOverview(of: scratch.path).isEmpty)
    #expect(ExportOverview(of: scratch / "missing").isEmpty)
  }

  @Test func `a day has its counts and the first three titles that are not empty`() throws {
    try add(
      "20200616", images: [image("u"), image("v")],
      stories: ["<a>", "", "B", "C\nc", "D"].enumerated().map {
        .init(id: "\($0)", title: $1)
      })

    let day = try #require(days().first)

    #expect(day.contains("<p class=\"by\">5 stories · 2 images</p>"))
    #expect(
      day.contains(
        #"<ul class="titles"><li dir="auto">&lt;a&gt;</li><li dir="auto">B</li>"#
          + #"<li dir="auto">C c</li></ul>"#))
  }

  @Test func `the stories of an older index are those that its images name`() throws {
    var (first, second, third) = (image("u"), image("v"), image("w", story: "2"))
    first.title = "B"
    second.title = "B"
    third.title = "A"
    try add("20200616", images: [first, second, third])

    let day = try #require(days().first)

    #expect(day.contains("<p class=\"by\">2 stories · 3 images</p>"))
    #expect(
      day.contains(#"<ul class="titles"><li dir="auto">A</li><li dir="auto">B</li></ul>"#))
  }

  @Test func `the cover is the first image that is large enough, else the first`() throws {
    var placeholder = image("p", file: "p.jpg")
    placeholder.placeholder = true
    let small = image("s", file: "s.jpg", width: 100)
    try add("20200617", images: [image("m"), placeholder, small, image("l", file: "l.jpg")])
    try add("20200616", images: [image("m"), placeholder, small])
    try add("20200615", images: [image("m"), placeholder])

    let days = days()

    try #require(days.count == 3)
    #expect(days[0].contains("<div class=\"cover\"><img src=\"20200617/l.jpg\""))
    #expect(days[1].contains("<div class=\"cover small\"><img src=\"20200616/s.jpg\""))
    #expect(!days[2].contains("<img"))
  }

  @Test func `the covers of the first six days are loaded at once`() throws {
    for day in 10...17 { try add("202006\(day)", images: [image("u", file: "u.jpg")]) }

    #expect(
      days().map { $0.contains("loading=\"lazy\"") }
        == [false, false, false, false, false, false, true, true])
  }
}
