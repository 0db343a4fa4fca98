import Foundation
import Testing

@testable import DiskCaching
@testable import ImageModel
@testable import TestSupport

/// The table and the log behind a disk cache: growth, damage, and visibility to other instances.
@Suite struct `Disk index`: OnDisk {
  let folder = CacheFolder()

  func fill(_ cache: DiskStore, _ numbers: Range<Int>) throws {
    for number in numbers {
      try cache.store(bytes(number), record(number))
    }
  }

  @Test func `a table full of shared contents that damage made up ends no search`() throws {
    let layout = EntryTable.Layout(capacity: 2 * EntryTable.leastCapacity)
    do {
      let cache = try open()
      // Removals make the table that gc writes smaller.
      try fill(cache, 0..<EntryTable.leastCapacity + 20)
      for number in 20..<EntryTable.leastCapacity + 20 { _ = try cache.remove([key(number)]) }
      #expect(try #require(cache.index.readable()).table.layout == layout)
    }
    try overwriteTable(
      word: layout.shared, [UInt8](repeating: 7, count: 16 * layout.sharedCapacity))
    let cache = try open()

    _ = try cache.collectGarbage()

    for number in 0..<20 { #expect(cache.read(key(number))?.bytes == bytes(number), "\(number)") }
    #expect(cache.index.fault() == nil)
  }

  @Test(.isLong) func `damage in any word of the table is at most a miss, and is repaired`() throws
  {
    do {
      let cache = try open()
      try fill(cache, 0..<20)
      try cache.addGroup("day:1", to: [key(3)])
      _ = try cache.setPinned(true, group: "day:1")
    }
    let whole = try Data(contentsOf: URL(fileURLWithPath: path("index.table")))
    var random = SplitMix64(seed: 11)
    let header = Array(0..<EntryTable.Word.policy)
    let entries = (0..<20 * EntryTable.stride).map { EntryTable.Word.entries + $0 }
    let layout = EntryTable.Layout(capacity: EntryTable.leastCapacity)
    let buckets = (0..<60).map { _ in
      Int.random(in: layout.buckets..<layout.wordCount, using: &random)
    }

    for word in header + entries + buckets {
      // A scan skips what repairs have done to the log, which remains the same file.
      try whole.write(to: URL(fileURLWithPath: path("index.table")))
      try overwriteTable(word: word, (0..<8).map { _ in .random(in: 0...255, using: &random) })

      let cache = try open()
      for number in 0..<20 {
        let found = cache.read(key(number))?.bytes
        #expect(found == nil || found == bytes(number), "word \(word), entry \(number)")
      }
      try cache.store(bytes(99), record(99))
      #expect(cache.read(key(99))?.bytes == bytes(99), "word \(word)")
      _ = try cache.verify(repair: true)
      for number in 0..<20 {
        #expect(cache.read(key(number))?.bytes == bytes(number), "word \(word), entry \(number)")
      }
      #expect(cache.record(for: key(3))?.isPinned == true, "word \(word)")
      #expect(cache.statistics().entryCount == 21, "word \(word)")
      #expect(try cache.verify(repair: false).indexFault == nil, "word \(word)")
      try cache.remove([key(99)])
      cache.close()
    }
  }

  @Test func `a failure after a file was named leaves no file behind`() throws {
    let files = FaultyFileSystem()
    let cache = try open(files) { $0.durability = .strict }
    try fill(cache, 0..<1)
    files.set(.init())
    try fill(cache, 1..<2)
    let calls = files.callCount
    for call in 1...calls {
      files.set(.init(call: call, number: EIO))
      _ = try? cache.store(bytes(100 + call), record(100 + call))
      files.set(.init())
      if cache.record(for: key(100 + call)) != nil { try cache.remove([key(100 + call)]) }
    }
    #expect(self.files(under: "blobs").count == 2)
  }

  @Test func `bytes already on disk are compared, and replaced when wrong`() throws {
    let cache = try open()
    try fill(cache, 0..<1)
    try overwrite(try #require(cache.path(for: key(0))), [])

    try cache.store(bytes(0), record(1))

    #expect(cache.read(key(1))?.bytes == bytes(0))
    #expect(cache.read(key(0))?.bytes == bytes(0))
    #expect(cache.statistics().byteCount == bytes(0).count)
    try cache.remove([key(0)])
    #expect(cache.read(key(1))?.bytes == bytes(0))
    try cache.remove([key(1)])
    #expect(self.files(under: "blobs") == [])
  }

  @Test func `a file system without O_TMPFILE is supported`() throws {
    let files = FaultyFileSystem().withoutUnnamed()
    let cache = try open(files)
    try fill(cache, 0..<5)
    try cache.store(bytes(0), record(9))

    for number in 0..<5 { #expect(cache.read(key(number))?.bytes == bytes(number)) }
    #expect(cache.read(key(9))?.bytes == bytes(0))
    try cache.remove([key(0)])
    #expect(cache.read(key(9))?.bytes == bytes(0))
    #expect(self.files(under: "tmp") == [])
  }

  @Test func `after a reboot stored entries are found in the log`() throws {
    do {
      let cache = try open()
      try fill(cache, 0..<30)
      try cache.remove([key(4)])
      try cache.addGroup("day:1", to: [key(3)])
      _ = try cache.setPinned(true, group: "day:1")
      try cache.updateStates([]) { _ in ["feed": "zhihu"] }
      try cache.store(bytes(1), record(40))
      clock.advance(by: 100)
      #expect(cache.read(key(5)) != nil)
    }
    try overwriteTable(word: EntryTable.Word.boot)

    let cache = try open()

    // This is not damage; counts and accesses are preserved.
    #expect(log == [])
    #expect(cache.statistics().total[.stores] == 31)
    #expect(cache.statistics().total[.diskHits] == 1)
    #expect(cache.record(for: key(5))?.lastAccess == clock.now)
    #expect(cache.record(for: key(5))?.accessCount == 2)

    for number in 0..<30 {
      #expect(cache.read(key(number))?.bytes == (number == 4 ? nil : bytes(number)))
    }
    #expect(cache.record(for: key(3))?.isPinned == true)
    #expect(cache.state("feed") == "zhihu")
    #expect(cache.groups() == ["day:1"])
    #expect(cache.statistics().entryCount == 30)
    #expect(cache.statistics().byteCount == 29 * bytes(0).count)
    // A file without an entry, as after a power loss, is not taken for another's.
    let orphan = bytes(77)
    let content = orphan.withUnsafeBytes { CacheContent(of: $0) }
    let staged = try cache.stage(orphan.span.bytes)
    _ = try staged.finish()
    _ = try staged.publish(as: content, in: .images)
    try cache.store(orphan, record(77))
    #expect(cache.statistics().byteCount == 30 * bytes(0).count)
    try cache.remove([key(77)])
    #expect(cache.path(for: key(77)) == nil)
    #expect(try cache.collectGarbage() == GarbageReport())
  }
}
