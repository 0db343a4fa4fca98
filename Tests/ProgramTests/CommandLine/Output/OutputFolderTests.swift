import Foundation
import ImageModel
import Testing

@testable import imgcache
@testable import TestSupport

@Suite struct `A folder for many files` {
  private let folder = TemporaryDirectory()

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: folder.path(name), encoding: .utf8)
  }

  @Test func `is created with those above it, and named by a slash or if it exists`() throws {
    let made = try OutputFolder(creating: folder.path("a/b/c"))
    let again = try OutputFolder(creating: folder.path("a/b/c/"))
    try Data().write(to: URL(fileURLWithPath: folder.path("file")))

    #expect(made.path == folder.path("a/b/c/"))
    #expect(again.path == made.path)
    #expect(OutputFolder.isNamed(by: "absent/") && OutputFolder.isNamed(by: folder.path("a/b/c")))
    #expect(!OutputFolder.isNamed(by: folder.path("absent")))
    #expect(!OutputFolder.isNamed(by: folder.path("file")))
  }

  @Test(arguments: ["file", "file/below"])
  func `is not created where a file is, which stays`(name: String) throws {
    try Data("old".utf8).write(to: URL(fileURLWithPath: folder.path("file")))

    let error = #expect(throws: ImageError.self) {
      try OutputFolder(creating: folder.path(name))
    }

    #expect(error?.code == .storeFailed)
    #expect(error?.message.contains("Not a directory") == true)
    #expect(try text("file") == "old")
  }

  @Test func `shows a file only once it has its name`() throws {
    let output = try OutputFolder(creating: folder.path)

    let staged = try output.stage(Array("new".utf8))
    let before = folder.files().filter { !$0.hasPrefix(".imgcache-") }
    try output.publish(staged, as: "a.png")

    #expect(before.isEmpty)
    #expect(folder.files() == ["a.png"])
    #expect(try text("a.png") == "new")
  }

  @Test func `replaces a file of the same name, and a link but not its target`() throws {
    let output = try OutputFolder(creating: folder.path("out"))
    try Data("old".utf8).write(to: URL(fileURLWithPath: folder.path("out/a")))
    try Data("kept".utf8).write(to: URL(fileURLWithPath: folder.path("target")))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("out/b"), withDestinationPath: folder.path("target"))

    for name in ["a", "b"] { try output.publish(output.stage(Array("new".utf8)), as: name) }

    #expect(try text("out/a") == "new")
    #expect(try text("out/b") == "new")
    #expect(try text("target") == "kept")
    #expect(folder.files() == ["out/a", "out/b", "target"])
  }

  @Test func `gives a parked file its name, or removes what gets none`() throws {
    let output = try OutputFolder(creating: folder.path)

    do {
      let (parked, other) = (try output.stage(Array("new".utf8)), try output.stage([2]))
      parked.park()
      parked.park()
      try output.publish(parked, as: "a")
      let lost = try output.stage([1])
      lost.park()
      withExtendedLifetime((lost, other)) {}
    }

    #expect(folder.files() == ["a"])
    #expect(try text("a") == "new")
  }

  @Test func `does not replace a folder, and names the file that failed`() throws {
    let output = try OutputFolder(creating: folder.path)
    _ = try OutputFolder(creating: folder.path("taken/deeper"))
    let staged = try output.stage([1])

    let error = #expect(throws: ImageError.self) { try output.publish(staged, as: "taken") }

    #expect(error?.code == .storeFailed)
    #expect(error?.message.hasPrefix("cannot write \(folder.path)/taken") == true)
  }
}
