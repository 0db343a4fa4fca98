import Foundation
import Testing

@testable import DiskCaching
@testable import TestSupport

@Suite struct `Groups of cache entries`: OnDisk {
  let folder = CacheFolder()
  private let cache: DiskStore

  init() throws { cache = try DiskStore(folder.configuration { $0.setRoom(files: 20) }) }

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
    #expect(cache.read(key("a")) != nil && cache.read(key("b")) != nil)
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

  @Test func `of another family do not keep an entry, unless they are pinned`() throws {
    try store("free", groups: ["day:1", "role:top"])
    try store("kept", groups: ["day:1", "mine"])
    try cache.setPinned(true, group: "mine")

    #expect(try cache.removeGroup("day:1") == 1)

    #expect(cache.record(for: key("free")) == nil)
    #expect(cache.groups(of: key("kept")) == ["mine"])
  }
}
