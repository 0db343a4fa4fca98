import Foundation
import ImageModel
import Testing

@testable import DiskCaching
@testable import TestSupport

@Suite struct `Groups of cache entries`: OnDisk {
  let folder = CacheFolder()
  private let cache: DiskStore

  init() throws {
    cache = try DiskStore(
      folder.configuration {
        $0.setRoom(files: 20)
        $0.policy = .lru
      })
  }

  private func store(_ name: String, groups: Set<String> = []) throws {
    try cache.store(Array(name.utf8), record(name, groups: groups))
  }

  private func isPinned(_ name: String) -> Bool? { cache.record(for: key(name))?.isPinned }

  @Test func `grow with each store and are listed by name`() throws {
    try store("a", groups: ["day:2", "role:top"])
    try store("a", groups: ["day:1"])
    try store("b", groups: ["day:1"])

    #expect(cache.groups(of: key("a")) == ["day:1", "day:2", "role:top"])
    #expect(cache.groups(of: key("b")) == ["day:1"])
    #expect(cache.groups(of: key("absent")) == [])
    #expect(cache.groups() == ["day:1", "day:2", "role:top"])
  }

  @Test func `are joined by entries that exist, and nothing is written for those in them`() throws {
    try store("a", groups: ["day:1"])
    let before = try #require(cache.index.readable()?.table.state)

    try cache.addGroup("day:1", to: [key("a"), key("absent")])

    #expect(cache.index.readable()?.table.state == before)
    #expect(cache.record(for: key("absent")) == nil)
    try cache.addGroup("day:2", to: [key("a"), key("absent"), key("a")])
    #expect(cache.groups(of: key("a")) == ["day:1", "day:2"])
  }

  @Test func `unpin an entry only once no other pinned group has it`() throws {
    try store("a", groups: ["day:1", "day:2"])
    try store("b", groups: ["day:1"])
    #expect(try cache.setPinned(true, group: "day:1") == 2)
    #expect(try cache.setPinned(true, group: "day:2") == 1)
    #expect(cache.statistics().pinnedCount == 2)

    #expect(try cache.setPinned(false, group: "day:1") == 2)

    #expect(isPinned("a") == true && isPinned("b") == false)
    #expect(try cache.setPinned(false, group: "day:2") == 1)
    #expect(isPinned("a") == false)
    #expect(cache.statistics().pinnedCount == 0)
  }

  @Test func `may be pinned before they have entries, also for the next process`() throws {
    #expect(try cache.setPinned(true, group: "day:9") == 0)
    cache.close()

    let other = try open { $0.setRoom(files: 20) }
    try other.store([1], record("a", groups: ["day:9"]))

    #expect(other.record(for: key("a"))?.isPinned == true)
    #expect(other.groups() == ["day:9"])
  }

  @Test func `that are pinned stay when the cache is full, also entries that join later`() throws {
    try store("a", groups: ["day:1"])
    try cache.setPinned(true, group: "day:1")
    try store("b")
    try cache.addGroup("day:1", to: [key("b")])

    for number in 0..<30 { try store("\(number)") }
    #expect(isPinned("a") == true && isPinned("b") == true)
    try cache.setPinned(false, group: "day:1")
    for number in 30..<60 { try store("\(number)") }

    #expect(cache.record(for: key("a")) == nil)
  }

  @Test func `are gone once they are removed, with their pin`() throws {
    try store("a", groups: ["day:1"])
    try cache.setPinned(true, group: "day:1")

    #expect(try cache.removeGroup("day:1") == 1)
    #expect(cache.groups() == [])
    try store("b", groups: ["day:1"])

    #expect(isPinned("b") == false)
    #expect(try cache.removeGroup("absent") == 0)
  }

  @Test func `stay as they are, with their pin, where the disk has no room for a removal`() throws {
    cache.close()
    let files = FaultyFileSystem()
    let full = try open(files) { $0.setRoom(files: 20) }
    for name in ["a", "b"] { try full.store(Array(name.utf8), record(name, groups: ["day:1"])) }
    try full.setPinned(true, group: "day:1")
    files.set(.init(call: 1, number: ENOSPC, lasts: true, only: "write"))

    #expect { try full.removeGroup("day:1") } throws: { ($0 as? ImageError)?.code == .diskFull }

    files.set(.init())
    #expect(["a", "b"].allSatisfy { full.record(for: key($0))?.isPinned == true })
    #expect(full.groups() == ["day:1"])
    #expect(try full.removeGroup("day:1") == 2)
    #expect(full.groups() == [])
  }

  #if os(Linux)
    @Test func `can be removed on a full disk: the log has space of its own`() throws {
      for number in 0..<100 { try store("\(number)", groups: ["day:1"]) }
      let directory = cache.configuration.directory
      let name = try #require(
        FileManager.default.contentsOfDirectory(atPath: directory)
          .first { $0.hasPrefix("index.records.") })
      var facts = stat()
      #expect(stat("\(directory)/\(name)", &facts) == 0)

      #expect(Int(facts.st_blocks) * 512 >= Int(facts.st_size) + 8 << 10)
    }
  #endif
}

@Suite struct `Small values of a cache directory`: OnDisk {
  let folder = CacheFolder()
  private let cache: DiskCache

  init() throws { cache = try DiskCache(folder.configuration()) }

  @Test func `are set, replaced and removed together`() async throws {
    try await cache.setStates(["feed:a": "1", "feed:b": "2", "other": "3"])
    try await cache.setStates(["feed:a": "10", "feed:b": nil, "absent": nil])

    #expect(await cache.state("feed:a") == "10")
    #expect(await cache.state("feed:b") == nil)
    #expect(await cache.states(withPrefix: "feed:") == ["feed:a": "10"])
    #expect(await cache.states(withPrefix: "") == ["feed:a": "10", "other": "3"])
    #expect(await cache.states(withPrefix: "none") == [:])
  }

  @Test(arguments: ["", "line\nline", "日报", String(repeating: "x", count: 100_000)])
  func `have any text, for the next process as well`(value: String) async throws {
    try await cache.setStates(["name": value])
    await cache.close()

    #expect(try await openCache().state("name") == value)
  }

  @Test func `are changed by what they were, those that are absent left out`() async throws {
    try await cache.setStates(["a": "1"])

    try await cache.updateStates(["a", "b"]) { old in
      ["a": (old["a"] ?? "none") + "+", "b": old["b"] == nil ? "new" : "old", "c": "set"]
    }

    #expect(await cache.states(withPrefix: "") == ["a": "1+", "b": "new", "c": "set"])
  }

  @Test func `are not lost where two instances change them at once`() async throws {
    let caches = [cache, try openCache()]

    await withTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        group.addTask {
          await #expect(throws: Never.self) {
            try await caches[number % 2].updateStates(["sum"]) { old in
              ["sum": String((old["sum"].flatMap { Int($0) } ?? 0) + 1)]
            }
          }
        }
      }
    }

    #expect(await cache.state("sum") == "40")
  }

  @Test func `are no entries and survive the removal of all`() async throws {
    try await cache.setStates(["a": "1"])
    try await cache.store([1, 2], record("x"))

    #expect(await cache.statistics().entryCount == 1)
    #expect(await cache.list().count == 1)
    try cache.core.remove(matching: .all)

    #expect(await cache.state("a") == "1")
    #expect(await cache.list().isEmpty)
  }
}
