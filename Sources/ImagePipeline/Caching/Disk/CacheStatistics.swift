/// What a cache holds and how it fared.
public struct CacheStatistics: Sendable, Hashable {
  /// Entries with bytes: originals and variants.
  public var entryCount = 0
  /// File bytes of originals and variants; bytes that several entries share count once.
  public var byteCount = 0
  /// What is compared with ``maximumByteCount``: these files in whole blocks of 4 KiB, their
  /// folders, and the room kept for the index.
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
  /// Entries that a pinned group keeps.
  public var pinnedCount = 0
  /// Events since the directory was made.
  public var total: [CacheCounter: Int] = [:]
  /// Events of the last process that counted any.
  public var lastRun: [CacheCounter: Int] = [:]

  /// Nothing at all.
  public init() {}
}
