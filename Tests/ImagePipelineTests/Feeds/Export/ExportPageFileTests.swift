import Foundation
import ImageModel
import Testing

@testable import ImageFeeds
@testable import TestSupport

@Suite struct `The file of an exported page` {
  private let scratch: Scratch
  private let folder: String

  init() throws {
    scratch = try Scratch()
    folder = scratch / "day"
    try ExportFile.makeFolder(folder)
  }

  private func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
  }

  private func text(of name: String) throws -> String {
    try String(contentsOf: URL(filePath: "\(folder)/\(name)"), encoding: .utf8)
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  @Test func `a page ends with its digest`() throws {
    let name = try ExportPageFile.write("abc", in: folder)

    #expect(name == "index.html")
    #expect(
      try text(of: name)
        == "abc<!-- imgcache export "
        + "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad -->\n")
    #expect(try names() == ["index.html"])
  }

  @Test func `an unchanged page is replaced`() throws {
    _ = try ExportPageFile.write("first", in: folder)

    let name = try ExportPageFile.write("second", in: folder)

    #expect(name == "index.html")
    #expect(try text(of: name).hasPrefix("second<!--"))
    #expect(try names() == ["index.html"])
  }

  @Test(arguments: ["insertion", "appended line", "cut", "emptied"])
  func `a page that was changed stays`(change: String) throws {
    _ = try ExportPageFile.write("page", in: folder)
    let page = try text(of: "index.html")
    let changed =
      switch change {
      case "insertion": "<p>" + page
      case "appended line": page + "\n"
      case "cut": String(page.dropLast())
      default: ""
      }
    try write(changed, to: "index.html")

    let name = try ExportPageFile.write("page", in: folder)

    #expect(name == "index-2.html")
    #expect(try text(of: "index.html") == changed)
    #expect(try text(of: "index-2.html") == page)
  }

  @Test func `the first free name follows all pages that are not ours`() throws {
    try write("1", to: "index.html")
    try write("2", to: "index-2.html")
    try write("4", to: "index-4.html")

    #expect(ExportPageFile.name(in: folder) == "index-3.html")
    #expect(try ExportPageFile.write("page", in: folder) == "index-3.html")
    #expect(try ExportPageFile.write("again", in: folder) == "index-3.html")
    #expect(
      try names() == ["index-2.html", "index-3.html", "index-4.html", "index.html"])
  }

  @Test func `a link to our own page is not ours`() throws {
    _ = try ExportPageFile.write("page", in: folder)
    try FileManager.default.moveItem(
      atPath: "\(folder)/index.html", toPath: scratch / "moved.html")
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder)/index.html", withDestinationPath: scratch / "moved.html")

    #expect(try ExportPageFile.write("other", in: folder) == "index-2.html")
    let moved = try String(contentsOf: URL(filePath: scratch / "moved.html"), encoding: .utf8)
    #expect(moved.hasPrefix("page<!--"))
  }

  @Test func `a remark names the page that has another name`() {
    #expect(ExportPageFile.note(on: "index.html", in: "/days") == nil)
    #expect(
      ExportPageFile.note(on: "index-2.html", in: "/days")
        == "/days/index.html is not a page of imgcache and stays; the page is index-2.html")
  }

  @Test func `a folder that is missing is an error`() {
    let missing = scratch / "missing"

    let error = #expect(throws: ImageError.self) {
      try ExportPageFile.write("page", in: missing)
    }

    #expect(error?.code == .storeFailed)
    #expect(error?.message == "cannot write \(missing)/index.html: No such file or directory")
  }
}
