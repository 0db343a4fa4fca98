/// An entry as it was read: the record and the bytes.
public struct CachedEntry: Sendable {
  /// What is known of the bytes.
  public let record: CacheRecord
  /// The bytes; empty for a negative entry.
  public let bytes: [UInt8]
}
