import Foundation
import Testing

@testable import DiskCaching
@testable import ImageFeeds
@testable import ImageModel
@testable import imgcache
@testable import TestSupport

/// What `rm`, `pin`, `unpin` and `gc` remove, and above all what they keep.
@Suite(.needsProgram, .timeLimit(.minutes(15)))
struct `The rm command` {
  private func run(_ cache: Scratch, _ arguments: String...) async throws -> Tool.Outcome {
    try await Tool.run(arguments, cache: cache)
  }

  private func urls(_ cache: Scratch) async throws -> Set<String> {
    let listed = try await run(cache, "ls", "--json")
    return Set(try listed.objects().compactMap { $0["url"] as? String })
  }

  /// A cache with images of two days in 2020, one of both, one of none, a thumbnail and a feed
  /// document, all ten minutes old; and a new image.
  private func filled() async throws -> Scratch {
    let scratch = try Scratch()
    let cache = try DiskCache(DiskCache.Configuration(directory: scratch / "cache"))
    let old = Date() - 600
    func store(_ key: CacheKey, _ days: [String], at date: Date) async throws {
      var record = CacheRecord(key: key, at: date)
      record.groups = Set(days.map { "day:\($0)" })
      try await cache.store(Array("\(key)".utf8), record)
    }
    try await store(.original(url: "http://x.invalid/a"), ["20200616"], at: old)
    try await store(.original(url: "http://x.invalid/b"), ["20200617"], at: old)
    try await store(.original(url: "http://x.invalid/both"), ["20200616", "20200617"], at: old)
    try await store(.original(url: "http://x.invalid/none"), [], at: old)
    try await store(.variant(source: "00", recipe: "r"), [], at: old)
    try await store(.document(url: "http://x.invalid/feed"), [], at: old)
    try await store(.original(url: "http://x.invalid/new"), [], at: Date())
    return scratch
  }

  private static let all = Set(["a", "b", "both", "none", "new"].map { "http://x.invalid/" + $0 })

  @Test func `a duration without a unit removes nothing, wherever it comes from`() async throws {
    let cache = try await filled()
    let file = try cache.write("retries: 1\ngc:\n  max-age: 1\n", to: "c.yaml")
    let tool = with(Tool.imgcache) { $0.environment = ["IMGCACHE_MAX_AGE": "1"] }

    let ambiguous = try await run(cache, "rm", "--older-than", "3M")
    let variable = try await tool.run(["gc", "--cache-dir", cache / "cache"])
    let configured = try await run(cache, "gc", "--config", file)
    let typed = try await run(cache, "rm", "--older-than", "3")

    #expect(ambiguous.status == 64 && ambiguous.errors.contains("Ambiguous unit"))
    for outcome in [variable, configured, typed] {
      #expect(outcome.status == 64 && outcome.errors.contains("Missing unit in duration"))
    }
    #expect(variable.errors.contains("--max-age is set by IMGCACHE_MAX_AGE"))
    #expect(configured.errors.contains("--max-age is set by \(file):3"))
    #expect(try await urls(cache) == Self.all)
  }

  @Test func `older entries are removed, and counted by their kinds`() async throws {
    let cache = try await filled()

    let none = try await run(cache, "rm", "--older-than", "1h")
    let some = try await run(cache, "rm", "--older-than", "5m")
    let again = try await run(cache, "rm", "--older-than", "5m")
    let last = try await run(cache, "rm", "--older-than", "0s")

    #expect(none.status == 0 && none.errors == "0 images removed\n")
    #expect(some.errors == "4 images, 1 thumbnail and 1 feed document removed\n")
    #expect(again.errors == "0 images removed\n")
    #expect(last.errors == "1 image removed\n")
    #expect(try await urls(cache) == [])
  }

  @Test func `a pinned day is kept, counted and still listed by its feed`() async throws {
    let cache = try await filled()

    let pinned = try await run(cache, "pin", "20200616")
    let removed = try await run(cache, "rm", "--older-than", "5m", "--json")
    let left = try await urls(cache)
    let text = try await run(cache, "rm", "--older-than", "5m")
    let documents = try await run(cache, "stats", "--json")
    let unpinned = try await run(cache, "unpin", "2020-06-16")

    #expect(pinned.errors == "20200616: 2 images pinned\n")
    #expect(unpinned.errors == "20200616: 2 images unpinned\n")
    let object = try #require(try removed.objects().first)
    #expect(object["removed"] as? Int == 3 && object["images"] as? Int == 2)
    #expect(object["pinned"] as? Int == 2)
    #expect(left == Set(["a", "both", "new"].map { "http://x.invalid/" + $0 }))
    #expect(text.errors == "0 images removed; 2 pinned images spared\n")
    #expect(try documents.objects().first?["documents"] as? Int == 1)
  }

