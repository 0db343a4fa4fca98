import Foundation
import ImageModel
import Testing

@testable import ImageFeeds
@testable import TestSupport

@Suite struct `The index of an exported day` {
  private let scratch: Scratch
  private let day: DayKey

  init() throws {
    scratch = try Scratch()
    day = try #require(DayKey("20200616"))
  }

  private func text(of index: ExportIndex) -> String {
    String(decoding: index.text, as: UTF8.self)
  }

  /// Reads a text as the index of a folder.
  private func read(_ text: String) throws -> ExportIndex? {
    try Data(text.utf8).write(to: URL(filePath: scratch / "index.json"))
    return ExportIndex(in: scratch.path, day: day)
  }

  private func image(_ url: String, file: String? = nil) -> ExportIndex.Image {
    var image = ExportIndex.Image(url: url, role: "story", storyID: "1")
    image.file = file
    return image
  }

  // MARK: Text

  @Test func `an empty index has no stories`() {
    #expect(text(of: ExportIndex(day: day)) == "{\"day\":\"20200616\",\"images\":[\n\n]}\n")
  }

  @Test func `a missing file is null, and other missing values are left out`() {
    var index = ExportIndex(day: day)
    index["u"] = image("u")

    #expect(
      text(of: index)
        == "{\"day\":\"20200616\",\"images\":[\n"
        + "{\"file\":null,\"url\":\"u\",\"role\":\"story\",\"story_id\":\"1\"}\n]}\n")
  }

  @Test func `an image and a story have a line each, with all their values`() {
    var full = image("u", file: "a.jpg")
    full.bytes = 3
    full.format = "jpeg"
    full.width = 4
    full.height = 5
    full.sha256 = "ab"
    full.placeholder = true
    full.failed = false
    full.title = "\"T\"\n"
    full.author = "A"
    full.link = "l"
    full.date = "2020-06-16"
    full.thumbnails = [.init(file: "t.jpg", width: 1, height: 2, sha256: "cd")]
    var index = ExportIndex(day: day)
    index["u"] = full
    index["v"] = image("v")
    index.add(.init(id: "1", title: "T", author: "A", link: "l", date: "d", text: "<p>"))
    index.add(.init(id: "2"))

    let lines = text(of: index).split(separator: "\n")

    #expect(lines.count == 7)
    #expect(
      lines[1] == #"{"file":"a.jpg","url":"u","role":"story","story_id":"1","bytes":3,"#
        + #""format":"jpeg","width":4,"height":5,"sha256":"ab","placeholder":true,"#
        + #""failed":false,"title":"\"T\"\n","author":"A","link":"l","date":"2020-06-16","#
        + #""thumbnails":[{"file":"t.jpg","width":1,"height":2,"sha256":"cd"}]},"#)
    #expect(lines[3] == #"],"stories":["#)
    #expect(
      lines[4]
        == #"{"id":"1","title":"T","author":"A","link":"l","date":"d","text":"<p>"},"#)
    #expect(lines[5] == #"{"id":"2"}"#)
    #expect(lines[6] == "]}")
  }

  @Test func `an index that is read and written again is the same`() throws {
    var index = ExportIndex(day: day)
    index["u"] = image("u", file: "图 \\ \"a\".jpg")
    index["v"] = image("v")
    index.add(.init(id: "1", title: "\u{2028}\u{0}", text: "<p>x</p>"))

    let again = try #require(try read(text(of: index)))

    #expect(text(of: again) == text(of: index))
  }

  @Test(arguments: [
    "", "[]", "{}", "{\"images\":{}}", "{\"images\":[{\"url\":\"u\"}]}", "{\"images\":[",
  ])
  func `anything else is not an index`(text: String) throws {
    #expect(try read(text) == nil)
  }

  @Test func `an index of an older version has no stories`() throws {
    let index = try #require(
      try read(#"{"images":[{"file":null,"url":"u","role":"top","story_id":"7"}]}"#))

    #expect(index.images.map(\.url) == ["u"])
    #expect(index.images.map(\.storyID) == ["7"])
    #expect(index.stories.isEmpty)
  }

  @Test func `a link in place of an index is not followed`() throws {
    _ = try read("{\"images\":[]}")
    let folder = scratch / "day"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder)/index.json", withDestinationPath: scratch / "index.json")

    #expect(ExportIndex(in: folder, day: day) == nil)
  }

  // MARK: Images

  @Test func `a new entry of a URL takes the place of the former`() {
    var index = ExportIndex(day: day)
    index["u"] = image("u")
    index["v"] = image("v")
    index["u"] = image("u", file: "a.jpg")

    #expect(index.images.map(\.url) == ["u", "v"])
    #expect(index["u"]?.file == "a.jpg")
    #expect(index["w"] == nil)
  }

  @Test func `URLs that differ in their bytes are different`() {
    let (composed, decomposed) = ("http://a/\u{E9}", "http://a/e\u{301}")
    var index = ExportIndex(day: day)
    index[composed] = image(composed, file: "1.jpg")
    index[decomposed] = image(decomposed, file: "2.jpg")

    #expect(index.images.count == 2)
    #expect(index[composed]?.file == "1.jpg")
  }

  // MARK: Stories

  @Test func `a story is replaced by its next version, whose text may be missing`() {
    var index = ExportIndex(day: day)
    index.add(.init(id: "1", title: "old", link: "l", text: "text"))
    index.add(.init(id: "2"))
    index.add(.init(id: "1", title: "new", link: "l"))

    #expect(index.stories.map(\.title) == ["new", nil])
    #expect(index.stories.map(\.text) == ["text", nil])
  }

  @Test func `one identifier with another link, or another title without one, is another story`() {
    var index = ExportIndex(day: day)
    index.add(.init(id: "1", title: "a", link: "l"))
    index.add(.init(id: "1", title: "a", link: "m"))
    index.add(.init(id: "1", title: "a"))
    index.add(.init(id: "1", title: "b"))
    index.add(.init(id: "1", title: "c", link: "m"))

    #expect(index.stories.map(\.title) == ["a", "c", "a", "b"])
  }

  @Test func `a text above 1 MiB is left out, and the former one stays`() {
    let limit = String(repeating: "x", count: ExportIndex.maximumTextByteCount)
    var index = ExportIndex(day: day)
    index.add(.init(id: "1", text: limit))
    index.add(.init(id: "2", text: limit + "x"))
    index.add(.init(id: "1", text: limit + "x"))

    #expect(index.stories.map { $0.text?.utf8.count } == [1 << 20, nil])
  }

  @Test func `all texts of a day have at most 32 MiB, and one that is replaced makes room`() {
    let text = String(repeating: "x", count: ExportIndex.maximumTextByteCount)
    var index = ExportIndex(day: day)
    for number in 0..<32 { index.add(.init(id: "\(number)", text: text)) }
    index.add(.init(id: "32", text: "y"))
    #expect(index.stories.last?.text == nil)

    index.add(.init(id: "0", text: "short"))
    index.add(.init(id: "32", text: "y"))

    #expect(index.stories.first?.text == "short")
    #expect(index.stories.last?.text == "y")
  }
}
