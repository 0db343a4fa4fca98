#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension DiskCache {
  /// How a cache directory is kept.
  public struct Configuration: Sendable {
    /// The directory; made when it is absent.
    public var directory: String
    /// File bytes of originals and variants at most. Default, `nil`: 10 GiB or a quarter of the space that is
    /// free or used by the cache, whichever is less.
    public var maximumByteCount: Int?
    /// File bytes of feeds' documents at most, which do not count towards ``maximumByteCount``. Default: 256 MiB.
    public var maximumDocumentByteCount = 256 << 20
    /// Entries older than this since they were fetched or confirmed are dropped, unless pinned. Default: none.
    public var maximumAge: Duration?
    /// When a store is acknowledged. Default: relaxed.
    public var durability = Durability.relaxed
    /// How often checksums are compared. Default: always.
    public var readVerification = ReadVerification.always
    /// Whom to let go when there is no room. Default: GDSF-TB, which hits most often for few bytes; nothing is refused
    /// by it here.
    public var policy: any EvictionPolicy = GDSFTBPolicy()
    /// The time now. Default: the system's clock.
    public var clock: @Sendable () -> Date = { Date() }
    /// Hears one line for people about what was repaired or dropped. Default: nobody.
    public var log: @Sendable (String) -> Void = { _ in }

    /// Is called at marks inside a store. Default: nothing.
    package var stageHook: (@Sendable (StoreStage) -> Void)?

    /// The defaults in a directory.
    public init(directory: String) {
      self.directory = directory
    }
  }
}
