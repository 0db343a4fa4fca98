#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension DiskCache {
  /// How a cache directory is kept.
  public struct Configuration: Sendable {
    /// The directory; a symbolic link to one is followed, links in it are not.
    public var directory: String
    /// What happens to a directory that is absent or not writable. Default: ``Access/create``.
    public var access = Access.create
    /// Bytes of originals and variants at most, each file in whole blocks of 4 KiB, with their
    /// folders and the index; see ``CacheStatistics/countedByteCount``. Default, `nil`: 10 GiB or a
    /// quarter of the space that is free or used by the cache, whichever is less.
    public var maximumByteCount: Int?
    /// Bytes of feeds' documents at most, in whole blocks with their folders, which do not count
    /// towards ``maximumByteCount``. Default: 256 MiB.
    public var maximumDocumentByteCount = 256 << 20
    /// Entries older than this since they were fetched or confirmed are dropped, unless pinned.
    /// Default: none.
    public var maximumAge: Duration?
    /// When a store is acknowledged. Default: relaxed.
    public var durability = Durability.relaxed
    /// How often checksums are compared. Default: always.
    public var readVerification = ReadVerification.always
    /// What to evict when there is no room; one that ``EvictionPolicy/runsOnDisk``. Default: GDSF-TB,
    /// which hits most often for few bytes; on disk it admits every entry.
    public var policy = EvictionPolicy.gdsfTB()
    /// The time now. Default: the system's clock.
    public var clock: @Sendable () -> Date = { Date() }
    /// Hears one line for people about what was repaired or dropped. Default: nobody.
    public var log: @Sendable (String) -> Void = { _ in }

    /// Whether folders and the index count towards the limits. Default: yes; without, tests know
    /// how many files fit.
    package var countsOverhead = true

    /// Is called at marks inside a store. Default: nothing.
    package var stageHook: (@Sendable (StoreStage) -> Void)?

    /// The defaults in a directory.
    public init(directory: String) {
      self.directory = directory
    }
  }
}

/// Marks inside a store, where a campaign may end the process to see that nothing is lost.
package enum StoreStage: String, Sendable, CaseIterable {
  /// The bytes are in the temporary file.
  case written
  /// The file has its final name, the record is not there yet.
  case published
  /// The record is written, the transaction is not committed.
  case recorded
  /// The transaction is committed, the caller does not know yet.
  case committed
}
