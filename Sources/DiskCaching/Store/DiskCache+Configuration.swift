public import CachePolicies
public import ImageModel

#if canImport(Glibc)
  import Glibc
#else
  public import Darwin
#endif

extension DiskCache {
  /// Returns the directory for the caches of a program of this user: `$XDG_CACHE_HOME/NAME`, else
  /// `~/.cache/NAME`; `nil` for a user without a home directory. Source: XDG Base Directory
  /// Specification 0.8.
  ///
  /// - Parameter name: The program. Default: this process's.
  public static func defaultDirectory(named name: String? = nil) -> String? {
    func variable(_ name: String) -> String? {
      getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
    let program = CommandLine.arguments.first?.split(separator: "/").last.map(String.init)
    let name = name ?? program ?? "images"
    if let base = variable("XDG_CACHE_HOME"), base.hasPrefix("/") { return "\(base)/\(name)" }
    return (variable("HOME") ?? homeDirectory).map { "\($0)/.cache/\(name)" }
  }

  private static var homeDirectory: String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1 << 14) { room in
      var (entry, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
      guard let start = room.baseAddress,
        getpwuid_r(getuid(), &entry, start, room.count, &found) == 0,
        let path = found?.pointee.pw_dir.map({ String(cString: $0) }), path.hasPrefix("/")
      else { return nil }
      return path
    }
  }

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
    /// folders and the index; see ``CacheStatistics/countedByteCount``. Those of kept and pinned
    /// groups and feeds' documents do not count. Default, `nil`: the limit that the cache was made
    /// with, which is 10 GiB or a quarter of the file system, whichever is less, unless one was set
    /// then.
    public var maximumByteCount: Int?
    /// Bytes of the file system that are left to others: with less free space stores fail with the
    /// code `diskFull`. Default, `nil`: 5 % of the file system, at most 1 GiB; 0 is none.
    public var minimumFreeByteCount: Int?
    /// The age, since they were fetched or confirmed, at which entries are dropped unless pinned;
    /// documents are not while anything is pinned. Default: none.
    public var maximumAge: Duration?
    /// When a store is acknowledged. Default: relaxed.
    public var durability = Durability.relaxed
    /// How often checksums are compared. Default: always.
    public var readVerification = ReadVerification.always
    /// The eviction policy. Default: `DiskEvictionPolicy.default`.
    public var policy = DiskEvictionPolicy.default
    /// Whether a store fails with the code `notAdmitted` for an image that would push out others
    /// that ``policy`` values more. Images that are requested by name or belong to a kept or pinned
    /// group are stored. Default: no. `imgcache serve` and `imgcache proxy` set it: they answer from
    /// memory.
    public var refusesNewcomers = false
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

    /// Creates the defaults.
    ///
    /// - Parameters:
    ///   - directory: The directory. Default: ``DiskCache/defaultDirectory(named:)``.
    ///   - maximumByteCount: See ``maximumByteCount``.
    public init(directory: String? = nil, maximumByteCount: Int? = nil) {
      self.directory = directory ?? DiskCache.defaultDirectory() ?? ""
      self.maximumByteCount = maximumByteCount
    }
  }
}
