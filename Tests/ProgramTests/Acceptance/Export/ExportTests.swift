import Foundation
import Testing

@testable import ImageFeeds
@testable import TestSupport

/// `prefetch --export` into folders that hold something already.
@Suite(.serialized, .needsProgram, .timeLimit(.minutes(15)))
struct `Exports` {
  private func export(
    _ feeds: [String], to out: Scratch, cache: Scratch? = nil, more: [String] = []
  ) async throws -> PrefetchReport {
    try await Tool.prefetch(
      try cache ?? Scratch(), feeds.flatMap { ["--feed", $0] } + ["--export", out / "days"] + more)
  }

  /// The folder of the day.
  private func folder(_ report: PrefetchReport, in out: Scratch) throws -> String {
    let day = try #require((report.summary["days"] as? [String])?.first)
    return "\(out / "days")/\(day)"
  }

  /// The files that the index names, by URL.
  private func index(_ folder: String) throws -> [String: String] {
    let text = try JSONSerialization.jsonObject(
      with: Data(contentsOf: URL(fileURLWithPath: folder + "/index.json")))
    let images = (text as? [String: Any])?["images"] as? [[String: Any]] ?? []
    return Dictionary(
      uniqueKeysWithValues: images.map { ($0["url"] as? String ?? "", $0["file"] as? String ?? "") }
    )
  }

