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

  /// Exports one image of a day.
  @discardableResult
  private func export(
    _ bytes: [UInt8] = [1], of day: String = "20200616", to path: String
  ) throws -> [String] {
    let target = try ExportTarget(path, links: false)
    let folder = try ExportFolder(
      target.directory, day: try #require(DayKey(day)), links: target.links)
    try folder.place(
      .bytes(bytes), stem: "image", extension: "jpg",
      ExportIndex.Image(url: "http://a/\(day).jpg", role: "story", storyID: "1"))
    try folder.writeIndex()
    return try target.finish()
  }

  private func files(below folder: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.contains(".") }.sorted()
  }

  private func entries(of path: String) throws -> [String] {
    let copy = try Scratch()
    try ZipArchive.extract(path, to: copy / "days")
    return try files(below: copy / "days")
  }

  private func bytes() throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: zip))) }

  private static let day = ["20200616/image.jpg", "20200616/index.json", "index.html"]

  // MARK: Which paths

  @Test(arguments: ["", "~", "~/days", "~user/days.zip"])
  func `a path that only a shell could mean is refused`(path: String) {
    #expect(imageError { try DayExport(path) }?.code == .invalidArgument)
  }

  @Test(arguments: ["days", "days.zip.d", "folder.zip"])
  func `a path without the ending of ZIP files, or of a folder, is a folder`(name: String) throws {
    try scratch.makeFolder("folder.zip")
    for links in [true, false] {
      try ExportTarget.check(scratch / name, links: links)
      let target = try ExportTarget(scratch / name, links: links)
      #expect(target.directory == scratch / name && target.links == links)
    }

    #expect(try export(to: scratch / name) == [])
    #expect(try files(below: scratch / name) == Self.day)
  }

  @Test(arguments: ["days.zip", "days.ZIP", "above/below/days.Zip"])
  func `a ZIP file is made with the folders above it, cannot have links, and is left alone`(
    name: String
  ) throws {
    let path = scratch / name
    let error = #expect(throws: ImageError.self) { try ExportTarget.check(path, links: true) }
    try ExportTarget.check(path)
    if name == "days.zip" { try scratch.write("", to: ".days.zip.\(Int32.max).1.part") }

    #expect(try export(to: path) == [])
    #expect(ZipArchive.hasComment("imgcache export", path))
    #expect(try entries(of: path) == Self.day)
    #expect(try files(below: scratch.path) == [name])
    #expect(error?.code == .invalidArgument)
    #expect(
      error?.message == "the ZIP file \(path) cannot have hard links to files of the cache; "
        + "export to a folder, or copies")
  }

  @Test(arguments: ["empty", "another archive", "link"])
  func `a file that is not an export is refused and stays`(kind: String) throws {
    switch kind {
    case "empty": try scratch.write("", to: "days.zip")
    case "another archive":
      try ZipArchive.write(scratch / "missing", to: zip, comment: "holidays")
    default:
      try export(to: scratch / "real.zip")
      try scratch.link("days.zip", to: "real.zip")
    }
    let before = try bytes()

    let checked = #expect(throws: ImageError.self) { try ExportTarget.check(zip) }
    let opened = #expect(throws: ImageError.self) { _ = try ExportTarget(zip, links: false) }

    #expect(checked?.code == .storeFailed)
    #expect(
      checked?.message
        == "cannot export to \(zip): it exists and is not an export of imgcache; name another file")
    #expect(opened?.message == checked?.message)
    #expect(try bytes() == before)
  }

  // MARK: ZIP files

  @Test func `a second export adds to the file, and the same one again gives equal bytes`() throws {
    try export(of: "20200615", to: zip)
    try export(to: zip)
    let both = try bytes()
    try export(to: zip)

    #expect(try bytes() == both)
    #expect(try entries(of: zip) == ["20200615/image.jpg", "20200615/index.json"] + Self.day)
  }

  @Test func `a target without days, or that is not finished, leaves all as it was`() throws {
    #expect(try ExportTarget(zip, links: false).finish() == [])
    #expect(scratch.names() == [])
    try export(to: zip)
    let before = try bytes()

    do {
      let target = try ExportTarget(zip, links: false)
      try withExtendedLifetime(target) {
        try Data("new".utf8).write(to: URL(filePath: "\(target.directory)/new.txt"))
      }
    }

    #expect(try bytes() == before)
    #expect(scratch.names() == ["days.zip"])
    try scratch.makeFolder("days/20200616")
    #expect(try ExportTarget(scratch / "days", links: false).finish() == [])
    #expect(scratch.names(in: "days") == ["20200616"])
  }

  @Test func `a file that appears meanwhile is not replaced`() throws {
    let target = try ExportTarget(zip, links: false)
    try Data("new".utf8).write(to: URL(filePath: "\(target.directory)/new.txt"))
    try scratch.write("of another program", to: "days.zip")

    let error = #expect(throws: ImageError.self) { try target.finish() }

    #expect(error?.code == .storeFailed)
    #expect(try scratch.text(of: "days.zip") == "of another program")
  }

  @Test func `a damaged export is refused with the way out`() throws {
    try export(Array("content".utf8), to: zip)
    var bytes = try bytes()
    let place = try #require(
      bytes.indices.first { bytes[$0...].starts(with: "content".utf8) })
    bytes[place] ^= 1
    try Data(bytes).write(to: URL(filePath: zip))

    let error = #expect(throws: ImageError.self) { _ = try ExportTarget(zip, links: false) }

    #expect(
      error?.message == "cannot add to \(zip): its entry 20200616/image.jpg is damaged; "
        + "export to another file, or remove this one")
    #expect(scratch.names() == ["days.zip"])
  }
}
