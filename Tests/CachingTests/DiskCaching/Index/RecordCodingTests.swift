import Foundation
import HTTPCaching
import ImageModel
import Testing

@testable import DiskCaching

@Suite struct `Records of the index` {
  private let date = Date(timeIntervalSince1970: 1_592_300_000)

  /// A record with every property set.
  private func full() throws -> CacheRecord {
    var record = CacheRecord(key: .original(url: "https://a.org/é", vary: "accept: x"), at: date)
    record.content = CacheContent(
      hash: try #require(BlobHash(hex: String(repeating: "0f", count: 32))), byteCount: 1_234,
      checksum: 0xDEAD_BEEF)
    record.status = 203
    record.format = .jpeg
    record.size = PixelSize(width: 640, height: 480)
    record.frameCount = 3
    record.headers = HeaderText(text: "etag: \"1\"\n")
    record.requestTime = date + 1
    record.responseTime = date + 2.5
    record.isAlwaysStale = true
    record.originMark = Array(1...32)
    record.generation = TierGeneration(number: 99)
    record.sharedTags = ["day-2", "day-1"]
    record.sharedAt = date + 7
    record.failure = .httpStatus
    record.expires = date + 60
    record.groups = ["day:1", "role:top"]
    record.dominantColor = 0x12_34_56
    record.thumbHash = [9, 8, 7]
    record.lastAccess = date + 3
    return record
  }

  private func bytes(_ record: CacheRecord, boot: Int64 = 77) -> [UInt8] {
    var writer = ByteWriter()
    record.write(to: &writer, boot: boot)
    return writer.bytes
  }

  private func read(_ bytes: [UInt8]) -> (record: CacheRecord, boot: Int64)? {
    bytes.withUnsafeBytes {
      var reader = ByteReader($0)
      return CacheRecord.read(&reader)
    }
  }

  @Test func `are read as they were written, with every property`() throws {
    let record = try full()

    let found = try #require(read(bytes(record)))

    #expect(found.record == record)
    #expect(found.boot == 77)
  }

  @Test(arguments: [
    CacheKey.original(url: "https://a.org/x"), .variant(source: "https://a.org/x", recipe: "r"),
    .document(url: "https://a.org/day"),
  ])
  func `with nothing but a key are read as they were written`(key: CacheKey) throws {
    let record = CacheRecord(key: key, at: date)

    let found = try #require(read(bytes(record)))

    #expect(found.record == record)
    #expect(found.record.isNegative)
  }

  @Test func `that are cut off anywhere are not read`() throws {
    let whole = bytes(try full())

    for count in whole.indices { #expect(read(Array(whole[..<count])) == nil, "\(count) bytes") }
    // What follows is another record's.
    #expect(read(whole + [1, 2, 3]) != nil)
  }

  @Test func `of an unknown kind of key are not read`() throws {
    var bytes = bytes(try full())
    bytes[0] = 3

    #expect(read(bytes) == nil)
  }

  @Test func `with any changed byte are read or refused, without a trap`() throws {
    let whole = bytes(try full())

    for index in whole.indices {
      for value: UInt8 in [0, 0x7F, 0x80, 0xFF] {
        var damaged = whole
        damaged[index] = value
        if let found = read(damaged) {
          // A text may have become another one; lengths never reach beyond the record.
          #expect(found.record.thumbHash.count < whole.count)
        }
      }
    }
  }

  @Test func `have a head with their number, key and checksum, padded to 16 bytes`() throws {
    var head = RecordHead()
    head.kind = .state
    head.sequence = 5
    head.hash = 6
    head.previous = 7
    head.born = 8

    let record = head.record { StateRecord(name: "feed", value: "x").write(to: &$0) }

    #expect(record.count == 64)
    #expect(record[..<4] == [0x49, 0x4D, 0x43, 0x52])
    let (read, isIntact) = record.withUnsafeBytes { bytes in
      (RecordHead(bytes), RecordHead(bytes)?.isIntact(bytes))
    }
    head.recordByteCount = 61
    #expect(read == head)
    #expect(read?.paddedByteCount == 64)
    #expect(isIntact == true)
  }

  @Test func `with any flipped bit are not intact`() {
    let head = RecordHead()
    let record = head.record { GroupRecord(name: "day:1").write(to: &$0) }
    // Magic and length are compared by themselves, the padding carries nothing.
    let length = RecordHead.byteCount + 4 + 5 + 1 + 8

    for bit in 64..<8 * length {
      var damaged = record
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      let isIntact = damaged.withUnsafeBytes { RecordHead($0)?.isIntact($0) ?? false }
      #expect(!isIntact, "bit \(bit)")
    }
  }

  @Test(arguments: [(4, 0 as UInt32), (4, 47), (12, 0), (12, 5), (0, 0)] as [(Int, UInt32)])
  func `with an impossible length, kind or magic have no head`(offset: Int, value: UInt32) {
    var bytes = RecordHead().record { $0.text("abc") }
    withUnsafeBytes(of: value.littleEndian) {
      for (index, byte) in $0.enumerated() { bytes[offset + index] = byte }
    }

    #expect(bytes.withUnsafeBytes { RecordHead($0) } == nil)
    #expect(bytes[..<47].withUnsafeBytes { RecordHead($0) } == nil)
  }

  @Test func `longer than a mebibyte have no head`() {
    let longest = RecordHead.maximumByteCount
    func head(_ count: Int) -> RecordHead? {
      var bytes = RecordHead().record { _ in }
      withUnsafeBytes(of: UInt32(count).littleEndian) {
        for (index, byte) in $0.enumerated() { bytes[4 + index] = byte }
      }
      return bytes.withUnsafeBytes { RecordHead($0) }
    }

    #expect(head(longest)?.recordByteCount == 1_048_560)
    #expect(head(longest + 1) == nil)
  }
}
