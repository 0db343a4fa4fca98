/// A record with the properties that only the index stores.
final class StoredRecord: Sendable {
  let record: CacheRecord
  /// The number of the record.
  let sequence: UInt64
  /// The boot in which the bytes were written; see ``BootIdentity``.
  let boot: Int64
  /// The path of its file; empty for a negative entry.
  let path: String

  init(record: CacheRecord, sequence: UInt64, boot: Int64, path: String) {
    self.record = record
    self.sequence = sequence
    self.boot = boot
    self.path = path
  }
}

/// An entry as it was found: where, and its record.
struct IndexEntry: Sendable {
  let match: EntryMatch
  let stored: StoredRecord
  /// The table that it was found in.
  let table: EntryTable

  var record: CacheRecord { stored.record }

  /// The record with the accesses and pins that the table stores.
  var currentRecord: CacheRecord {
    var record = stored.record
    record.lastAccess = .init(microseconds: match.entry.access.time)
    record.accessCount = match.entry.access.count
    record.isPinned = match.entry.flags.contains(.isPinned)
    record.isKept = match.entry.flags.contains(.isKept)
    return record
  }
}

/// Recently read records, each at the place that its number determines: a record never changes.
///
/// A record is replaced at every fourth attempt to use its place: where there are many more records
/// than places, most would be freed again before they are requested.
struct RecordFront {
  /// A power of two.
  static let maximumCount = 8192

  private var records: [StoredRecord?] = []
  private var attempts = 0

  func record(_ sequence: UInt64) -> StoredRecord? {
    if records.isEmpty { return nil }
    let record = records[Self.place(of: sequence)]
    return record?.sequence == sequence ? record : nil
  }

  mutating func insert(_ record: StoredRecord) {
    if records.isEmpty { records = Array(repeating: nil, count: Self.maximumCount) }
    let place = Self.place(of: record.sequence)
    attempts &+= 1
    if records[place] == nil || attempts & 3 == 0 { records[place] = record }
  }

  private static func place(of sequence: UInt64) -> Int {
    Int(truncatingIfNeeded: sequence) & (maximumCount - 1)
  }
}
