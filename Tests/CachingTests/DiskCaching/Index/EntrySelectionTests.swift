import Foundation
import ImageModel
import Testing

@testable import DiskCaching
@testable import TestSupport

@Suite struct `A selection of cache entries`: OnDisk {
  let folder = CacheFolder()
  private let cache: DiskCache

  /// An original, a variant, a document and a remembered failure, a second apart; the first two and
  /// the document are in the group `day:1`.
  init() throws {
    cache = try DiskCache(folder.configuration())
    for (index, key) in Self.keys.enumerated() {
      var record = CacheRecord(key: key, at: clock.now)
      if index == 3 {
        record.failure = .httpStatus
        try cache.core.storeNegative(record)
      } else {
        record.groups = ["day:1"]
        try cache.core.store([UInt8(index)], record)
      }
      clock.advance(by: 1)
    }
  }

  private static let keys: [CacheKey] = [
    .original(url: "https://a.org/0"), .variant(source: "https://a.org/0", recipe: "r"),
    .document(url: "https://a.org/2"), .original(url: "https://a.org/3"),
  ]

  /// Returns the indices of the selected keys.
  private func found(_ selection: EntrySelection) async -> [Int] {
    await cache.list(matching: selection).map { Self.keys.firstIndex(of: $0.key) ?? -1 }
  }

  @Test func `has the entries of a kind, of a group, or of both, oldest first`() async {
    #expect(await found(.all) == [0, 1, 2, 3])
    #expect(await found(EntrySelection(kind: .original)) == [0, 3])
    #expect(await found(EntrySelection(kind: .variant)) == [1])
    #expect(await found(EntrySelection(kind: .document)) == [2])
    #expect(await found(EntrySelection(group: "day:1")) == [0, 1, 2])
    #expect(await found(EntrySelection(group: "day")) == [])
    #expect(await found(EntrySelection(group: "")) == [])
    let before = clock.now - 2.5
    #expect(await found(EntrySelection(group: "day:1", kind: .original)) == [0])
    #expect(await found(EntrySelection(group: "day:1", kind: .document, before: before)) == [])
    #expect(await found(EntrySelection(kind: .variant, before: before)) == [1])
  }

  @Test func `has the entries fetched or confirmed before a moment`() async throws {
    let start = clock.now - 4
    #expect(await found(EntrySelection(before: start)) == [])
    #expect(await found(EntrySelection(before: start + 1)) == [0])
    #expect(await found(EntrySelection(before: start + 4)) == [0, 1, 2, 3])

    var confirmed = try #require(await cache.record(for: Self.keys[0]))
    confirmed.responseTime = clock.now
    try cache.core.update(confirmed)

    #expect(await found(EntrySelection(before: start + 2)) == [1])
  }

  @Test func `is removed, and nothing else is`() async throws {
    #expect(try cache.core.remove(matching: EntrySelection(group: "day:1", kind: .variant)) == 1)
    #expect(await found(.all) == [0, 2, 3])
    #expect(try cache.core.remove(matching: EntrySelection(before: clock.now - 1.5)) == 2)
    #expect(await found(.all) == [3])
    #expect(try cache.core.remove(matching: .all) == 1)
    #expect(try cache.core.remove(matching: .all) == 0)
  }

  @Test func `leaves out entries that are removed while it is read`() async throws {
    var listing = try EntryListing(.all, in: cache.core.index)
    let first = listing.next(1, in: cache.core).map(\.record.key)
    try await cache.remove([Self.keys[1], Self.keys[2]])

    let rest = listing.next(10, in: cache.core).map(\.record.key)

    #expect(first == [Self.keys[0]])
    #expect(rest == [Self.keys[3]])
    #expect(listing.next(10, in: cache.core).isEmpty)
  }
}
