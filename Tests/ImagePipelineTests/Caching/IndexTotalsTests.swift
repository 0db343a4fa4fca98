import Foundation
import Testing

@testable import DiskCaching
@testable import ImageModel

/// The limit stands on totals that the last row carries: they have to be right after every change.
@Suite struct `Disk cache, totals` {
  let directory = TemporaryDirectory()
  let clock = ManualClock()

  func open() throws -> DiskStore {
    var configuration = DiskCache.Configuration(directory: directory.path("cache"))
    configuration.setRoom(files: 14)
    let clock = clock
    configuration.clock = { clock.now }
    return try DiskStore(configuration)
  }

  func key(_ number: Int) -> CacheKey {
    number % 5 == 4 ? .document(url: "\(number)") : .original(url: "\(number)")
  }

  /// What a count of all entries says.
  func counted(_ cache: DiskStore) -> IndexTotals {
    var totals = IndexTotals()
    var seen: Set<[String]> = []
    for record in cache.page(of: .all, after: 0).map(\.record) {
      let area = BlobArea(of: record.key)
      totals.add(1, of: area, isNegative: record.isNegative)
      if let hash = record.content?.hash, seen.insert([area.folder, hash.hex]).inserted {
        totals.add(byteCount: record.byteCount, in: area)
      }
    }
    return totals
  }

  @Test func `totals are what a count says after any order of changes`() throws {
    var random = SplitMix64(seed: 2_020_0616)
    let cache = try open()

    for step in 0..<600 {
      let number = Int.random(in: 0..<40, using: &random)
      var record = CacheRecord(key: key(number), at: clock.now)
      clock.advance(by: 1)
      switch Int.random(in: 0..<8, using: &random) {
      case 0: try cache.remove([key(number)])
      case 1: try cache.remove([key(number), key(number + 1), key(number + 2)])
      case 2:
        record.expires = clock.now + 30
        try cache.storeNegative(record)
      case 3: _ = try cache.collectGarbage()
      default:
        // Few different bodies, so that many entries share one.
        let seed = Int.random(in: 0..<12, using: &random)
        try cache.store([UInt8](repeating: UInt8(seed), count: 900 + 500 * seed), record)
      }

      let totals = try #require(cache.index.read { try $0.totals() })
      #expect(totals == counted(cache), "after step \(step)")
      #expect(totals.countedImageByteCount <= 14 * 4096)
    }
    try cache.remove(matching: .all)
    #expect(cache.statistics().byteCount == 0)
    #expect(cache.index.read { try $0.totals() } == IndexTotals())
  }

  @Test func `a change that fails leaves the totals of the others in its transaction`() throws {
    let cache = try open()
    try cache.store([1, 2, 3], CacheRecord(key: key(0), at: clock.now))
    struct Refusal: Error {}
    let record = CacheRecord(key: key(1), at: clock.now)
    let writer = try IndexWriter(path: directory.path("cache/index.sqlite"), durability: .relaxed)
    let good = PendingWrite { writer in
      _ = try writer.insert(record, isNew: true, boot: 0, rank: 0)
    }
    let bad = PendingWrite { writer in
      let found = try writer.record(for: .original(url: "0"))
      if let found {
        try writer.delete(found)
      }
      throw Refusal()
    }

    try writer.run([bad, good, bad], generations: nil)

    let totals = try #require(cache.index.read { try $0.totals() })
    #expect(bad.error is Refusal)
    #expect(good.error == nil)
    #expect(totals == counted(cache))
    #expect(totals.imageByteCount == 3)
    #expect(totals.negativeCount == 1)
  }
}