  private func bytes(_ folder: String, _ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name)))
  }

  private func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  /// Whether each URL of the names has the file that the index says, with its own bytes.
  private func expectWhole(_ folder: String, _ origin: FeedOrigin, _ names: [String]) throws {
    let index = try index(folder)
    #expect(index.count == names.count)
    #expect(Set(index.values).count == names.count)
    for name in names {
      let file = try #require(index[origin.image(name)])
      #expect(try bytes(folder, file) == FeedOrigin.image(name), "\(name) in \(file)")
    }
  }

  @Test func `two lists have a file for every URL, in one run or in two`() async throws {
    let origin = try FeedOrigin(images: ["a", "b", "c"])
    defer { origin.stop() }
    let (together, apart, cache) = (try Scratch(), try Scratch(), try Scratch())
    let (one, two) = (origin.list("/1.txt", ["a", "b"]), origin.list("/2.txt", ["c"]))

    let report = try await export([one, two], to: together)
    _ = try await export([one], to: apart, cache: cache)
    _ = try await export([two], to: apart, cache: cache)

    for out in [together, apart] {
      let folder = try folder(report, in: out)
      try expectWhole(folder, origin, ["a", "b", "c"])
      #expect(
        try names(folder)
          == [
            "index.html", "index.json", "story-list-0-2.png", "story-list-0.png",
            "story-list-1.png",
          ])
    }
  }

  @Test func `the same export again changes nothing, and a changed image keeps its name`()
    async throws
  {
    let origin = try FeedOrigin(images: ["a", "b", "c"])
    defer { origin.stop() }
    let out = try Scratch()
    let (one, two) = (origin.list("/1.txt", ["a", "b"]), origin.list("/2.txt", ["c"]))

    let folder = try folder(try await export([one, two], to: out), in: out)
    let (before, files) = (try bytes(folder, "index.json"), try names(folder))
    _ = try await export([two, one], to: out)
    #expect(try names(folder) == files)
    #expect(try index(folder).count == 3)
    _ = try await export([one, two], to: out)
    #expect(try bytes(folder, "index.json") == before)

    let changed = try FeedOrigin.image("changed")
    origin.origin["/c.png"] = [.whole(changed)]
    _ = try await export([two], to: out)
    let name = try #require(try index(folder)[origin.image("c")])
    #expect(name == "story-list-0-2.png")
    #expect(try names(folder) == files)
    #expect(try bytes(folder, name) == changed)
    #expect(try bytes(folder, "story-list-0.png") == FeedOrigin.image("a"))
  }

  @Test(arguments: ["missing", "damaged", "foreign", "link"])
  func `without the index no file of another URL is overwritten`(state: String) async throws {
    let origin = try FeedOrigin(images: ["a", "b", "c"])
    defer { origin.stop() }
    let out = try Scratch()
    let (one, two) = (origin.list("/1.txt", ["a", "b"]), origin.list("/2.txt", ["c"]))
    let folder = try folder(try await export([one], to: out), in: out)
    let index = folder + "/index.json"
    let text = state == "damaged" ? "{\"day\":" : "[\"mine\"]"
    try FileManager.default.removeItem(atPath: index)
    if state == "link" {
      try Data(text.utf8).write(to: URL(fileURLWithPath: out / "mine.json"))
      try FileManager.default.createSymbolicLink(
        atPath: index, withDestinationPath: out / "mine.json")
    } else if state != "missing" {
      try Data(text.utf8).write(to: URL(fileURLWithPath: index))
    }

    _ = try await export([two], to: out)
    _ = try await export([one], to: out)

    try expectWhole(folder, origin, ["a", "b", "c"])
    #expect(try bytes(folder, "story-list-0.png") == FeedOrigin.image("a"))
    #expect(try names(folder).contains("index-damaged.json") == (state != "missing"))
    if state != "missing" { #expect(try bytes(folder, "index-damaged.json") == Array(text.utf8)) }
  }

  @Test func `files of the user's own, links and folders keep their names`() async throws {
    let origin = try FeedOrigin(images: ["a", "b", "c", "d"])
    defer { origin.stop() }
    let out = try Scratch()
    let list = origin.list("/1.txt", ["a", "b", "c", "d"])
    let folder = try folder(try await export([list], to: out), in: out)
    let mine = Array("mine".utf8)
    let manager = FileManager.default
    try Data(mine).write(to: URL(fileURLWithPath: out / "outside"))
    for number in 0..<3 { try manager.removeItem(atPath: "\(folder)/story-list-\(number).png") }
    try Data(mine).write(to: URL(fileURLWithPath: folder + "/story-list-0.png"))
    try manager.createSymbolicLink(
      atPath: folder + "/story-list-1.png", withDestinationPath: out / "outside")
    try manager.createDirectory(
      atPath: folder + "/story-list-2.png", withIntermediateDirectories: false)

    _ = try await export([list], to: out)

    try expectWhole(folder, origin, ["a", "b", "c", "d"])
    #expect(try bytes(folder, "story-list-0.png") == mine)
    #expect(try bytes(out.path, "outside") == mine)
    #expect(try index(folder)[origin.image("a")] == "story-list-0-2.png")
    #expect(
      try manager.destinationOfSymbolicLink(atPath: folder + "/story-list-1.png")
        == out / "outside")
  }

  @Test func `a link in place of a day's folder is refused`() async throws {
    let origin = try FeedOrigin(images: ["a"])
    defer { origin.stop() }
    let (out, other) = (try Scratch(), try Scratch())
    let list = origin.list("/1.txt", ["a"])
    let folder = try folder(try await export([list], to: out), in: out)
    try FileManager.default.removeItem(atPath: folder)
    try FileManager.default.createSymbolicLink(
      atPath: folder, withDestinationPath: other.path)

    let report = try await export([list], to: out)

    #expect(report.status == 2 && report.errors.contains("symbolic links are not followed"))
    #expect(try names(other.path).isEmpty)
  }

  @Test func `a day that cannot be exported costs no other day`() async throws {
    let (cache, out, other) = (try Scratch(), try Scratch(), try Scratch())
    try FileManager.default.createDirectory(
      atPath: out / "days", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: out / "days/20260110", withDestinationPath: other.path)

    let report = try await Tool.prefetch(
      cache, ["--sample", "20260110...20260111", "--export", out / "days"])

    #expect(report.status == 2 && report.errors.contains("symbolic links are not followed"))
    #expect(try names(out / "days/20260111").count > 5)
    #expect(try names(other.path).isEmpty)
  }

  @Test func `identifiers of a feed make no paths`() async throws {
    let ids = [
      "../../x", "/etc/passwd", "..", ".", "a/b", "a\\b", "nul\u{1}l", "図", "CON",
      String(repeating: "x", count: 5000), "a b", "a?b", "index.json",
    ]
    let origin = try FeedOrigin(images: ids.indices.map { "i\($0)" })
    defer { origin.stop() }
    let out = try Scratch()
    let items = ids.enumerated().map { number, id -> [String: Any] in
      ["id": id, "date_published": "2020-06-16", "image": origin.image("i\(number)")]
    }
    origin.origin["/feed.json"] = [
      .whole([UInt8](try JSONSerialization.data(withJSONObject: ["items": items])))
    ]

    let report = try await export([origin.url("/feed.json")], to: out)

    #expect(report.status == 0, "\(report.errors)")
    let folder = out / "days/20200616"
    try expectWhole(folder, origin, ids.indices.map { "i\($0)" })
    #expect(try names(out.path) == ["days"])
    #expect(try names(out / "days") == ["20200616", "index.html"])
    let allowed = try names(folder).allSatisfy { name in
      name.utf8.count < 120
        && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"/\\?*:<>|\"".utf8.contains($0) }
    }
    #expect(allowed)
  }

  @Test func `a failure leaves the image that an earlier run placed`() async throws {
    let origin = try FeedOrigin(images: ["a", "b"])
    defer { origin.stop() }
    let out = try Scratch()
    let list = origin.list("/1.txt", ["a", "b"])
    let folder = try folder(try await export([list], to: out), in: out)
    try Data(FeedOrigin.image("none")).write(to: URL(fileURLWithPath: out / "none.png"))

    origin.origin["/a.png"] = []
    let report = try await export(
      [list], to: out, more: ["--placeholder", out / "none.png"])

    #expect(report.status == 1)
    try expectWhole(folder, origin, ["a", "b"])
  }

  @Test func `a folder that cannot be created is an error with its reason`() async throws {
    let outcome = try await Tool.imgcache.run([
      "prefetch", "--sample", "--cache-dir", try Scratch() / "cache", "--export", "/proc/foo",
    ])

    #expect(outcome.status == 2)
    let reason = "cannot create the export folder /proc/foo: No such file or directory"
    #expect(outcome.errors.contains(reason))
  }

  @Test func `exports into one folder at the same time lose nothing`() async throws {
    let names = (0..<12).map { "i\($0)" }
    let origin = try FeedOrigin(images: names)
    defer { origin.stop() }
    let out = try Scratch()
    let lists = names.enumerated().map { origin.list("/\($0).txt", [$1]) }

    let statuses = try await withThrowingTaskGroup(of: Int32.self) { group in
      for list in lists { group.addTask { try await export([list], to: out).status } }
      return try await group.reduce(into: []) { $0.append($1) }
    }

    #expect(statuses.allSatisfy { $0 == 0 })
    let day = try #require(try self.names(out / "days").first)
    let folder = "\(out / "days")/\(day)"
    try expectWhole(folder, origin, names)
    #expect(try self.names(folder).count == names.count + 2)
  }
}
