import Foundation
import ImageModel
import Testing

@testable import ImageFeeds
@testable import TestSupport

@Suite struct `The file of an exported page` {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func write(_ page: String) throws -> String {
    try ExportPageFile.write(page, in: scratch.path)
  }

  @Test func `a page ends with its digest, and an unchanged one is replaced`() throws {
    #expect(try write("abc") == "index.html")
    #expect(
      try scratch.text(of: "index.html")
        == "abc<!-- imgcache export "
        + "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad -->\n")
    #expect(try write("second") == "index.html")
    #expect(try scratch.text(of: "index.html").hasPrefix("second<!--"))
    #expect(scratch.names() == ["index.html"])
  }

  @Test(arguments: ["insertion", "appended line", "cut", "emptied"])
  func `a page that was changed stays`(change: String) throws {
    _ = try write("page")
    let page = try scratch.text(of: "index.html")
    let changed =
      switch change {
      case "insertion": "<p>" + page
      case "appended line": page + "\n"
      case "cut": String(page.dropLast())
      default: ""
      }
    try scratch.write(changed, to: "index.html")

    #expect(try write("page") == "index-2.html")
    #expect(try scratch.text(of: "index.html") == changed)
    #expect(try scratch.text(of: "index-2.html") == page)
  }

  @Test func `the first free name follows all pages that are not ours, and a remark names it`()
    throws
  {
    for (text, name) in [("1", "index"), ("2", "index-2"), ("4", "index-4")] {
      try scratch.write(text, to: name + ".html")
    }

    #expect(ExportPageFile.name(in: scratch.path) == "index-3.html")
    #expect(try write("page") == "index-3.html")
    #expect(try write("again") == "index-3.html")
    #expect(scratch.names().count == 4)
    #expect(ExportPageFile.note(on: "index.html", in: "/days") == nil)
    #expect(
      ExportPageFile.note(on: "index-3.html", in: "/days")
        == "/days/index.html is not a page of imgcache and stays; the page is index-3.html")
  }

  @Test func `a link to our own page is not ours, and a missing folder is an error`() throws {
    try scratch.makeFolder("moved")
    let moved = try ExportPageFile.write("page", in: scratch / "moved")
    try scratch.link("index.html", to: "moved/\(moved)")

    #expect(try write("other") == "index-2.html")
    #expect(try scratch.text(of: "moved/\(moved)").hasPrefix("page<!--"))
    let missing = scratch / "missing"
    let error = #expect(throws: ImageError.self) { try ExportPageFile.write("page", in: missing) }
    #expect(error?.code == .storeFailed)
    #expect(error?.message == "cannot write \(missing)/index.html: No such file or directory")
  }
}
