import Foundation
import ImageModel
import Testing

@testable import DiskCaching
@testable import TestSupport

@Suite struct `Recently read records` {
  private var recent = RecentEntries<StoredRecord>(
    count: StoredRecord.maximumRecentCount, attemptsPerReplacement: 4)

  private func record(_ sequence: UInt64) -> StoredRecord {
    StoredRecord(
      record: CacheRecord(key: .original(url: "\(sequence)"), at: Date()), sequence: sequence,
      boot: 0, path: "")
  }

  private static let places = UInt64(StoredRecord.maximumRecentCount)

  @Test mutating func `are found by their number alone, and fill every place`() {
    #expect(recent[0] == nil && recent[.max] == nil)
    for sequence in 0..<Self.places { recent.insert(record(sequence)) }

    #expect((0..<Self.places).allSatisfy { recent[$0]?.record.key == .original(url: "\($0)") })
    #expect(recent[5 + Self.places] == nil)
  }

  @Test mutating func `are replaced at every fourth attempt to use a place`() {
    recent.insert(record(1))  // 1st attempt, an empty place
    var kept: [UInt64] = []
    for round in 1...8 as ClosedRange<UInt64> {
      recent.insert(record(1 + round * Self.places))
      kept.append((0...round).last { recent[1 + $0 * Self.places] != nil } ?? 99)
    }

    // Attempts 4 and 8 replace.
    #expect(kept == [0, 0, 3, 3, 3, 3, 7, 7])
  }

  @Test mutating func `are never those of another number, after any insertions`() {
    let seed: UInt64 = 17
    var random = SplitMix64(seed: seed)
    var inserted: Set<UInt64> = []
    for _ in 0..<5_000 {
      let sequence = UInt64.random(in: 0..<3 * Self.places, using: &random)
      if let found = recent[sequence] {
        #expect(found.sequence == sequence && inserted.contains(sequence), "seed \(seed)")
      }
      recent.insert(record(sequence))
      inserted.insert(sequence)
    }
  }
}

@Suite struct `Verified files` {
  private var files = RecentEntries<VerifiedFile>(count: VerifiedFile.maximumCount)

  private func file(_ inode: UInt64, changed: Int = 1, checksum: UInt32 = 1) -> VerifiedFile {
    let version = BodyFile.Version(inode: inode, byteCount: 10, changed: changed)
    return VerifiedFile(version: version, checksum: checksum)
  }

  @Test mutating func `are known by version and checksum, and limited in number`() {
    for inode in 0..<5000 as Range<UInt64> { files.insert(file(inode)) }

    #expect((0..<5000).filter { files[file($0)] != nil }.count == 1024)
    #expect(files[file(4999)] != nil)
    #expect(files[file(4999, checksum: 2)] == nil && files[file(4999, changed: 2)] == nil)
  }

  @Test func `have another version after a change of their bytes in place`() throws {
    let folder = try Scratch()
    let url = URL(fileURLWithPath: folder / "body")
    try Data([1, 2, 3]).write(to: url)
    let body = try #require(BodyFile(path: url.path))
    let before = try #require(body.version)
    #expect(body.version == before)

    // The clock of a file system ticks every few milliseconds.
    let writer = try FileHandle(forUpdating: url)
    for _ in 0..<1_000_000 where body.version == before {
      try writer.seek(toOffset: 0)
      try writer.write(contentsOf: Data([9]))
    }

    #expect(body.version != before)
    #expect(body.version?.inode == before.inode && body.version?.byteCount == 3)
  }
}
