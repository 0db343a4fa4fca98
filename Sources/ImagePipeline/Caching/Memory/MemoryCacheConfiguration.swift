/// What a memory tier may hold, and for how long.
public struct MemoryCacheConfiguration: Sendable {
  /// What the costs of its entries may sum up to, in bytes; 0 keeps nothing. Default: 64 MiB.
  public var maximumByteCount = 64 << 20
  /// How many entries it may have. Default: as many as fit.
  public var maximumCount = Int.max
  /// The part of ``maximumByteCount`` that one entry may take, 0 through 1; a larger one is not kept. Default: 0.5.
  public var maximumEntryShare = 0.5
  /// How long an entry is good for where it names no time of its own. Default: for ever.
  public var lifetime: Duration?
  /// Who goes when there is no room. Default: who was not asked for the longest.
  public var policy = EvictionPolicyName.lru
  /// Parts that threads can use at the same time; rounded up to a power of two. Default: 32.
  public var shardCount = 32
  /// Nanoseconds on a clock that never goes back. Default: the system's, to the millisecond, without a system call.
  public var clock: @Sendable () -> UInt64 = { MonotonicClock.coarseNanoseconds }

  /// The defaults.
  public init() {}
}
