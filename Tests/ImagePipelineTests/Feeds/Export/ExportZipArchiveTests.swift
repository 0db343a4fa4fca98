import Foundation
import ImageModel
import Testing

@testable import ImageFeeds
@testable import TestSupport

@Suite struct `The ZIP archive of a folder` {
  private let scratch: Scratch
  private let zip: String

  init() throws {
    scratch = try Scratch()
    zip = scratch / "days.zip"
  }

  /// The bytes of an archive of these files.
  @discardableResult
  private func write(
    _ files: KeyValuePairs<String, String>, comment: String = ""
  ) throws -> [UInt8] {
    for (name, text) in files { try scratch.write(text, to: "days/\(name)") }
    try ZipArchive.write(scratch / "days", to: zip, comment: comment)
    return [UInt8](try Data(contentsOf: URL(filePath: zip)))
  }

  private func files(of folder: String) throws -> [String] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
    return names.filter { $0.contains(".") }.sorted()
  }

  // MARK: Writing

  @Test func `extracting gives the files that were written, and no symbolic link`() throws {
    try scratch.makeFolder("days/20200616")
    try scratch.link("days/20200616/b.jpg", to: "days/index.html")
    try write([
      "index.html": "overview", "20200616/为什么.jpg": "image", "20200616/thumbs/a-1x1.jpg": "",
    ])

    let copy = scratch / "copy"
    try ZipArchive.extract(zip, to: copy)

    #expect(
      try files(of: copy) == ["20200616/thumbs/a-1x1.jpg", "20200616/为什么.jpg", "index.html"])
    for name in try files(of: copy) {
      #expect(try scratch.text(of: "copy/\(name)") == scratch.text(of: "days/\(name)"))
    }
  }

  @Test(arguments: [
    ("20200616/a.jpg", "20200617/a.jpg", 40, 6, 16), ("0.jpg", "20200617/a.jpg", 40, 6, 17),
    ("0.jpg", "1.jpg", 0, 1, 1),
  ])
  func `the time of a file is its day, else the newest day, else the first of ZIP`(
    first: String, second: String, years: Int, month: Int, day: Int
  ) throws {
    let bytes = try write([first: "1", second: "2"])

    // The time and the date in the header of the first file.
    let date = UInt16(years << 9 | month << 5 | day)
    #expect(bytes[10..<14].elementsEqual([0, 0, UInt8(date & 0xFF), UInt8(date >> 8)]))
  }

  @Test(arguments: [
    ("a.html", 8), ("a.json", 8), ("a.txt", 8), ("图.jpg", 0), ("a.png", 0), ("html", 0),
    ("a.HTML", 0),
  ])
  func `texts are deflated, images are stored, and names are marked as UTF-8`(
    name: String, method: UInt8
  ) throws {
    let bytes = try write([name: String(repeating: "a", count: 1000)])

    #expect(bytes[8] == method)
    #expect(bytes[7] & 8 == 8)
    #expect(bytes[30...].starts(with: name.utf8))
  }

  @Test func `a file that cannot be created is named with the reason`() throws {
    let path = scratch / "missing/days.zip"

    let error = #expect(throws: ImageError.self) {
      try ZipArchive.write(scratch / "days", to: path, comment: "")
    }

    #expect(error?.code == .storeFailed)
    #expect(error?.message == "cannot write \(path): No such file or directory")
  }

  // MARK: Comments

  @Test(arguments: ["", "imgcache export", "为什么", String(repeating: "c", count: 1024)])
  func `a whole file has the comment that it was written with, and no other`(comment: String)
    throws
  {
    let bytes = try write(["a.jpg": "image"], comment: comment)

    for other in ["", "imgcache export", "export", comment] {
      #expect(ZipArchive.hasComment(other, zip) == (other == comment))
    }
    for cut in [Array(bytes.dropLast()), bytes + [0], Array(bytes.prefix(21)), []] {
      try Data(cut).write(to: URL(filePath: zip))
      #expect(!ZipArchive.hasComment("imgcache export", zip), "\(cut.count) bytes")
    }
    #expect(!ZipArchive.hasComment("", scratch / "missing.zip"))
    #expect(!ZipArchive.hasComment("", scratch.path))
  }

  // MARK: Extracting

  @Test(arguments: ["", "PK", "not a ZIP file, and longer than the record at the end of one"])
  func `a file that is not a ZIP file is damaged`(text: String) throws {
    try scratch.write(text, to: "days.zip")

    try expectRefusal("it is damaged")
  }

  @Test(arguments: [
    ("content", "context", "20200616/a.jpg is damaged"),
    ("20200616/b.jpg", "20200616/a.jpg", "20200616/a.jpg cannot be kept"),
    // A file in place of a folder.
    ("c.jpgx/c", "0.jpg/xc", "0.jpg/xc cannot be kept"),
    ("20200616/a.jpg", "../00616/a.jpg", "../00616/a.jpg cannot be kept"),
    ("20200616/a.jpg", "./200616/a.jpg", "./200616/a.jpg cannot be kept"),
    ("20200616/a.jpg", "/0200616/a.jpg", "/0200616/a.jpg cannot be kept"),
    ("20200616/a.jpg", "20200616//.jpg", "20200616//.jpg cannot be kept"),
    ("20200616/a.jpg", "20200616\\a.jpg", "20200616\\a.jpg cannot be kept"),
    ("20200616/a.jpg", "20200616/../..", "20200616/../.. cannot be kept"),
    ("20200616/a.jpg", "20200616/abc/.", "20200616/abc/. cannot be kept"),
  ])
  func `other content, a name that leads elsewhere and one that is taken are refused`(
    text: String, other: String, reason: String
  ) throws {
    var bytes = try write([
      "0.jpg": "0", "20200616/a.jpg": "content", "20200616/b.jpg": "2", "c.jpgx/c": "3",
    ])
    try #require(text.utf8.count == other.utf8.count)
    for place in bytes.indices where bytes[place...].starts(with: text.utf8) {
      bytes.replaceSubrange(place..<(place + text.utf8.count), with: other.utf8)
    }
    try Data(bytes).write(to: URL(filePath: zip))
    let before = try files(of: scratch.path)

    try expectRefusal("its entry \(reason)")
    // What came before it may be in the folder.
    #expect(try files(of: scratch.path).filter { !$0.hasPrefix("deep/copy/") } == before)
  }

  private func expectRefusal(_ reason: String) throws {
    let error = #expect(throws: ImageError.self) {
      try ZipArchive.extract(zip, to: scratch / "deep/copy")
    }

    #expect(error?.code == .storeFailed)
    #expect(
      error?.message
        == "cannot add to \(zip): \(reason); export to another file, or remove this one")
  }
}
