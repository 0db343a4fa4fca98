import Foundation
import ImageModel
import Testing

@testable import ImageFeeds
@testable import TestSupport

@Suite struct `The overview of exported days` {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func add(
    _ day: String, images: [ExportIndex.Image] = [], titles: [String] = []
  ) throws {
    var index = ExportIndex(day: try #require(DayKey(day)))
    for image in images { index[image.url] = image }
    for (number, title) in titles.enumerated() { index.add(.init(id: "\(number)", title: title)) }
    try scratch.write(String(decoding: index.text, as: UTF8.self), to: "\(day)/index.json")
  }

  private func image(
    _ url: String, file: String? = nil, width: Int = 800, isPlaceholder: Bool? = nil
  ) -> ExportIndex.Image {
    var image = ExportIndex.Image(url: url, role: "story", storyID: "1")
    (image.file, image.width, image.height) = (file, width, 600)
    image.placeholder = isPlaceholder
    return image
  }

  private func days() -> [Substring] {
    ExportOverview(of: scratch.path).html.split(separator: "<article class=\"day\">")
      .dropFirst().map { $0 }
  }

  @Test func `the newest day is the first, and each links to its own page`() throws {
    for day in ["20200615", "20200617", "20200616"] { try add(day) }
    try scratch.write("mine", to: "20200616/index.html")

    let html = ExportOverview(of: scratch.path).html

    #expect(
      html.matches(of: #/<h2><a href="([^"]*)">([^<]*)</a></h2>/#).map { "\($0.1) \($0.2)" } == [
        "20200617/index.html June 17, 2020", "20200616/index-2.html June 16, 2020",
        "20200615/index.html June 15, 2020",
      ])
    #expect(html.contains("<header><h1>Daily archive</h1><p>3 days</p></header>"))
  }

  @Test func `only folders that are named as days and have an index count`() throws {
    #expect(ExportOverview(of: scratch.path).isEmpty)
    #expect(ExportOverview(of: scratch / "missing").isEmpty)
    for name in ["2020-06-11", "20200231", "days"] {
      try scratch.write("{\"images\":[]}", to: "\(name)/index.json")
    }
    try scratch.write("not JSON", to: "20200610/index.json")
    try add("20200611")
    try scratch.link("20200612", to: "20200611")

    #expect(days().count == 1)
    #expect(days().first?.contains("20200611/index.html") == true)
  }

  @Test func `a day has its counts and the first three titles that are not empty`() throws {
    try add(
      "20200616", images: [image("u"), image("v")], titles: ["<a>", "", "B", "C\nc", "D"])

    let day = try #require(days().first)

    #expect(day.contains("<p class=\"by\">5 stories · 2 images</p>"))
    #expect(
      day.contains(
        #"<ul class="titles"><li dir="auto">&lt;a&gt;</li><li dir="auto">B</li>"#
          + #"<li dir="auto">C c</li></ul>"#))
  }

  @Test func `the cover is the first image that is large enough, else the first`() throws {
    let none = [image("m"), image("p", file: "p.jpg", isPlaceholder: true)]
    let small = none + [image("s", file: "s.jpg", width: 100)]
    try add("20200617", images: small + [image("l", file: "l.jpg")])
    try add("20200616", images: small)
    try add("20200615", images: none)

    let days = days()

    try #require(days.count == 3)
    #expect(days[0].contains("<div class=\"cover\"><img src=\"20200617/l.jpg\""))
    #expect(days[1].contains("<div class=\"cover small\"><img src=\"20200616/s.jpg\""))
    #expect(!days[2].contains("<img"))
  }
}
