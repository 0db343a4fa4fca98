import Foundation
import Testing

@testable import DiskCaching
@testable import HTTPCaching
@testable import TestSupport

@Suite struct `What another server has purged`: OnDisk {
  let folder = CacheFolder()
  private let cache: DiskCache

  init() throws { cache = try DiskCache(folder.configuration()) }

  private func url(_ name: String) -> String { "https://a.org/\(name)" }

  private func store(_ name: String, groups: Set<String> = [], tags: String? = nil) async throws {
    var record = record(name, groups: groups)
    if let tags { record.headers = HeaderText(text: "cache-tag: \(tags)\n") }
    try await cache.store(Array(name.utf8), record)
  }

  private func names() async -> Set<String> {
    Set(await cache.list().map { String($0.key.name.dropFirst("https://a.org/".count)) })
  }

  @Test func `is forgotten by URL and by tag`() async throws {
    for (name, tags) in [("a", nil), ("b", "red, blue"), ("c", "blue"), ("d", nil)]
      as [(String, String?)]
    {
      try await store(name, tags: tags)
    }
    clock.advance(by: 10)

    try await cache.forget(
      TierPurge(urls: [url("a")], tags: ["red", "not a tag"], time: clock.now))

    #expect(await names() == ["c", "d"])
  }

  @Test func `of a day is forgotten unless it is here for another group`() async throws {
    try await store("only", groups: ["day:1"])
    try await store("both", groups: ["day:1", "day:2"])
    try await store("pinned", groups: ["day:1", "mine"])
    try await store("other", groups: ["day:2"])
    clock.advance(by: 10)

    try await cache.forget(TierPurge(tags: ["day-1"], time: clock.now))
    #expect(await names() == ["both", "pinned", "other"])
    // Of both days together nothing else keeps it.
    try await cache.forget(TierPurge(tags: ["day-1", "day-2"], time: clock.now + 1))

    #expect(await names() == ["pinned"])
  }

  @Test func `stays where it was fetched more than two seconds later`() async throws {
    let time = clock.now
    try await store("before")
    clock.advance(by: 1.5)
    try await store("within")
    clock.advance(by: 1)
    try await store("after")

    try await cache.forget(
      TierPurge(urls: ["before", "within", "after"].map(url), time: time))

    #expect(await names() == ["after"])
  }

  @Test func `by tag is remembered by its latest time`() async throws {
    #expect(await cache.lastSharedPurge == .distantPast)
    let time = clock.now

    try await cache.forget(TierPurge(urls: [url("a")], time: time))
    #expect(await cache.lastSharedPurge == .distantPast)
    try await cache.forget(TierPurge(tags: ["red"], time: time))
    #expect(await cache.lastSharedPurge == time)
    try await cache.forget(TierPurge(tags: ["red"], time: time - 60))
    #expect(await cache.lastSharedPurge == time)
    try await cache.forget(TierPurge(tags: ["red"], time: time + 0.25))

    #expect(await cache.lastSharedPurge == time + 0.25)
    await cache.close()
    #expect(try await openCache().lastSharedPurge == time + 0.25)
  }

  @Test func `is unknown where the remembered time is not legible`() async throws {
    try await cache.setStates(["shared-purge": "yesterday", "shared-purge-2": "5"])

    #expect(await cache.lastSharedPurge == .distantPast)
  }
}
