import Foundation
import ImageCodecs
import ImageModel
import Testing

@testable import imgcache
@testable import TestSupport

@Suite struct `The files of thumbnails` {
  private func image(_ text: String, _ format: ImageFormat = .png) -> EncodedImage {
    EncodedImage(
      bytes: Array(text.utf8), format: format, size: PixelSize(width: 2, height: 1), frameCount: 1)
  }

  private func made(_ endings: [ImageFiles.Ending]) -> [String] {
    endings.map { ending in
      switch ending.result {
      case .success(let (path, _)): "\(ending.index) \(path.split(separator: "/").last ?? "")"
      case .failure(let error): "\(ending.index) \(error.code.rawValue)"
      }
    }
  }

  private func content(_ folder: String) throws -> [String: String] {
    var files: [String: String] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      files[name] = try String(contentsOfFile: folder + "/" + name, encoding: .utf8)
    }
    return files
  }

  @Test func `wait for an earlier input of their name, which may fail`() throws {
    let scratch = TemporaryDirectory()
    let folder = scratch.path("out")
    let files = try ImageFiles(
      .folder(folder + "/"),
      inputs: ["1/a.jpg", "2/a.jpg", "http://h/c.webp?q=1"].map { ImageInput(source: $0) })

    let other = files.settle(2, .success(image("other")), elapsed: .zero)
    let waiting = files.settle(1, .success(image("second")), elapsed: .zero)
    let visible = try content(folder).keys.filter { !$0.hasPrefix(".") }
    let endings = files.settle(0, .failure(ImageError(.corrupt, "damaged")), elapsed: .zero)

    #expect(made(other) == ["2 c.png"] && waiting.isEmpty && visible == ["c.png"])
    #expect(made(endings) == ["0 corrupt", "1 a.png"])
    #expect(try content(folder) == ["a.png": "second", "c.png": "other"])
  }

  /// Whether the file in the way is an input: by its name, or by a link to it.
  @Test(arguments: [nil, "name", "symbolic", "hard"])
  func `replace a file of an earlier call, but never an input`(link: String?) throws {
    let scratch = TemporaryDirectory()
    let (path, other) = (scratch.path("a.png"), scratch.path("other/a.gif"))
    try "before".write(toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.createDirectory(
      atPath: scratch.path("other"), withIntermediateDirectories: false)
    if link == "symbolic" {
      try FileManager.default.createSymbolicLink(atPath: other, withDestinationPath: path)
    } else if link == "hard" {
      try FileManager.default.linkItem(atPath: path, toPath: other)
    }
    let files = try ImageFiles(
      .folder(scratch.path("./")), inputs: [ImageInput(source: link == "name" ? path : other)])

    let endings = files.settle(0, .success(image("after")), elapsed: .zero)

    #expect(
      made(endings)
        == ["0 " + (link == nil ? "a.png" : ImageError.Code.invalidArgument.rawValue)])
    #expect(
      try String(contentsOfFile: path, encoding: .utf8) == (link == nil ? "after" : "before"))
  }
}

@Suite struct `A list of inputs` {
  private func list(_ bytes: [UInt8], isNullSeparated: Bool = false) throws -> [String] {
    let scratch = try Scratch()
    return try ImageInput.list(scratch.write(bytes, to: "list"), isNullSeparated: isNullSeparated)
  }

  private static let lists: [(text: String, entries: [String])] = [
    ("a\nb\n", ["a", "b"]), ("a\r\nb\r\n", ["a", "b"]), ("a\n\n\nb", ["a", "b"]), ("", []),
    (" a \n", [" a "]), ("-\n", ["./-"]), ("\r\n", []), ("a\rb\n", ["a\rb"]),
    ("# a\n", ["# a"]),
  ]

  @Test(arguments: lists)
  func `has an entry a line`(text: String, entries: [String]) throws {
    #expect(try list(Array(text.utf8)) == entries)
  }

  @Test func `that NUL separates has entries of several lines, as they are`() throws {
    let entries = try list(Array("a\nb\u{0}c\r\u{0}\u{0}-".utf8), isNullSeparated: true)

    #expect(entries == ["a\nb", "c\r", "./-"])
  }

  @Test func `that contains NUL needs the flag for it, which the message names`() {
    let error = #expect(throws: ImageError.self) { try list([0x61, 0, 0x62]) }

    #expect(error?.code == .invalidArgument)
    #expect(error?.message.contains("-0 reads a list that NUL separates") == true)
  }
}
