extension DiskCache {
  /// What happens to a directory that is absent or not writable.
  public enum Access: Sendable {
    /// It is made; one that is not writable is refused.
    case create
    /// It is made; one that is not writable is read, and stores fail. For servers.
    case createOrRead
    /// It is not made, and one that is not writable is read. An absent one is empty, and stores
    /// fail.
    case existing
  }

  /// When a store is acknowledged.
  public enum Durability: String, Sendable, CaseIterable {
    /// After the rename and the index's commit: safe from `kill -9`. The default.
    case relaxed
    /// After file, directory and index were synchronised with the disk: safe from power loss as
    /// well.
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
