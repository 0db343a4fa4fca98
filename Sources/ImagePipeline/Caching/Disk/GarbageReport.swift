/// What a collection of garbage removed.
public struct GarbageReport: Sendable, Hashable {
  /// Files without a record.
  public var orphanCount = 0
  /// Their bytes.
  public var orphanByteCount = 0
  /// Temporary files and beginnings of bodies that nobody writes any more.
  public var leftoverCount = 0
  /// Entries past their age or end.
  public var expiredCount = 0
  /// Entries over the limit.
  public var evictedCount = 0

  /// Nothing removed.
  public init() {}
}
