import Foundation
import Testing

@testable import DiskCaching
@testable import ImageFeeds
@testable import TestSupport

/// The commands on cached days and URLs.
@Suite(.needsProgram) struct `Days in the cache` {
  private func run(_ cache: Scratch, _ arguments: [String]) async throws -> Tool.Outcome {
    try await Tool.imgcache.run(arguments + ["--json", "--cache-dir", cache / "cache"])
  }

  /// A cache with an image of one day, and one of the day before.
  private func filled() async throws -> Scratch {
    let scratch = try Scratch()
    let cache = try DiskCache(DiskCache.Configuration(directory: scratch / "cache"))
    for (day, name) in [("20200617", "a"), ("20200616", "b")] {
      let key = try #require(DayKey(day))
      var record = CacheRecord(key: .original(url: "http://x.invalid/\(name)"), at: Date())
      record.status = 200
      record.groups = ["day:\(key)"]
      try await cache.store([1, 2, 3], record)
    }
    return scratch
  }

  private func urls(_ outcome: Tool.Outcome) throws -> [String] {
    try outcome.objects().compactMap { $0["url"] as? String }
  }

  @Test func `days have the names that prefetch accepts; latest is the newest with an image`()
    async throws
  {
    let cache = try await filled()

    // A pin of a day without images does not make it newer.
    let empty = try await run(cache, ["pin", "--day", "99991231"])
    let latest = try await run(cache, ["ls", "--day", "latest"])
    let older = try await run(cache, ["ls", "--day", "2020/06/16"])
    let pinned = try await run(cache, ["pin", "--day", "latest"])
    let unpinned = try await run(cache, ["unpin", "--day", "latest"])
    let before = try await run(cache, ["ls", "--day", "yesterday"])
    let removed = try await run(cache, ["rm", "--day", "latest"])
    let now = try await run(cache, ["ls", "--day", "latest"])

    #expect(empty.status == 1)
    #expect(try urls(latest) == ["http://x.invalid/a"])
    #expect(try urls(older) == ["http://x.invalid/b"])
    #expect(try pinned.objects().first?["entries"] as? Int == 1)
    #expect(unpinned.status == 0)
    #expect(before.status == 0 && before.output.isEmpty)
    #expect(try removed.objects().first?["removed"] as? Int == 1)
    #expect(try urls(now) == ["http://x.invalid/b"])
  }

  @Test(arguments: [["ls"], ["rm"], ["pin"], ["unpin"]])
  func `latest of an empty cache is an error, and a range is misuse`(command: [String]) async throws
  {
    let cache = try Scratch()

    let latest = try await run(cache, command + ["--day", "latest"])
    let range = try await run(cache, command + ["--day", "20200101...20200102"])

    #expect(latest.status == 1)
    #expect(latest.errors.contains("error: no day is kept"))
    #expect(range.status == 64)
  }

  @Test(arguments: ["notaurl", "ftp://x.invalid/a.jpg", "http://"])
  func `a URL that get cannot fetch is misuse for explain, too`(url: String) async throws {
    let cache = try Scratch()

    let got = try await run(cache, ["get", url, "-o", cache / "out"])
    let explained = try await run(cache, ["explain", url])

    #expect(got.status == 64)
    #expect(explained.status == 64)
    #expect(
      explained.errors.split(separator: "\n").first == got.errors.split(separator: "\n").first)
    #expect(try errorCodes(explained) == ["invalid_argument"])
    #expect(!FileManager.default.fileExists(atPath: cache / "out"))
  }

  private func errorCodes(_ outcome: Tool.Outcome) throws -> [String] {
    try outcome.objects().compactMap { ($0["error"] as? [String: Any])?["code"] as? String }
  }
}
