import Foundation
import ImageModel
import Testing

@testable import ImageFeeds
@testable import TestSupport

@Suite struct `The folder of an exported day` {
  private let scratch: Scratch
  private let path: String

  init() throws {
    scratch = try Scratch()
    path = scratch / "20200616"
  }

  private func open() throws -> ExportFolder {
    try ExportFolder(scratch.path, day: try #require(DayKey("20200616")), links: false)
  }

  private func image(_ url: String) -> ExportIndex.Image {
    ExportIndex.Image(url: url, role: "story", storyID: "1")
  }

  /// Exports one image as a run of its own, and returns its entry in the index.
  @discardableResult private func export(
    _ url: String, _ text: String, stem: String = "image", extension suffix: String = "jpg",
    thumbnails: [ExportFolder.Thumbnail] = []
  ) throws -> ExportIndex.Image {
    let folder = try open()
    try folder.place(
      .bytes(Array(text.utf8)), stem: stem, extension: suffix, image(url), thumbnails: thumbnails)
    try folder.writeIndex()
    return try #require(folder.index[url])
  }

  private func file(_ url: String, _ text: String, stem: String = "image") throws -> String? {
    try export(url, text, stem: stem).file
  }

  private func write(_ text: String, to name: String) throws {
    try scratch.write(text, to: "20200616/\(name)")
  }

  private func text(of name: String) -> String? { try? scratch.text(of: "20200616/\(name)") }

  private func names() throws -> [String] { scratch.names(in: "20200616") }

  // MARK: Names

  @Test func `the entry of an image has its file, digest and length`() throws {
    let entry = try export("http://a/1", "abc")

    #expect(entry.file == "image.jpg" && entry.bytes == 3)
    #expect(
      entry.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(try names() == ["image.jpg", "index.json"])
  }

  @Test(arguments: ["other", "same"])
  func `images of other URLs have files of their own, also where case alone differs`(
    second: String
  ) throws {
    #expect(try file("http://a/1", "same") == "image.jpg")
    #expect(try file("http://a/2", second) == "image-2.jpg")
    #expect(try file("http://a/3", second) == "image-3.jpg")
    #expect(try file("http://a/4", second, stem: "Image") == "Image-4.jpg")
    #expect(text(of: "image.jpg") == "same" && text(of: "image-2.jpg") == second)
  }

  @Test func `a file of the user stays unless it has the bytes of the image`() throws {
    try write("mine", to: "image.jpg")
    try write("same", to: "other.jpg")
    try scratch.makeFolder("20200616/a.jpg")
    try scratch.link("20200616/b.jpg", to: "20200616/other.jpg")

    #expect(try file("http://a/1", "same") == "image-2.jpg")
    #expect(try file("http://a/2", "same", stem: "other") == "other.jpg")
    #expect(try file("http://a/3", "same", stem: "a") == "a-2.jpg")
    #expect(try file("http://a/4", "same", stem: "b") == "b-2.jpg")
    #expect(text(of: "image.jpg") == "mine")
  }

  // MARK: Later runs

  @Test func `a new version of an image replaces its file, unless the user changed it`() throws {
    try export("http://a/1", "old")

    #expect(try file("http://a/1", "new", stem: "title") == "image.jpg")
    #expect(text(of: "image.jpg") == "new")
    #expect(try names() == ["image.jpg", "index.json"])
    try write("edited", to: "image.jpg")
    #expect(try file("http://a/1", "newer") == "image-2.jpg")
    #expect(text(of: "image.jpg") == "edited" && text(of: "image-2.jpg") == "newer")
  }

  @Test func `another format has its ending, and a deleted file is made again under its name`()
    throws
  {
    try export("http://a/1", "1")
    try export("http://a/2", "2")
    try FileManager.default.removeItem(atPath: "\(path)/image-2.jpg")

    #expect(try file("http://a/2", "2") == "image-2.jpg")
    #expect(try export("http://a/1", "new", extension: "png").file == "image.png")
    #expect(try names() == ["image-2.jpg", "image.jpg", "image.png", "index.json"])
  }

  @Test(arguments: ["../image.jpg", "sub/image.jpg", ".image.jpg", "a\\nb.jpg"])
  func `a name in the index that is not one of the folder is not used`(name: String) throws {
    try write(
      #"{"images":[{"file":"\#(name)","url":"http://a/1","role":"story","story_id":"1"}]}"#,
      to: "index.json")

    #expect(try file("http://a/1", "1") == "image.jpg")
    #expect(try names() == ["image.jpg", "index.json"])
    #expect(scratch.names() == ["20200616"])
  }

  // MARK: The index

  @Test func `no image is written over the index, whatever an entry says`() throws {
    let line =
      #"{"file":"index.json","url":"http://a/1","role":"story","story_id":"1","bytes":90}"#
    try write(#"{"images":[\#(line)]}"#, to: "index.json")

    let entry = try export("http://a/1", "{}", stem: "index", extension: "json")

    #expect(entry.file == "index-2.json")
    #expect(text(of: "index-2.json") == "{}")
  }

  @Test func `an index that cannot be read is renamed, and earlier renamed ones stay`() throws {
    try write("not JSON", to: "index.json")
    try export("http://a/1", "1")
    try write("[]", to: "index.json")
    try export("http://a/2", "2")

    #expect(text(of: "index-damaged.json") == "not JSON")
    #expect(text(of: "index-damaged-2.json") == "[]")
    #expect(try names().count == 5)
  }

  @Test func `neither a failure nor a placeholder counts as the file of an image`() throws {
    try export("http://a/1", "1")
    let folder = try open()
    var (failed, placeholder) = (image("http://a/1"), image("http://a/3"))
    failed.failed = true
    placeholder.placeholder = true

    folder.record(failed)
    #expect(folder.hasFile(of: "http://a/1"))
    #expect(folder.index["http://a/1"]?.file == "image.jpg")
    #expect(folder.index["http://a/1"]?.failed == nil)
    failed.url = "http://a/2"
    folder.record(failed)
    #expect(folder.index["http://a/2"]?.failed == true)
    try folder.place(.bytes([1]), stem: "image", extension: "jpg", placeholder)
    for number in 2...4 { #expect(!folder.hasFile(of: "http://a/\(number)")) }
  }

  @Test func `a source that cannot be read is an error with the URL`() throws {
    let folder = try open()

    let error = #expect(throws: ImageError.self) {
      try folder.place(
        .file(path: scratch / "missing"), stem: "image", extension: "jpg", image("http://a/1"))
    }

    #expect(error?.code == .storeFailed)
    #expect(error?.message == "cannot export http://a/1: the file to copy cannot be read")
    #expect(try names() == [])
  }

  @Test func `thumbnails are named by image and size, and stay as long as the image is the same`()
    throws
  {
    try scratch.write("small", to: "small")
    let entry = try export(
      "http://a/1", "1", stem: "a.b",
      thumbnails: [
        .init(path: scratch / "small", size: PixelSize(width: 400, height: 300), suffix: "webp"),
        .init(path: scratch / "evicted", size: PixelSize(width: 8, height: 6), suffix: "webp"),
      ])

    let thumbnail = try #require(entry.thumbnails?.first)
    #expect(thumbnail.file == "thumbs/a.b-400x300.webp" && entry.thumbnails?.count == 1)
    #expect(thumbnail.width == 400 && thumbnail.height == 300)
    #expect(text(of: thumbnail.file) == "small")
    #expect(try export("http://a/1", "1").thumbnails?.map(\.file) == [thumbnail.file])
    #expect(try export("http://a/1", "2").thumbnails == nil)
  }
}
