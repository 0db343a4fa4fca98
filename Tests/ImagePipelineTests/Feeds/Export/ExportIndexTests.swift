import Foundation
import ImageModel
import Testing

@testable import ImageFeeds
@testable import TestSupport

@Suite struct `The index of an exported day` {
  private let scratch: Scratch
  private var index: ExportIndex

  init() throws {
    scratch = try Scratch()
    index = ExportIndex(day: try #require(DayKey("20200616")))
  }

  private func text(of index: ExportIndex) -> String {
    String(decoding: index.text, as: UTF8.self)
  }

  /// Reads a text as the index of a folder.
  private func read(_ text: String) throws -> ExportIndex? {
    try scratch.write(text, to: "index.json")
    return ExportIndex(in: scratch.path, day: index.day)
  }

  private func image(_ url: String, file: String? = nil) -> ExportIndex.Image {
    var image = ExportIndex.Image(url: url, role: "story", storyID: "1")
    image.file = file
    return image
  }

  // MARK: Text

  @Test mutating func `an image and a story have a line each, with all their values`() {
    #expect(text(of: index) == "{\"day\":\"20200616\",\"images\":[\n\n]}\n")
    var full = image("u", file: "a.jpg")
    full.bytes = 3
    full.format = "jpeg"
    (full.width, full.height) = (4, 5)
    full.sha256 = "ab"
    (full.placeholder, full.failed) = (true, false)
    (full.title, full.author, full.link) = ("\"T\"\n", "A", "l")
    full.date = "2020-06-16"
    full.thumbnails = [.init(file: "t.jpg", width: 1, height: 2, sha256: "cd")]
    index["u"] = full
    index["v"] = image("v")
    index.add(.init(id: "1", title: "T", author: "A", link: "l", date: "d", text: "<p>"))
    index.add(.init(id: "2"))

    #expect(
      text(of: index) == #"""
        {"day":"20200616","images":[
        {"file":"a.jpg","url":"u","role":"story","story_id":"1","bytes":3,"format":"jpeg",\#
        "width":4,"height":5,"sha256":"ab","placeholder":true,"failed":false,"title":"\"T\"\n",\#
        "author":"A","link":"l","date":"2020-06-16",\#
        "thumbnails":[{"file":"t.jpg","width":1,"height":2,"sha256":"cd"}]},
        {"file":null,"url":"v","role":"story","story_id":"1"}
        ],"stories":[
        {"id":"1","title":"T","author":"A","link":"l","date":"d","text":"<p>"},
        {"id":"2"}
        ]}

        """#)
  }

  @Test mutating func `an index that is read and written again is the same`() throws {
    index["u"] = image("u", file: "图 \\ \"a\".jpg")
    index["v"] = image("v")
    index.add(.init(id: "1", title: "\u{2028}\u{0}", text: "<p>x</p>"))

    let again = try #require(try read(text(of: index)))

    #expect(text(of: again) == text(of: index))
  }

  @Test(arguments: [
    "", "[]", "{}", "{\"images\":{}}", "{\"images\":[{\"url\":\"u\"}]}", "{\"images\":[",
  ])
  func `anything else is not an index, and a link to one is not followed`(text: String) throws {
    #expect(try read(text) == nil)
    #expect(try read("{\"images\":[]}") != nil)
    try scratch.makeFolder("day")
    try scratch.link("day/index.json", to: "index.json")
    #expect(ExportIndex(in: scratch / "day", day: index.day) == nil)
  }

  // MARK: Images and stories

  @Test mutating func `a new entry of a URL takes the place of the former, byte for byte`() {
    let (composed, decomposed) = ("http://a/\u{E9}", "http://a/e\u{301}")
    index[composed] = image(composed)
    index[decomposed] = image(decomposed, file: "2.jpg")
    index[composed] = image(composed, file: "1.jpg")

    #expect(index.images.map(\.file) == ["1.jpg", "2.jpg"])
    #expect(index[composed]?.file == "1.jpg" && index["w"] == nil)
  }

  @Test mutating func `a story is known by its identifier and link, or title without one`() {
    index.add(.init(id: "1", title: "a", link: "l", text: "text"))
    index.add(.init(id: "1", title: "a", link: "m"))
    index.add(.init(id: "1", title: "a"))
    index.add(.init(id: "1", title: "b"))
    index.add(.init(id: "1", title: "c", link: "l"))

    #expect(index.stories.map(\.title) == ["c", "a", "a", "b"])
    // The new version had no text.
    #expect(index.stories.map(\.text) == ["text", nil, nil, nil])
  }

  @Test mutating func `a text has at most 1 MiB, all of a day 32, and a replaced one makes room`() {
    let text = String(repeating: "x", count: ExportIndex.maximumTextByteCount)
    index.add(.init(id: "0", text: text))
    index.add(.init(id: "-", text: text + "x"))
    index.add(.init(id: "0", text: text + "x"))
    #expect(index.stories.map { $0.text?.utf8.count } == [1 << 20, nil])

    for number in 1..<32 { index.add(.init(id: "\(number)", text: text)) }
    index.add(.init(id: "32", text: "y"))
    #expect(index.stories.last?.text == nil)
    index.add(.init(id: "0", text: "short"))
    index.add(.init(id: "32", text: "y"))
    #expect(index.stories.first?.text == "short" && index.stories.last?.text == "y")
  }
}
