import Foundation
import ImageModel
import Testing

@testable import ImageFeeds
@testable import TestSupport

@Suite struct `The target of an export` {
  private let scratch: Scratch
  private let zip: String

  init() throws {
    scratch = try Scratch()
    zip = scratch / "days.zip"
  }

  private func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path))
  }

  /// Exports one image of a day.
  private func export(_ day: String, _ bytes: [UInt8], to path: String) throws -> [String] {
    let target = try ExportTarget(path, links: false)
    let folder = try ExportFolder(
      target.directory, day: try #require(DayKey(day)), links: target.links)
    try folder.place(
      .bytes(bytes), stem: "image", extension: "jpg",
      ExportIndex.Image(url: "http://a/\(day).jpg", role: "story", storyID: "1"))
    try folder.writeIndex()
    return try target.finish()
  }

  private func files(of path: String) throws -> [String] {
    let copy = scratch / "copy-\(UUID().uuidString)"
    try ZipArchive.extract(path, to: copy)
    let names = try FileManager.default.subpathsOfDirectory(atPath: copy)
    return names.filter { $0.contains(".") }.sorted()
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted()
  }

  // MARK: Which paths

  @Test(arguments: [true, false])
  func `a path without the ending of ZIP files is a folder`(links: Bool) throws {
    let target = try ExportTarget(scratch / "days.zip.d", links: links)

    #expect(target.directory == scratch / "days.zip.d")
    #expect(target.links == links)
  }

  @Test func `a folder whose name ends with zip stays a folder`() throws {
    try ExportFile.makeFolder(zip)

    let notes = try export("20200616", [1], to: zip)

    #expect(notes == [])
    #expect(
      try FileManager.default.subpathsOfDirectory(atPath: zip).sorted()
        == ["20200616", "20200616/image.jpg", "20200616/index.json", "index.html"])
  }

  @Test(arguments: ["days.zip", "days.ZIP", "above/below/days.Zip"])
  func `a ZIP file is made with the folders above it`(name: String) throws {
    let path = scratch / name

    let notes = try export("20200616", [1], to: path)

    #expect(notes == [])
    #expect(ZipArchive.hasComment("imgcache export", path))
    #expect(
      try files(of: path) == ["20200616/image.jpg", "20200616/index.json", "index.html"])
  }

  @Test func `a ZIP file cannot have links to the cache`() {
    let error = #expect(throws: ImageError.self) { try ExportTarget.check(zip, links: true) }

    #expect(error?.code == .invalidArgument)
    #expect(
      error?.message == "the ZIP file \(zip) cannot have hard links to files of the cache; "
        + "export to a folder, or copies")
  }

  @Test func `a new path and a folder pass the check`() throws {
    try ExportTarget.check(zip)
    try ExportTarget.check(scratch.path, links: true)
    try ExportTarget.check(scratch / "missing", links: true)
  }

  @Test(arguments: ["empty", "another archive", "link"])
  func `a file that is not an export is refused and stays`(kind: String) throws {
    switch kind {
    case "empty": try write("", to: zip)
    case "another archive":
      try ZipArchive.write(scratch / "missing", to: zip, comment: "holidays")
    default:
      _ = try export("20200616", [1], to: scratch / "real.zip")
      try FileManager.default.createSymbolicLink(
        atPath: zip, withDestinationPath: scratch / "real.zip")
    }
    let before = try Data(contentsOf: URL(filePath: zip))
    let message =
      "cannot export to \(zip): it exists and is not an export of imgcache; name another file"

    let checked = #expect(throws: ImageError.self) { try ExportTarget.check(zip) }
    let opened = #expect(throws: ImageError.self) { _ = try ExportTarget(zip, links: false) }

    #expect(checked?.code == .storeFailed)
    #expect(checked?.message == message)
    #expect(opened?.message == message)
    #expect(try Data(contentsOf: URL(filePath: zip)) == before)
  }

  // MARK: ZIP files

  @Test func `a second export adds to the file`() throws {
    _ = try export("20200615", [1], to: zip)

    _ = try export("20200616", [2], to: zip)

    #expect(
      try files(of: zip) == [
        "20200615/image.jpg", "20200615/index.json", "20200616/image.jpg", "20200616/index.json",
        "index.html",
      ])
  }

  @Test func `the same export again gives equal bytes`() throws {
    _ = try export("20200616", [1], to: zip)
    let first = try Data(contentsOf: URL(filePath: zip))

    _ = try export("20200616", [1], to: zip)

    #expect(try Data(contentsOf: URL(filePath: zip)) == first)
  }

  @Test func `nothing but the file is left beside it`() throws {
    try write("", to: scratch / ".days.zip.\(Int32.max).1.part")

    _ = try export("20200616", [1], to: zip)

    #expect(try names() == ["days.zip"])
  }

  @Test func `an export of no day makes no file`() throws {
    let notes = try ExportTarget(zip, links: false).finish()

    #expect(notes == [])
    #expect(try names() == [])
  }

  @Test func `a target that is not finished leaves the file as it was`() throws {
    _ = try export("20200615", [1], to: zip)
    let before = try Data(contentsOf: URL(filePath: zip))

    do {
      let target = try ExportTarget(zip, links: false)
      try withExtendedLifetime(target) {
        try write("new", to: "\(target.directory)/new.txt")
      }
    }

    #expect(try Data(contentsOf: URL(filePath: zip)) == before)
    #expect(try names() == ["days.zip"])
  }

  @Test func `a file that appears meanwhile is not replaced`() throws {
    let target = try ExportTarget(zip, links: false)
    try write("new", to: "\(target.directory)/new.txt")
    try write("of another program", to: zip)

    let error = #expect(throws: ImageError.self) { try target.finish() }

    #expect(error?.code == .storeFailed)
    #expect(
      try String(contentsOf: URL(filePath: zip), encoding: .utf8) == "of another program")
  }

  @Test func `a damaged export is refused with the way out`() throws {
    _ = try export("20200616", Array("content".utf8), to: zip)
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: zip)))
    let place = try #require(
      bytes.indices.first { bytes[$0...].starts(with: "content".utf8) })
    bytes[place] ^= 1
    try Data(bytes).write(to: URL(filePath: zip))

    let error = #expect(throws: ImageError.self) { _ = try ExportTarget(zip, links: false) }

    #expect(
      error?.message == "cannot add to \(zip): its entry 20200616/image.jpg is damaged; "
        + "export to another file, or remove this one")
    #expect(try names() == ["days.zip"])
  }

  // MARK: The overview

  @Test func `an overview of the user stays, and a remark names ours`() throws {
    let folder = scratch / "days"
    try ExportFile.makeFolder(folder)
    try write("mine", to: "\(folder)/index.html")

    let notes = try export("20200616", [1], to: folder)

    #expect(
      notes == [
        "\(folder)/index.html is not a page of imgcache and stays; the page is index-2.html"
      ])
    #expect(
      try String(contentsOf: URL(filePath: "\(folder)/index.html"), encoding: .utf8) == "mine")
  }

  @Test func `a folder without days gets no overview`() throws {
    let folder = scratch / "days"
    try ExportFile.makeFolder("\(folder)/20200616")
    try ExportFile.makeFolder("\(folder)/other")

    let notes = try ExportTarget(folder, links: false).finish()

    #expect(notes == [])
    #expect(
      try FileManager.default.subpathsOfDirectory(atPath: folder).sorted() == ["20200616", "other"])
  }
}
