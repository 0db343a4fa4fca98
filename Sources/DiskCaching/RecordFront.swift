/// A record with what only the index knows of it.
final class StoredRecord: Sendable {
  let record: CacheRecord
  /// The boot in which the bytes were written; see ``BootIdentity``.
  let boot: Int64
  /// The path of its file; empty for a negative entry.
  let path: String

  init(record: CacheRecord, boot: Int64, path: String) {
    self.record = record
    self.boot = boot
    self.path = path
  }
}

/// An entry as it was found: where, and its record.
struct IndexEntry: Sendable {
  let match: EntryMatch
  let stored: StoredRecord

  var record: CacheRecord { stored.record }

  /// The record with what the table knows of accesses and pins.
  var currentRecord: CacheRecord {
    var record = stored.record
    record.lastAccess = .init(microseconds: match.entry.access.time)
    record.accessCount = match.entry.access.count
    record.isPinned = match.entry.flags.contains(.isPinned)
    return record
  }
}

/// Records read lately, by their numbers: a record never changes.
///
/// Two maps take turns: when the young one is full, it replaces the old one, whose unused records
/// are dropped.
struct RecordFront {
  static let maximumCount = 4096

  private var young: [UInt64: StoredRecord] = [:]
  private var old: [UInt64: StoredRecord] = [:]

  mutating func record(_ sequence: UInt64) -> StoredRecord? {
    if let record = young[sequence] { return record }
    guard let record = old[sequence] else { return nil }
    insert(record, for: sequence)
    return record
  }

  mutating func insert(_ record: StoredRecord, for sequence: UInt64) {
    if young.count >= Self.maximumCount {
      old = young
      young = [:]
      young.reserveCapacity(Self.maximumCount)
    }
    young[sequence] = record
  }
}
