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
  /// What is wrong with the index itself, for people; `nil` when nothing is.
  public var indexFault: String?
  /// Whether anything was wrong.
  public var isDamaged: Bool { !damages.isEmpty || indexFault != nil }
  /// Whether the damaged entries were dropped, and a damaged index replaced.
  public var isRepaired = false

  /// Nothing looked at.
  public init() {}
}
