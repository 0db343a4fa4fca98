import Foundation
import ImageModel
import Testing

@testable import DiskCaching
@testable import TestSupport

@Suite struct `The log of the index` {
  private let folder: Scratch

  init() throws { folder = try Scratch() }

  private func record(_ number: UInt64, byteCount: Int = 10) -> [UInt8] {
    var head = RecordHead()
    head.kind = .state
    head.sequence = number
    return head.record { $0.text(String(repeating: "x", count: byteCount)) }
  }

  private func log(_ bytes: [UInt8]) throws -> RecordLog {
    let path = folder / UUID().uuidString
    let log = try RecordLog.create(path, in: POSIXFileSystem())
    try log.append(bytes, at: 0)
    return log
  }

  /// The offsets and numbers of the records that are found.
  private func found(_ bytes: [UInt8], upTo end: Int? = nil) throws -> [[Int]] {
    var found: [[Int]] = []
    try log(bytes).forEachRecord(upTo: end ?? bytes.count) { offset, head, _ in
      found.append([offset, Int(head.sequence)])
    }
    return found
  }

  @Test func `has its records one behind the other`() throws {
    let bytes = record(1) + record(2, byteCount: 100) + record(3)

    #expect(try found(bytes) == [[0, 1], [64, 2], [224, 3]])
    #expect(try log(bytes).byteCount() == 288)
    #expect(try found([]) == [])
    #expect(RecordLog.path(in: "/c", number: 7) == "/c/index.records.7")
  }

  @Test func `is passed over where it is damaged, up to the next record`() throws {
    var bytes = record(1) + record(2, byteCount: 100) + record(3)
    bytes[64 + 60] ^= 1

    #expect(try found(bytes) == [[0, 1], [224, 3]])
    bytes[0] = 0
    #expect(try found(bytes) == [[224, 3]])
  }

  @Test func `whose last record is cut off has those before`() throws {
    let bytes = record(1) + record(2) + record(3)

    for count in 129..<191 {
      let isWhole = count >= 128 + RecordHead.byteCount + 14
      #expect(
        try found(Array(bytes[..<count])).count == (isWhole ? 3 : 2), "\(count) bytes")
    }
    // Bytes behind the end that the table names are of a writer that died.
    #expect(try found(bytes, upTo: 128) == [[0, 1], [64, 2]])
  }

  @Test func `is read in pieces, and finds a record on both sides of a border`() throws {
    let long = RecordHead.maximumByteCount - 64
    let bytes =
      record(1, byteCount: 5_000) + record(2, byteCount: long) + record(3, byteCount: long)
      + record(4)

    #expect(try found(bytes).map { $0[1] } == [1, 2, 3, 4])
  }

  @Test func `of foreign bytes has no records`() throws {
    var random = SplitMix64(seed: 8)
    let bytes = (0..<50_000).map { _ in UInt8.random(in: .min ... .max, using: &random) }

    #expect(try found(bytes) == [])
  }

  @Test func `is not opened where there is none, nor created where there is one`() throws {
    let files = POSIXFileSystem()
    let path = folder / "index.records.1"

    let absent = #expect(throws: FileSystemFailure.self) {
      try RecordLog.open(path, in: files, isWritable: true)
    }
    _ = try RecordLog.create(path, in: files)
    let present = #expect(throws: FileSystemFailure.self) { try RecordLog.create(path, in: files) }

    #expect(absent?.isAbsent == true && absent?.path == path)
    #expect(present?.exists == true)
  }
}
