/// The contents of a cache and counts of its operations.
public struct CacheStatistics: Sendable, Hashable {
  /// Entries with bytes: originals and variants.
  public var entryCount = 0
  /// File bytes of originals and variants; bytes that several entries share count once.
  public var byteCount = 0
  /// The bytes compared with ``maximumByteCount``: these files in whole blocks of 4 KiB, their
  /// folders, and the space reserved for the index; without kept and pinned ones.
  public var countedByteCount = 0
  /// Bytes of the index's files as they are now.
  public var indexByteCount = 0
  /// The most that ``countedByteCount`` may be.
  public var maximumByteCount = 0
  /// Feeds' documents.
  public var documentCount = 0
  /// File bytes of feeds' documents.
  public var documentByteCount = 0
  /// Negative entries.
  public var negativeCount = 0
  /// Originals and variants in kept or pinned groups, which no limit concerns.
  public var retainedCount = 0
  /// Their file bytes in whole blocks of 4 KiB; bytes that several of them share count for each.
  public var retainedByteCount = 0
  /// Entries in pinned groups.
  public var pinnedCount = 0
  /// Events since the directory was made.
  public var total: [CacheCounter: Int] = [:]
  /// Events of the last process that counted any.
  public var lastRun: [CacheCounter: Int] = [:]
}

/// Events that a cache directory counts, over all processes.
public enum CacheCounter: String, Sendable, CaseIterable, Codable {
  /// Answered by memory.
  case memoryHits = "memory_hits"
  /// Not in memory.
  case memoryMisses = "memory_misses"
  /// Answered by the disk.
  case diskHits = "disk_hits"
  /// Not on the disk.
  case diskMisses = "disk_misses"
  /// Confirmed by the origin (304).
  case revalidations
  /// Requests sent for images.
  case requests
  /// Entries written.
  case stores
  /// Entries pushed out by the limit.
  case evictions
  /// Entries dropped because they were damaged or their file was gone.
  case damaged
  /// Stores that failed.
  case storeFailures = "store_failures"
  /// Images that were not stored, as worth less than those they would have pushed out; see
  /// ``DiskCache/Configuration/refusesNewcomers``.
  case refusals
}
