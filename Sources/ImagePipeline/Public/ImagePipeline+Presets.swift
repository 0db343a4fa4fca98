public import CachePolicies
public import DiskCaching
public import ImageFetching
public import ImageModel
import LoadScheduling

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  public import Foundation
#endif

extension ImagePipeline.Configuration {
  /// The configuration of a program for one user: images in memory, originals and results on disk,
  /// and broken transfers that are resumed.
  ///
  /// - Parameters:
  ///   - directory: The cache directory; it is created if it does not exist. Default: that of
  ///     `disk`.
  ///   - disk: The settings of the disk cache, such as `.init(maximumByteCount: 2 << 30)`. Default:
  ///     the defaults in a directory of the user's caches named after the program.
  ///   - memory: The limits of the memory tier, such as `.init(maximumByteCount: 128 << 20)`; `nil`
  ///     for none. Default: the defaults.
  ///   - fetching: The settings that all fetches share. Default: the defaults.
  /// - Throws: `ImageError` with code `cacheUnusable`, or as `HTTPFetcher.init(_:)`.
  public static func client(
    directory: String? = nil, disk: DiskCache.Configuration = DiskCache.Configuration(),
    memory: MemoryCacheConfiguration? = MemoryCacheConfiguration(),
    fetching: HTTPFetcher.Configuration = HTTPFetcher.Configuration()
  ) throws(ImageError) -> Self {
    var (disk, fetching) = (disk, fetching)
    if let directory { disk.directory = directory }
    disk.originHeaders = fetching.originHeaders
    let cache = try DiskCache(disk)
    fetching.partialBodies = cache.partialBodies
    var configuration = Self(fetcher: try HTTPFetcher(fetching))
    configuration.diskCache = cache
    configuration.memory = memory
    return configuration
  }

  /// The configuration of a program for many users: as ``client(directory:disk:memory:fetching:)``, and a
  /// shared cache by the rules of HTTP, with bounds for decodes, for waiting requests and for bytes
  /// in flight.
  ///
  /// Beyond the bounds requests fail at once with code `saturated`: one decode for each processor,
  /// 64 fetches of which one host has 6,
  /// 1,000 fetches and 1,000 decodes that wait for up to 10 s, and 256 MiB in flight. Private
  /// entries of the directory are not used; see `DiskCache.Configuration.hidesPrivateEntries`.
  public static func server(
    directory: String? = nil, disk: DiskCache.Configuration = DiskCache.Configuration(),
    memory: MemoryCacheConfiguration? = MemoryCacheConfiguration(),
    fetching: HTTPFetcher.Configuration = HTTPFetcher.Configuration()
  ) throws(ImageError) -> Self {
    var disk = disk
    disk.hidesPrivateEntries = true
    var configuration = try client(
      directory: directory, disk: disk, memory: memory, fetching: fetching)
    let processors = ProcessInfo.processInfo.activeProcessorCount
    var waiting = WaitLimits()
    waiting.maximumCount = 1000
    waiting.maximumTime = .seconds(10)
    configuration.isShared = true
    // A slow host has its share, and the others go on.
    configuration.maximumFetches = 64
    configuration.waitingFetches = waiting
    configuration.decodeGate = DecodeGate(maximum: processors, waiting: waiting)
    configuration.governor = MemoryGovernor(maximumInFlight: 256 << 20)
    // Lookups on disk must not wait for decodes.
    configuration.threadCount = processors + 2
    return configuration
  }
}

extension ImagePipeline {
  /// Creates a pipeline for one user, with a memory cache and a disk cache; see
  /// ``Configuration/client(directory:disk:memory:fetching:)``.
  ///
  ///     let pipeline = try ImagePipeline(directory: "/var/cache/images")
  ///     let response = try await pipeline.image(for: "https://example.org/a.jpg")
  public convenience init(
    directory: String? = nil, fetching: HTTPFetcher.Configuration = HTTPFetcher.Configuration()
  ) throws(ImageError) {
    try self.init(.client(directory: directory, fetching: fetching))
  }
}
