import Foundation
import HTTPCaching
import HTTPTypes
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

  @Test func `are read as they were written, with every property or with a key alone`() throws {
    let keys = [
      CacheKey.original(url: "https://a.org/x"), .document(url: "https://a.org/day"),
      .variant(source: "https://a.org/x", recipe: "r"),
    ]

    for record in [try full()] + keys.map({ CacheRecord(key: $0, at: date) }) {
      let found = try #require(read(bytes(record)))
      #expect(found.record == record && found.boot == 77)
    }
  }

  @Test func `that are cut off anywhere are not read`() throws {
    let whole = bytes(try full())

    for count in whole.indices { #expect(read(Array(whole[..<count])) == nil, "\(count) bytes") }
    // What follows is another record's.
    #expect(read(whole + [1, 2, 3]) != nil)
    // An unknown kind of key.
    #expect(read([3] + whole.dropFirst()) == nil)
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

  @Test(
    arguments: [
      (4, 0, nil), (4, 47, nil), (12, 0, nil), (12, 5, nil), (0, 0, nil),
      (4, UInt32(RecordHead.maximumByteCount), 1_048_560),
      (4, UInt32(RecordHead.maximumByteCount + 1), nil),
    ] as [(Int, UInt32, Int?)])
  func `with an impossible length, kind or magic have no head`(
    offset: Int, value: UInt32, byteCount: Int?
  ) {
    var bytes = RecordHead().record { $0.text("abc") }
    withUnsafeBytes(of: value.littleEndian) { bytes.replaceSubrange(offset..<offset + 4, with: $0) }

    #expect(bytes.withUnsafeBytes { RecordHead($0)?.recordByteCount } == byteCount)
    #expect(bytes[..<47].withUnsafeBytes { RecordHead($0) } == nil)
  }
}

@Suite struct `Stored header fields` {
  private func fields(_ pairs: [(String, String)]) throws -> HTTPFields {
    var fields = HTTPFields()
    for (name, value) in pairs {
      fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
    }
    return fields
  }

  @Test func `are a line each, in their order, names in lower case`() throws {
    let text = HeaderText(
      try fields([
        ("ETag", "\"1\""), ("Cache-Tag", "a"), ("Content-Type", "image/png"), ("Cache-Tag", "b: c"),
      ]))

    #expect(
      text.text == "etag: \"1\"\ncache-tag: a\ncontent-type: image/png\ncache-tag: b: c\n")
    #expect(text.first("cache-tag") == "a")
    #expect(text.values("cache-tag") == ["a", "b: c"])
    #expect(text.first("Cache-Tag") == nil && text.values("age") == [])
  }

  @Test func `are read as they were written, bytes that are not UTF-8 among them`() throws {
    let name = try #require(HTTPField.Name("X-Name"))
    let bytes: [UInt8] = [0x22, 0xE9, 0xFF, 0x80, 0x22]
    var fields = try fields([("X-Plain", "é — ok"), ("X-Empty", "")])
    fields.append(HTTPField(name: name, value: bytes))

    let text = HeaderText(fields)

    #expect(text.text == "x-plain: é — ok\nx-empty: \nx-name: \u{1}\"éÿ\u{80}\"\n")
    let read = text.fields
    #expect(read.map { Array($0.value.utf8) }.prefix(2) == [Array("é — ok".utf8), []])
    let found = read[fields: name].map { $0.withUnsafeBytesOfValue { Array($0) } }
    #expect(found == [bytes])
  }

  @Test(arguments: ["", "no colon\n", "\n\n", "a b: c\n", ": value\n"])
  func `that are not legible are left out`(text: String) {
    #expect(HeaderText(text: text).fields.isEmpty)
  }

  @Test(arguments: [
    ("Cache-Control", "private", true), ("Cache-Control", "no-store", true),
    ("Cache-Control", "PRIVATE, max-age=60", true), ("Cache-Control", "max-age=60", false),
    ("Cache-Control", "public", false), ("X-Note", "private", false),
    ("X-Private", "no-store", false), ("Cache-Control", "privates", false), ("Age", "1", false),
  ])
  func `are private where Cache-Control says so`(name: String, value: String, isPrivate: Bool)
    throws
  {
    #expect(HeaderText(try fields([(name, value)])).saysPrivate == isPrivate)
    #expect(!HeaderText(text: "").saysPrivate)
  }
}
