/// Counts of a tier's operations since the start of the process.
public struct TierStatistics: Sendable, Hashable {
  /// Lookups that found a value.
  public var hits = 0
  /// Lookups that found none, or none that counts.
  public var misses = 0
  /// Lookups, locks and checks that failed.
  public var errors = 0
  /// Those that were not made, because the servers had failed before.
  public var skipped = 0
  /// How often the servers were given up for a while.
  public var openings = 0
  /// Loads that waited for another server's.
  public var lockWaits = 0
  /// Values written.
  public var writes = 0
  /// Values not written, because too many waited.
  public var droppedWrites = 0
  /// Values not written, because they were purged meanwhile or the servers failed.
  public var failedWrites = 0
  /// Values read from the object store behind the tier.
  public var objectReads = 0
  /// Values written to it.
  public var objectWrites = 0
  /// Its operations that failed or were not made, because it had failed before.
  public var objectErrors = 0
  /// Values that were damaged.
  public var damages = 0
  /// Purges that were received from other servers.
  public var receivedPurges = 0
  /// Bytes of values read.
  public var readByteCount = 0
  /// Bytes of values written.
  public var writtenByteCount = 0

  /// Nothing yet.
  public init() {}
}
