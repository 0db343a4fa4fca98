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

  /// The place of the counter among all.
  var index: Int {
    switch self {
    case .memoryHits: 0
    case .memoryMisses: 1
    case .diskHits: 2
    case .diskMisses: 3
    case .revalidations: 4
    case .requests: 5
    case .stores: 6
    case .evictions: 7
    case .damaged: 8
    case .storeFailures: 9
    }
  }
}
