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
}
