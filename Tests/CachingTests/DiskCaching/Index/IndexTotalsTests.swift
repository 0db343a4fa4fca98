import Foundation
import Testing

@testable import DiskCaching
@testable import ImageModel
@testable import TestSupport

/// The size limit relies on totals in the last record: they must be right after every change.
@Suite struct `Totals of the disk index`: OnDisk {
  let folder = CacheFolder()

  private func key(_ number: Int) -> CacheKey {
    number % 5 == 4 ? .document(url: "\(number)") : .original(url: "\(number)")
  }

  /// The totals of a full count.
  func counted(_ cache: DiskStore) throws -> IndexTotals {
    var totals = IndexTotals()
    var seen: Set<[String]> = []
    var listing = try cache.listing(of: .all)
    for record in listing.next(.max, in: cache).map(\.record) {
      let area = BlobArea(of: record.key)
      totals.add(1, of: area, isNegative: record.isNegative)
      if let hash = record.content?.hash, seen.insert([area.folder, hash.hex]).inserted {
        totals.add(byteCount: record.byteCount, in: area)
      }
    }
    return totals
  }

  @Test func `totals equal a full count after any order of changes`() throws {
    var random = SplitMix64(seed: 2_020_0616)
    let cache = try open { $0.setRoom(files: 14) }

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

      let totals = cache.index.totals
      #expect(try totals == counted(cache), "after step \(step)")
      #expect(totals.images.countedByteCount <= 14 * 4096)
    }
    try cache.remove(matching: .all)
    #expect(cache.statistics().byteCount == 0)
    #expect(cache.index.totals == IndexTotals())
  }

  @Test func `a change that fails leaves the totals of the others under its lock`() throws {
    let cache = try open { $0.setRoom(files: 14) }
    try cache.store([1, 2, 3], CacheRecord(key: key(0), at: clock.now))
    struct Refusal: Error {}

    #expect(throws: ImageError.self) {
      try cache.index.write { _ in throw Refusal() }
    }
    try cache.store([1, 2, 3, 4], CacheRecord(key: key(1), at: clock.now))

    #expect(try cache.index.totals == counted(cache))
    #expect(cache.index.totals.images.count == 2)
  }
}
