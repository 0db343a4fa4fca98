/// A record with the properties that only the index stores.
final class StoredRecord: Sendable {
  let record: CacheRecord
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

extension StoredRecord: RecentEntry {
  static let maximumRecentCount = 8192

  var key: UInt64 { sequence }

  static func number(of key: UInt64) -> UInt64 { key }
}

struct IndexEntry: Sendable {
  let match: EntryMatch
  let stored: StoredRecord
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