  @Test func `a removed day takes the images that no other day has`() async throws {
    let cache = try await filled()

    let listed = try await run(cache, "ls", "--json", "--day", "2020/06/17")
    let planned = try await run(cache, "rm", "20200616", "--dry-run", "--json")
    let one = try await run(cache, "rm", "20200616")
    let left = try await urls(cache)
    let other = try await run(cache, "rm", "20200601...20200630", "--json")
    let again = try await run(cache, "rm", "20200617", "--json")

    #expect(try listed.objects().count == 2)
    #expect(try planned.objects().compactMap { $0["url"] as? String } == ["http://x.invalid/a"])
    #expect(one.errors == "1 image removed\n")
    #expect(left == Self.all.subtracting(["http://x.invalid/a"]))
    #expect(try other.objects().first?["removed"] as? Int == 2)
    #expect(again.status == 1)
    #expect(try again.objects().map { $0["event"] as? String } == ["error", "summary"])
    #expect(try again.objects().first?["day"] as? String == "20200617")
  }

  @Test func `gc evicts what is not pinned, and reports what still exceeds the limit`() async throws
  {
    let cache = try await filled()
    _ = try await run(cache, "pin", "20200616")

    let within = try await run(cache, "gc", "--max-size", "1MiB", "--json")
    let over = try await run(cache, "gc", "--max-size", "64KiB", "--json")
    let left = try await urls(cache)
    let text = try await run(cache, "gc", "--max-size", "64KiB")

    #expect(within.status == 0 && over.status == 1 && text.status == 1)
    #expect(try within.objects().first?["over_limit_bytes"] as? Int == 0)
    let object = try #require(try over.objects().first)
    // Three originals and the thumbnail.
    #expect(object["evicted"] as? Int == 4)
    #expect(object["over_limit_bytes"] as? Int ?? 0 > 0)
    #expect(left == Set(["a", "both"].map { "http://x.invalid/" + $0 }))
    #expect(
      text.errors.contains("limit of 64 KiB, with the index alone"),
      "\(text.errors)")
    #expect(text.errors.contains("raise --max-size"))
  }

  @Test func `a dry run lists what it would remove and removes nothing`() async throws {
    let cache = try await filled()

    let old = try await run(cache, "rm", "--older-than", "5m", "--dry-run")
    let all = try await run(cache, "rm", "--all", "--dry-run", "--json")
    let url = try await run(cache, "rm", "http://x.invalid/a", "--dry-run")

    #expect(old.status == 0 && old.output.split(separator: "\n").count == 6)
    #expect(
      old.errors == "4 images, 1 thumbnail and 1 feed document would be removed\n")
    let objects = try all.objects()
    #expect(objects.dropLast().allSatisfy { $0["status"] as? String == "planned" })
    #expect(objects.last?["removed"] as? Int == 0 && objects.last?["would_remove"] as? Int == 7)
    #expect(url.output.hasSuffix("\thttp://x.invalid/a\n"))
    #expect(try await urls(cache) == Self.all)
  }

  @Test func `what is not there is named, and what can name nothing is misuse`() async throws {
    let cache = try await filled()

    let day = try await run(cache, "rm", "20130519")
    let tag = try await run(cache, "rm", "--tag", "nope")

    #expect(day.status == 1 && tag.status == 1)
    #expect(day.errors.hasPrefix("error: no image of 20130519 is cached\n"))
    #expect(tag.errors.hasPrefix("error: no image has the tag nope\n"))
    for arguments in [["--all", "--older-than", "1d"], ["http:/a", "20200616"], ["--tag=a b"]] {
      #expect(try await Tool.run(["rm"] + arguments, cache: cache).status == 64, "\(arguments)")
    }
    #expect(try await urls(cache) == Self.all)
  }

  @Test func `damage of one kind is reported a few times, and completely as JSON`() async throws {
    let cache = try Scratch()
    let disk = try DiskCache(DiskCache.Configuration(directory: cache / "cache"))
    for index in 0..<20 {
      let record = CacheRecord(key: .original(url: "http://x.invalid/\(index)"), at: Date())
      try await disk.store(Array("image \(index)".utf8), record)
      let path = try #require(await disk.path(for: record.key))
      try FileManager.default.removeItem(atPath: path)
    }
    await disk.close()

    let text = try await run(cache, "verify")
    let json = try await run(cache, "verify", "--json")
    let repaired = try await run(cache, "verify", "--repair")
    let sound = try await run(cache, "verify")

    #expect(text.status == 1 && text.output == "20 entries, 0 B: 20 damaged\n")
    #expect(text.errors.split(separator: "\n").count == 4)
    #expect(text.errors.hasSuffix("… and 17 more of the same kind: its file is missing\n"))
    #expect(try json.objects().count == 21)
    #expect(repaired.status == 1 && sound.status == 0)
    #expect(sound.output.hasSuffix(": 0 damaged\n") && sound.errors.isEmpty)
  }
}
