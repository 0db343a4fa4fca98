public import CachePolicies
public import ImageModel

extension DiskCache {
  /// The treatment of a directory that is absent or not writable.
  public enum Access: Sendable {
    /// It is created; one that is not writable is refused.
    case create
    /// It is created; one that is not writable is read, and stores fail. For servers.
    case createOrRead
    /// It is not created, and one that is not writable is read. An absent one is empty, and stores
    /// fail.
    case existing
  }

  /// Which requests are answered by entries that were fetched with credentials: with `Authorization`
  /// or `Cookie`, or with fields for their hosts.
  ///
  /// Responses that say `public` answer all requests, but for ``hidden`` those with the fields for
  /// the host. What is read by its key is read with any credentials, but for ``hidden``.
  public enum PrivateEntries: Sendable {
    /// All requests, for programs that read an archive of their one user.
    case all
    /// Those with the same credentials. The default.
    case own
    /// Those with the same credentials, or more fields for the host, and none by images that their
    /// origins mark `private` or `no-store`, unless they were fetched with credentials. For servers,
    /// whose clients are not the user that the entries were fetched for.
    case hidden
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
    /// One read in sixteen, and the first after the machine was started.
    case sampled
    /// Always, the default: about 1 µs for 20 kB. A file that is used as it is, such as a body above
    /// 4 MiB that a proxy sends, is compared before its first use and when it has changed.
    case always
  }

  /// The directory, limits and policies of a cache.
  public struct Configuration: Sendable {
    /// The directory; a symbolic link to one is followed, links in it are not. Only a shell expands
    /// `~`: a path that begins with it is refused.
    public var directory: String
    /// The treatment of a directory that is absent or not writable. Default: ``Access/create``.
    public var access = Access.create
    /// Bytes of originals and variants at most, each file in whole blocks of 4 KiB, with their
    /// folders and the index; see ``CacheStatistics/countedByteCount``. Kept and pinned ones and
    /// feeds' documents do not count. Default, `nil`: the limit that the cache was made with, which
    /// is 10 GiB or a quarter of the file system, whichever is less, unless one was set then.
    public var maximumByteCount: Int?
    /// Bytes of the file system that are left to others: with less free space stores fail with the
    /// code `diskFull`. Default, `nil`: 5 % of the file system, at most 1 GiB; 0 is none.
    public var minimumFreeByteCount: Int?
    /// The age, since they were fetched or confirmed, at which entries are dropped unless pinned.
    /// Default: none.
    public var maximumAge: Duration?
    /// When a store is acknowledged. Default: relaxed.
    public var durability = Durability.relaxed
    /// How often checksums are compared. Default: always.
    public var readVerification = ReadVerification.always
    /// The eviction policy. Default: ``DiskEvictionPolicy/default``.
    public var policy = DiskEvictionPolicy.default
    /// The fields that this process sends to certain hosts; see ``privateEntries``. Default: none.
    public var originHeaders = OriginHeaders()
    /// Which requests are answered by entries that were fetched with credentials. Default:
    /// ``PrivateEntries/own``.
    public var privateEntries = PrivateEntries.own
    /// The time now. Default: the system's clock.
    public var clock: @Sendable () -> Date = { Date() }
    /// Receives a line for people about each repair and each dropped entry. Default: discards it.
    public var log: @Sendable (String) -> Void = { _ in }

    /// Whether folders and the index count towards the limits. Default: yes; tests that need an
    /// exact number of files to fit switch it off.
    package var countsOverhead = true

    package var evictionSeed = UInt64.random(in: .min ... .max)

    package var stageHook: (@Sendable (StoreStage) -> Void)?

    /// The defaults in a directory.
    public init(directory: String) {
      self.directory = directory
    }
  }
}
