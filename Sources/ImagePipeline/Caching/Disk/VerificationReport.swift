/// What a look at every byte of a cache found.
public struct VerificationReport: Sendable, Hashable {
  /// An entry whose bytes are not those that were stored.
  public struct Damage: Sendable, Hashable {
    /// The entry.
    public let key: CacheKey
    /// What is wrong with it, for people.
    public let reason: String
  }

  /// Entries that were looked at.
  public var entryCount = 0
  /// File bytes that were hashed.
  public var byteCount = 0
  /// Entries that are damaged.
  public var damages: [Damage] = []
  /// Whether the damaged entries were dropped.
  public var isRepaired = false

  /// Nothing looked at.
  public init() {}
}
