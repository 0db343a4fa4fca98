import ImageModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A record as it is in the index, with what only the index knows.
struct IndexedRecord: Sendable {
  var record: CacheRecord
  /// The row.
  let row: Int64
  /// The boot in which the bytes were written or last verified; see ``BootIdentity``.
  let boot: Int64
}

extension IndexedRecord {
  /// Reads ``IndexSchema/recordColumns``; `nil` for a malformed row.
  init?(_ row: SQLiteStatement) {
    guard
      let key = CacheKey(kind: row.integer(0), name: row.text(1), recipe: row.text(2)),
      let record = CacheRecord(row, key: key)
    else { return nil }
    self.init(record: record, row: row.integer(23), boot: row.integer(24))
  }

  /// Reads a row whose key is known, without copying its text.
  init?(_ row: SQLiteStatement, key: CacheKey) {
    guard let record = CacheRecord(row, key: key) else { return nil }
    self.init(record: record, row: row.integer(23), boot: row.integer(24))
  }
}

extension CacheRecord {
  fileprivate init?(_ row: SQLiteStatement, key: CacheKey) {
    self.init(key: key, at: Date(microseconds: row.integer(14)))
    if !row.isNull(3) {
      guard let hash = row.hash(3), let checksum = UInt32(exactly: row.integer(5)) else {
        return nil
      }
      let byteCount = Int(row.integer(4))
      guard byteCount >= 0 else { return nil }
      content = CacheContent(hash: hash, byteCount: byteCount, checksum: checksum)
    }
    status = Int(row.integer(6))
    if !row.isNull(7) { format = ImageFormat(rawValue: row.text(7)) }
    if !row.isNull(8) {
      size = PixelSize(width: Int(row.integer(8)), height: Int(row.integer(9)))
    }
    frameCount = Int(row.integer(10))
    headers = HeaderText(text: row.text(11))
    requestTime = Date(microseconds: row.integer(12))
    responseTime = Date(microseconds: row.integer(13))
    isAlwaysStale = row.integer(15) != 0
    if !row.isNull(16) { failure = ImageError.Code(rawValue: row.text(16)) }
    if !row.isNull(17) { expires = Date(microseconds: row.integer(17)) }
    if !row.isNull(18) { dominantColor = UInt32(truncatingIfNeeded: row.integer(18)) }
    thumbHash = row.blob(19)
    lastAccess = Date(microseconds: row.integer(20))
    accessCount = Int(row.integer(21))
    isPinned = row.integer(22) > 0
  }

  /// Binds the columns that a caller decides, from `status` to `thumb_hash`, beginning at a
  /// parameter.
  func bind(to statement: SQLiteStatement, from first: Int32) {
    statement.bind(first, Int64(status))
    statement.bind(first + 1, format?.rawValue)
    statement.bind(first + 2, size.map { Int64($0.width) })
    statement.bind(first + 3, size.map { Int64($0.height) })
    statement.bind(first + 4, Int64(frameCount))
    statement.bind(first + 5, headers.text)
    statement.bind(first + 6, requestTime.microseconds)
    statement.bind(first + 7, responseTime.microseconds)
    statement.bind(first + 8, fetchedAt.microseconds)
    statement.bind(first + 9, Int64(isAlwaysStale ? 1 : 0))
    statement.bind(first + 10, failure?.rawValue)
    statement.bind(first + 11, expires?.microseconds)
    statement.bind(first + 12, dominantColor.map { Int64($0) })
    statement.bind(first + 13, thumbHash)
  }
}

extension Date {
  /// Since 1970, rounded; the largest number that fits for dates beyond.
  var microseconds: Int64 {
    Int64(exactly: (timeIntervalSince1970 * 1e6).rounded())
      ?? (self < Date(microseconds: 0) ? .min : .max)
  }

  init(microseconds: Int64) {
    self.init(timeIntervalSince1970: Double(microseconds) / 1e6)
  }
}

/// Identifies the current boot of the machine. Bytes written without waiting for the disk are
/// trusted unread only within the same boot: a power loss may lose them and keep the record.
enum BootIdentity {
  /// A number that differs from boot to boot; 0 where the system does not tell.
  static let current: Int64 = {
    guard
      let bytes = try? Data(contentsOf: URL(fileURLWithPath: "/proc/sys/kernel/random/boot_id"))
    else { return 0 }
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return Int64(bitPattern: hash)
  }()
}
