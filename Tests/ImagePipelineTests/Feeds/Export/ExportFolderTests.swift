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

  /// Exports one image as a run of its own, and returns its entry in the index.
  @discardableResult private func export(
    _ url: String, _ text: String, stem: String = "image", extension suffix: String = "jpg"
  ) throws -> ExportIndex.Image {
    let folder = try open()
    try folder.place(
      .bytes(Array(text.utf8)), stem: stem, extension: suffix,
      ExportIndex.Image(url: url, role: "story", storyID: "1"))
    try folder.writeIndex()
    return try #require(folder.index[url])
  }

  private func write(_ text: String, to name: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)"))
  }

  private func text(of name: String) -> String? {
    ExportFile.read("\(path)/\(name)").map { String(decoding: $0, as: UTF8.self) }
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }

  // MARK: Names

  @Test func `the entry of an image has its file, digest and length`() throws {
    let entry = try export("http://a/1", "abc")

    #expect(entry.file == "image.jpg")
    #expect(
      entry.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(entry.bytes == 3)
    #expect(try names() == ["image.jpg", "index.json"])
  }

  @Test(arguments: ["other", "same"])
  func `images of other URLs have files of their own`(second: String) throws {
    try export("http://a/1", "same")

    let entries = [try export("http://a/2", second), try export("http://a/3", second)]

    #expect(entries.map(\.file) == ["image-2.jpg", "image-3.jpg"])
    #expect(text(of: "image.jpg") == "same")
    #expect(text(of: "image-2.jpg") == second)
  }

  @Test func `names that differ in case only are kept apart`() throws {
    try export("http://a/1", "1", stem: "Image")

    #expect(try export("http://a/2", "2", stem: "image").file == "image-2.jpg")
    #expect(try export("http://a/3", "3", stem: "IMAGE").file == "IMAGE-3.jpg")
  }

  @Test func `a file of the user stays unless it has the bytes of the image`() throws {
    try write("mine", to: "image.jpg")
    try write("same", to: "other.jpg")

    #expect(try export("http://a/1", "same").file == "image-2.jpg")
    #expect(try export("http://a/2", "same", stem: "other").file == "other.jpg")
    #expect(text(of: "image.jpg") == "mine")
  }

  @Test func `a folder or link in place of a file stays`() throws {
    try write("linked", to: "target")
    try FileManager.default.createDirectory(
      atPath: "\(path)/a.jpg", withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: "\(path)/b.jpg", withDestinationPath: "\(path)/target")

    #expect(try export("http://a/1", "linked", stem: "a").file == "a-2.jpg")
    #expect(try export("http://a/2", "linked", stem: "b").file == "b-2.jpg")
    #expect(text(of: "target") == "linked")
  }

  // MARK: Later runs

  @Test func `a new version of an image replaces its file, under any template of names`() throws {
    try export("http://a/1", "old")

    let entry = try export("http://a/1", "new", stem: "title")

    #expect(entry.file == "image.jpg")
    #expect(text(of: "image.jpg") == "new")
    #expect(try names() == ["image.jpg", "index.json"])
  }

  @Test func `a file that the user changed stays, and the image gets another name`() throws {
    try export("http://a/1", "old")
    try write("edited", to: "image.jpg")

    let entry = try export("http://a/1", "new")

    #expect(entry.file == "image-2.jpg")
    #expect(text(of: "image.jpg") == "edited")
    #expect(text(of: "image-2.jpg") == "new")
  }

  @Test func `an image of another format gets the ending of that format`() throws {
    try export("http://a/1", "old")

    let entry = try export("http://a/1", "new", extension: "png")

    #expect(entry.file == "image.png")
    #expect(try names() == ["image.jpg", "image.png", "index.json"])
  }

  @Test func `a deleted file is made again under its name`() throws {
    try export("http://a/1", "1")
    try export("http://a/2", "2")
    try FileManager.default.removeItem(atPath: "\(path)/image-2.jpg")

    #expect(try export("http://a/2", "2").file == "image-2.jpg")
    #expect(text(of: "image-2.jpg") == "2")
  }

  @Test func `a file whose digest an older version did not record is known by its length`() throws {
    try write("old", to: "image.jpg")
    let line = #"{"file":"image.jpg","url":"http://a/1","role":"story","story_id":"1","bytes":3}"#
    try write(#"{"images":[\#(line)]}"#, to: "index.json")

    #expect(try export("http://a/1", "newer").file == "image.jpg")
    #expect(text(of: "image.jpg") == "newer")
  }

  @Test(arguments: ["../image.jpg", "sub/image.jpg", ".image.jpg", "a\\nb.jpg"])
  func `a name in the index that is not one of the folder is not used`(name: String) throws {
    try write(
      #"{"images":[{"file":"\#(name)","url":"http://a/1","role":"story","story_id":"1"}]}"#,
      to: "index.json")

    #expect(try export("http://a/1", "1").file == "image.jpg")
    #expect(try names() == ["image.jpg", "index.json"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["20200616"])
  }

  @Test func `no image is written over the index, whatever an entry says`() throws {
    let line =
      #"{"file":"index.json","url":"http://a/1","role":"story","story_id":"1","bytes":90}"#
    try write(#"{"images":[\#(line)]}"#, to: "index.json")

    let entry = try export("http://a/1", "{}", stem: "index", extension: "json")

    #expect(entry.file == "index-2.json")
    #expect(text(of: "index-2.json") == "{}")
  }

  // MARK: The index

  @Test func `an index that cannot be read is renamed, and earlier renamed ones stay`() throws {
    try write("not JSON", to: "index.json")
    try export("http://a/1", "1")
    try write("[]", to: "index.json")
    try export("http://a/2", "2")

    #expect(text(of: "index-damaged.json") == "not JSON")
    #expect(text(of: "index-damaged-2.json") == "[]")
    #expect(
      try names() == [
        "image-2.jpg", "image.jpg", "index-damaged-2.json", "index-damaged.json", "index.json",
      ])
  }

  @Test func `a failure does not replace the file of an earlier run`() throws {
    try export("http://a/1", "1")
    let folder = try open()
    var failed = ExportIndex.Image(url: "http://a/1", role: "story", storyID: "1")
    failed.failed = true

    folder.note(failed)
    #expect(folder.hasFile(of: "http://a/1"))
    #expect(folder.index["http://a/1"]?.file == "image.jpg")
    #expect(folder.index["http://a/1"]?.failed == nil)

    failed.url = "http://a/2"
    folder.note(failed)
    #expect(!folder.hasFile(of: "http://a/2"))
    #expect(folder.index["http://a/2"]?.failed == true)
  }

  @Test func `a placeholder is not a file of the image`() throws {
    let folder = try open()
    var entry = ExportIndex.Image(url: "http://a/1", role: "story", storyID: "1")
    entry.placeholder = true

    try folder.place(.bytes([1]), stem: "image", extension: "jpg", entry)

    #expect(!folder.hasFile(of: "http://a/1"))
    #expect(!folder.hasFile(of: "http://a/unknown"))
  }

  @Test func `a source that cannot be read is an error with the URL`() throws {
    let folder = try open()

    let error = #expect(throws: ImageError.self) {
      try folder.place(
        .file(path: scratch / "missing"), stem: "image", extension: "jpg",
        ExportIndex.Image(url: "http://a/1", role: "story", storyID: "1"))
    }

    #expect(error?.code == .storeFailed)
    #expect(error?.message == "cannot export http://a/1: the file to copy cannot be read")
    #expect(try names() == [])
  }

  // MARK: Thumbnails

  @Test func `thumbnails are named by the image and their size; evicted ones are left out`() throws
  {
    try write("small", to: "../small")
    let folder = try open()

    try folder.place(
      .bytes([1]), stem: "a.b", extension: "jpg",
      ExportIndex.Image(url: "http://a/1", role: "story", storyID: "1"),
      thumbnails: [
        .init(path: scratch / "small", size: PixelSize(width: 400, height: 300), suffix: "webp"),
        .init(path: scratch / "gone", size: PixelSize(width: 800, height: 600), suffix: "webp"),
      ])

    let thumbnails = try #require(folder.index["http://a/1"]?.thumbnails)
    #expect(thumbnails.map(\.file) == ["thumbs/a.b-400x300.webp"])
    #expect(thumbnails.map(\.width) == [400])
    #expect(thumbnails.map(\.height) == [300])
    #expect(text(of: "thumbs/a.b-400x300.webp") == "small")
  }

  @Test func `thumbnails stay in the index as long as the image is the same`() throws {
    try write("small", to: "../small")
    do {
      let folder = try open()
      try folder.place(
        .bytes(Array("1".utf8)), stem: "image", extension: "jpg",
        ExportIndex.Image(url: "http://a/1", role: "story", storyID: "1"),
        thumbnails: [
          .init(path: scratch / "small", size: PixelSize(width: 4, height: 3), suffix: "webp")
        ])
      try folder.writeIndex()
    }

    let same = try export("http://a/1", "1")
    let changed = try export("http://a/1", "2")

    #expect(same.thumbnails?.map(\.file) == ["thumbs/image-4x3.webp"])
    #expect(changed.thumbnails == nil)
  }
}
