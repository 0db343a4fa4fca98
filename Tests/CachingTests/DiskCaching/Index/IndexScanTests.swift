import Foundation
import Testing

@testable import DiskCaching
@testable import ImageModel
@testable import TestSupport

/// What reads all entries: `gc`, lists, statistics. What it does not see, it takes for gone.
@Suite struct `A scan of the index`: OnDisk {
  let folder = CacheFolder()

  /// Opens the directory without permission to write.
  private func reader() throws -> DiskStore {
    try open(FaultyFileSystem(.init(call: 1, lasts: true, only: "mayWrite"))) {
      $0.access = .existing
    }
  }

  private func fill(_ store: DiskStore) throws {
    for number in 0..<40 {
      try store.store([UInt8(number), 1], record(number, groups: ["day:\(number % 2)"]))
    }
    try store.updateStates([]) { _ in ["feed": "zhihu"] }
  }

  private func addOrphan(to store: DiskStore) throws {
    let content = [1, 2, 3].withUnsafeBytes { CacheContent(of: $0) }
    let path = URL(fileURLWithPath: store.blobs.path(of: content.hash, in: .images))
    try FileManager.default.createDirectory(
      at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data([1, 2, 3]).write(to: path)
  }

  private func expectAll(of store: DiskStore) throws {
    for number in 0..<40 {
      #expect(store.read(key(number))?.bytes == [UInt8(number), 1], "\(number)")
    }
    var listing = try store.listing(of: .all)
    #expect(listing.next(100, in: store).count == 40)
    #expect(store.groups() == ["day:0", "day:1"])
    #expect(store.states(withPrefix: "") == ["feed": "zhihu"])
    #expect(store.statistics().entryCount == 40)
    #expect(store.index.fault() == nil)
  }

  /// Changes the word that shows changes, again and again, until it is stopped.
  private final class Writers: Sendable {
    private let (isDone, ended) = (Locked(false), DispatchSemaphore(value: 0))

    init(of table: EntryTable) {
      Thread.detachNewThread { [isDone, ended] in
        while !isDone.withLock({ $0 }) {
          for _ in 0..<100 { table.add(2, to: EntryTable.Word.turn) }
        }
        ended.signal()
      }
    }

    func stop() {
      isDone.withLock { $0 = true }
      ended.wait()
    }
  }

  @Test func `is complete while others write without a pause`() throws {
    let store = try open()
    try fill(store)
    try addOrphan(to: store)
    let reader = try reader()
    let writers = Writers(of: try #require(store.index.readable()).table)
    defer { writers.stop() }

    #expect(try store.collectGarbage().orphanCount == 1)
    try expectAll(of: store)
    try expectAll(of: reader)
    #expect(try store.removeGroup("day:1") == 20)
    #expect(try store.remove(matching: .all) == 20)
  }

  @Test func `that fails ends a collection of garbage, which removes no file`() throws {
    do { try fill(try open()) }
    let files = FaultyFileSystem()
    let store = try open(files)
    files.set(.init(call: 1, lasts: true, only: "read"))

    #expect(throws: ImageError.self) { try store.collectGarbage() }

    files.set(.init())
    try expectAll(of: store)
    #expect(try store.collectGarbage() == GarbageReport())
  }

  @Test(arguments: 0..<EntryTable.stride)
  func `finds the entries that the table has lost in the log`(word: Int) throws {
    let store = try open()
    try fill(store)
    try addOrphan(to: store)
    let table = try #require(store.index.readable()).table
    let index = EntryTable.Word.entries + 5 * EntryTable.stride + word
    table.poke(index, ~table.peek(index))

    #expect(try store.collectGarbage().orphanCount == 1)

    for number in 0..<40 {
      #expect(store.read(key(number))?.bytes == [UInt8(number), 1], "\(number)")
    }
    #expect(try !store.verify(repair: false).isDamaged)
  }

  @Test func `finds the entries to which no bucket leads`() throws {
    let store = try open()
    try fill(store)
    let table = try #require(store.index.readable()).table
    for word in table.layout.buckets..<table.layout.shared { table.poke(word, 0) }
    #expect(store.index.fault() == "an entry of the table is damaged")
    #expect(store.read(key(5)) == nil)

    #expect(try store.verify(repair: true).isRepaired)

    try expectAll(of: store)
  }

  /// A count below zero, or larger than the table.
  @Test(arguments: [UInt64.max, 1 << 63, 1 << 40, 0])
  func `repairs a table with an impossible number of entries`(count: UInt64) throws {
    let store = try open()
    try fill(store)
    let reader = try reader()
    func damage() throws {
      try #require(store.index.readable()).table.poke(EntryTable.Word.state, count)
    }

    try damage()
    #expect(reader.statistics().entryCount == 40)
    var listing = try reader.listing(of: .all)
    #expect(listing.next(100, in: reader).count == 40)
    #expect(store.statistics().entryCount == 40)
    try damage()
    listing = try store.listing(of: .all)
    #expect(listing.next(100, in: store).count == 40)
    try damage()
    #expect(try store.verify(repair: true).indexFault == "the table's totals are damaged")
    try damage()
    #expect(try store.setPinned(true, group: "day:1") == 20)
    try damage()
    #expect(try store.collectGarbage() == GarbageReport())
    try expectAll(of: store)
  }
}
