/// What a cache holds and how it fared.
public struct CacheStatistics: Sendable, Hashable {
  /// Entries with bytes: originals and variants.
  public var entryCount = 0
  /// File bytes of originals and variants; bytes that several entries share count once.
  public var byteCount = 0
  /// The most that ``byteCount`` may be.
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
