extension DiskCache {
  /// When a store is acknowledged.
  public enum Durability: String, Sendable, CaseIterable {
    /// After the rename and the index's commit: safe from `kill -9`. The default.
    case relaxed
    /// After file, directory and index were synchronised with the disk: safe from power loss as well.
    case strict
  }

  /// How often the checksum is compared on reading. The length always is.
  public enum ReadVerification: String, Sendable, CaseIterable {
    /// Never.
    case never
    /// One read in sixteen, and the first after the machine was started anew.
    case sampled
    /// Always, the default: about 1 µs for 20 kB.
    case always
  }
}
