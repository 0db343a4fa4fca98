import Foundation
import ImageModel
import Testing

@testable import DiskCaching
@testable import TestSupport

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
