import Foundation
import ImageModel
import Testing

@testable import ImageFeeds
@testable import TestSupport

@Suite struct `The ZIP archive of a folder` {
  private let scratch: Scratch
  private let folder: String
  private let zip: String

  init() throws {
    scratch = try Scratch()
    folder = scratch / "days"
    zip = scratch / "days.zip"
  }

  private func add(_ name: String, _ text: String) throws {
    let path = URL(filePath: "\(folder)/\(name)")
    try FileManager.default.createDirectory(
      at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: path)
  }

  private func write(comment: String = "") throws -> [UInt8] {
    try ZipArchive.write(folder, to: zip, comment: comment)
    return [UInt8](try Data(contentsOf: URL(filePath: zip)))
  }

  /// Replaces a name, or content, by one of the same length wherever the archive has it.
  private func replace(_ text: String, with other: String) throws {
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: zip)))
    let (old, new) = (Array(text.utf8), Array(other.utf8))
    try #require(old.count == new.count)
    for place in 0...(bytes.count - old.count)
    where bytes[place..<(place + old.count)].elementsEqual(old) {
      bytes.replaceSubrange(place..<(place + old.count), with: new)
    }
    try Data(bytes).write(to: URL(filePath: zip))
  }

  private func files(of folder: String) throws -> [String] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
    return names.filter { $0.contains(".") }.sorted()
  }

  private func damaged(_ reason: String) -> String {
    "cannot add to \(zip): \(reason); export to another file, or remove this one"
  }

  // MARK: Writing

  @Test func `extracting gives the files that were written`() throws {
    try add("index.html", "overview")
    try add("20200616/为什么.jpg", "image")
    try add("20200616/thumbs/a-1x1.jpg", "")
    _ = try write()

    let copy = scratch / "copy"
    try ZipArchive.extract(zip, to: copy)

    #expect(
      try files(of: scratch / "copy")
        == ["20200616/thumbs/a-1x1.jpg", "20200616/为什么.jpg", "index.html"])
    for name in try files(of: scratch / "copy") {
      #expect(
        FileManager.default.contentsEqual(atPath: "\(copy)/\(name)", andPath: "\(folder)/\(name)"))
    }
  }

  @Test func `equal folders give equal bytes`() throws {
    try add("20200616/a.jpg", "image")
    try add("20200616/index.json", "{}")
    let first = try write()
    try FileManager.default.removeItem(atPath: folder)
    try add("20200616/index.json", "{}")
    try add("20200616/a.jpg", "image")

    let second = try write()

    #expect(first == second)
  }

  @Test(arguments: [
    ("20200616/a.jpg", "20200617/a.jpg", 40, 6, 16),
    ("0.jpg", "20200617/a.jpg", 40, 6, 17),
    ("0.jpg", "1.jpg", 0, 1, 1),
  ])
  func `the time of a file is its day, else the newest day, else the first of ZIP`(
    first: String, second: String, years: Int, month: Int, day: Int
  ) throws {
    try add(first, "1")
    try add(second, "2")

    let bytes = try write()

    // The time and the date in the header of the first file.
    let date = UInt16(years << 9 | month << 5 | day)
    #expect(bytes[10..<14].elementsEqual([0, 0, UInt8(date & 0xFF), UInt8(date >> 8)]))
  }

  @Test(arguments: [
    ("a.html", 8), ("a.json", 8), ("a.txt", 8), ("a.jpg", 0), ("a.png", 0), ("html", 0),
    ("a.HTML", 0),
  ])
  func `texts are deflated and images are stored`(name: String, method: UInt8) throws {
    try add(name, String(repeating: "a", count: 1000))

    let bytes = try write()

    #expect(bytes[8] == method)
  }

  @Test func `names are marked as UTF-8`() throws {
    try add("图.jpg", "image")

    let bytes = try write()

    #expect(bytes[6..<8].elementsEqual([0x00, 0x08]))
    #expect(bytes[30..<37].elementsEqual("图.jpg".utf8))
  }

  @Test func `symbolic links are left out`() throws {
    try add("20200616/a.jpg", "image")
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder)/20200616/b.jpg", withDestinationPath: "\(folder)/20200616/a.jpg")
    _ = try write()

    try ZipArchive.extract(zip, to: scratch / "copy")

    #expect(try files(of: scratch / "copy") == ["20200616/a.jpg"])
  }

  @Test func `a file that cannot be created is named with the reason`() throws {
    let path = scratch / "missing/days.zip"

    let error = #expect(throws: ImageError.self) {
      try ZipArchive.write(folder, to: path, comment: "")
    }

    #expect(error?.code == .storeFailed)
    #expect(error?.message == "cannot write \(path): No such file or directory")
  }

  // MARK: Comments

  @Test(arguments: ["", "imgcache export", "为什么", String(repeating: "c", count: 1024)])
  func `a file has the comment that it was written with, and no other`(comment: String) throws {
    try add("a.jpg", "image")
    _ = try write(comment: comment)

    for other in ["", "imgcache export", "export", comment] {
      #expect(ZipArchive.hasComment(other, zip) == (other == comment))
    }
  }

  @Test func `a file that is cut or continued has no comment`() throws {
    try add("a.jpg", "image")
    let bytes = try write(comment: "imgcache export")

    for other in [Array(bytes.dropLast()), bytes + [0], Array(bytes.prefix(21)), []] {
      try Data(other).write(to: URL(filePath: zip))
      #expect(!ZipArchive.hasComment("imgcache export", zip), "\(other.count) bytes")
    }
    #expect(!ZipArchive.hasComment("", scratch / "missing.zip"))
    #expect(!ZipArchive.hasComment("", scratch.path))
  }

  // MARK: Extracting

  @Test(arguments: ["", "PK", "not a ZIP file, and longer than the record at the end of one"])
  func `a file that is not a ZIP file is damaged`(text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: zip))

    let error = #expect(throws: ImageError.self) {
      try ZipArchive.extract(zip, to: scratch / "copy")
    }

    #expect(error?.code == .storeFailed)
    #expect(error?.message == damaged("it is damaged"))
  }

  @Test func `content with another checksum is damaged`() throws {
    try add("20200616/a.jpg", "content")
    _ = try write()
    try replace("content", with: "context")

    let error = #expect(throws: ImageError.self) {
      try ZipArchive.extract(zip, to: scratch / "copy")
    }

    #expect(error?.message == damaged("its entry 20200616/a.jpg is damaged"))
  }

  @Test(arguments: [
    "../00616/a.jpg", "./200616/a.jpg", "/0200616/a.jpg", "20200616//.jpg", "20200616\\a.jpg",
    "20200616/../..", "20200616/abc/.",
  ])
  func `a name that leads elsewhere is refused`(name: String) throws {
    try add("20200616/a.jpg", "content")
    _ = try write()
    try replace("20200616/a.jpg", with: name)

    let error = #expect(throws: ImageError.self) {
      try ZipArchive.extract(zip, to: scratch / "deep/copy")
    }

    #expect(error?.code == .storeFailed)
    #expect(error?.message == damaged("its entry \(name) cannot be kept"))
    #expect(try files(of: scratch.path) == ["days.zip", "days/20200616/a.jpg"])
  }

  @Test func `the same name twice is refused`() throws {
    try add("20200616/a.jpg", "1")
    try add("20200616/b.jpg", "2")
    _ = try write()
    try replace("20200616/b.jpg", with: "20200616/a.jpg")

    let error = #expect(throws: ImageError.self) {
      try ZipArchive.extract(zip, to: scratch / "copy")
    }

    #expect(error?.message == damaged("its entry 20200616/a.jpg cannot be kept"))
  }

  @Test func `a file in place of a folder is refused`() throws {
    try add("a.jpg", "1")
    try add("b.jpgx/c", "2")
    _ = try write()
    try replace("b.jpgx/c", with: "a.jpg/xc")

    let error = #expect(throws: ImageError.self) {
      try ZipArchive.extract(zip, to: scratch / "copy")
    }

    #expect(error?.message == damaged("its entry a.jpg/xc cannot be kept"))
  }
}
