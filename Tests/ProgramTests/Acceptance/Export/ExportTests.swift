import Foundation
import Testing

@testable import ImageFeeds
@testable import TestSupport

/// `prefetch --export` into folders that hold something already.
@Suite(.serialized, .needsProgram, .timeLimit(.minutes(15)))
struct `Exports` {
  private func export(_ feeds: [String], to out: Scratch) async throws -> PrefetchReport {
    try await Tool.prefetch(
      try Scratch(), feeds.flatMap { ["--feed", $0] } + ["--export", out / "days"])
  }

  /// The files that the index names, by URL.
  private func index(_ out: Scratch) throws -> [String: String] {
    let text = try JSONSerialization.jsonObject(
      with: Data(out.bytes(of: "days/20200617/index.json")))
    let images = (text as? [String: Any])?["images"] as? [[String: Any]] ?? []
    return Dictionary(
      uniqueKeysWithValues: images.map { ($0["url"] as? String ?? "", $0["file"] as? String ?? "") }
    )
  }

  /// Whether each URL of the names has the file that the index says, with its own bytes.
  private func expectWhole(_ out: Scratch, _ origin: FeedOrigin, _ names: [String]) throws {
    let index = try index(out)
    #expect(index.count == names.count)
    #expect(Set(index.values).count == names.count)
    for name in names {
      let file = try #require(index[origin.image(name)])
      #expect(
        try out.bytes(of: "days/20200617/\(file)") == FeedOrigin.image(name), "\(name) in \(file)")
    }
  }

  @Test func `what is in place of a day's folder stays, and costs no other day`() async throws {
    let (cache, out) = (try Scratch(), try Scratch())
    try out.write("mine", to: "days/20260110")
    try FileManager.default.createDirectory(
      atPath: out / "other", withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: out / "days/20260111", withDestinationPath: out / "other")

    let report = try await Tool.prefetch(
      cache, ["--sample", "20260110...20260112", "--export", out / "days"])

    #expect(report.status == 2 && report.errors.contains("20260110: not a directory"))
    #expect(report.errors.contains("symbolic links are not followed"))
    #expect(out.names(in: "days/20260112").count > 5)
    #expect(try out.text(of: "days/20260110") == "mine")
    #expect(out.names(in: "other").isEmpty)
  }

  @Test func `a folder that cannot be created is an error with its reason`() async throws {
    let outcome = try await Tool.run(
      ["prefetch", "--sample", "--json", "--export", "/proc/foo"], cache: try Scratch())

    #expect(outcome.status == 2)
    let reason = "cannot create the export folder /proc/foo: No such file or directory"
    #expect(outcome.errors.contains(reason))
    let objects = try outcome.objects()
    let error = objects.first { $0["event"] as? String == "error" }?["error"] as? [String: Any]
    #expect(error?["message"] as? String == reason)
    #expect(objects.last?["event"] as? String == "summary")
  }

  @Test func `exports into one folder at the same time lose nothing`() async throws {
    let names = (0..<8).map { "i\($0)" }
    let origin = try FeedOrigin(images: names)
    let out = try Scratch()
    let lists = names.enumerated().map { origin.list("/\($0).txt", [$1]) }

    let statuses = try await withThrowingTaskGroup(of: Int32.self) { group in
      for list in lists { group.addTask { try await export([list], to: out).status } }
      return try await group.reduce(into: []) { $0.append($1) }
    }

    #expect(statuses.allSatisfy { $0 == 0 })
    try expectWhole(out, origin, names)
    #expect(out.names(in: "days/20200617").count == names.count + 2)
  }
}
