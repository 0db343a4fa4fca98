import ImageFeeds
import ImagePipeline
import SampleFeed

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The cache, the fetcher and the pipeline that one run of a command works with.
struct Session: Sendable {
  let cache: DiskCache
  let pipeline: ImagePipeline
  /// The days of the feeds that the command line names.
  let archive: DayArchive
  /// Tells the time.
  let clock: @Sendable () -> Date
  private let fetcher: HTTPFetcher?
  private let sample: SampleOrigin?

  /// Opens them.
  ///
  /// - Parameters:
  ///   - feeds: The feeds that are asked for `days`; their hosts may be private.
  ///   - namedURLs: URLs that the user named; their hosts may be private.
  /// - Throws: ``ImageError`` when the cache cannot be used.
  init(
    cache options: CacheOptions, network: NetworkOptions, feeds: DayArchive.Feeds = .named([]),
    days: [DayRequest] = [], common: CommonOptions, namedURLs: [String] = [],
    limits: ImageLimits = ImageLimits()
  ) throws {
    let clock: @Sendable () -> Date = { Date() }
    self.clock = clock
    cache = try Self.openCache(
      options, common: common, access: network.offline ? .existing : .create, clock: clock)
    let sources = DayRecords(in: cache).sources(of: feeds, for: days)
    sample = sources.contains(.sample) ? try SampleOrigin(now: clock()) : nil

    let fetcher = try HTTPFetcher(
      network.fetcher(
        named: sources.flatMap(\.addresses) + namedURLs, sample: sample, keepingPartsIn: cache))
    self.fetcher = fetcher
    var configuration = ImagePipeline.Configuration(fetcher: fetcher)
    configuration.diskCache = cache
    configuration.hostRules = .zhihu
    configuration.limits = limits
    configuration.limits.maximumByteCount = network.maximumBytes.count
    configuration.fetchLimits = network.fetchLimits
    // The engine bounds the transfers under way and starts the next one at once; a few more wait
    // for their turn inside it. Only a host with a smaller bound of its own is held back here.
    let waiting = NetworkOptions.imagesBeyondTransfers
    configuration.maximumFetches = network.concurrency + waiting
    configuration.reservedFetches = 0
    configuration.maximumFetchesPerHost =
      network.perHost < network.concurrency ? network.perHost : network.perHost + waiting
    configuration.clock = clock
    pipeline = try ImagePipeline(configuration)
    archive = DayArchive(
      pipeline, feeds: feeds, maximumInFlight: network.concurrency + waiting,
      reading: FeedFile.read)
  }

  /// Opens them for a command that never fetches.
  init(withoutNetwork options: CacheOptions, common: CommonOptions) throws {
    clock = { Date() }
    cache = try Self.openCache(options, common: common, access: .existing, clock: clock)
    sample = nil
    fetcher = nil
    var configuration = ImagePipeline.Configuration(fetcher: NoFetcher())
    configuration.diskCache = cache
    configuration.clock = clock
    pipeline = try ImagePipeline(configuration)
    archive = DayArchive(pipeline, feeds: .remembered(), reading: FeedFile.read)
  }

  /// Opens the cache alone, for commands that never fetch.
  ///
  /// - Parameter access: ``DiskCache/Access/existing`` for a command that stores nothing: a
  ///   directory that does not exist, as by a typo in its name, is not made, and one that is not
  ///   writable is read.
  static func openCache(
    _ options: CacheOptions, common: CommonOptions, access: DiskCache.Access = .create,
    clock: @escaping @Sendable () -> Date = { Date() }
  ) throws -> DiskCache {
    var configuration = DiskCache.Configuration(directory: common.resolvedCacheDirectory)
    configuration.access = access
    configuration.maximumByteCount = options.maximumSize?.count
    configuration.maximumAge = options.maximumAge?.duration
    configuration.durability = options.durability ?? .relaxed
    configuration.readVerification = options.verifyReads ?? .always
    if let eviction = options.eviction { configuration.policy = eviction.policy }
    configuration.clock = clock
    let report = common.report
    configuration.log = { report.note($0) }
    return try DiskCache(configuration)
  }

  /// Runs `body` and closes the session, whatever comes of it.
  func whileOpen<Result: Sendable>(
    _ body: () async throws -> Result
  ) async throws -> Result {
    do {
      let result = try await body()
      await close()
      return result
    } catch {
      await close()
      throw error
    }
  }

  /// Ends what runs, writes down what waits.
  func close() async {
    await pipeline.close()
    fetcher?.stop()
    sample?.stop()
    cache.close()
  }
}

/// Reads the file of a feed; `-` is stdin.
enum FeedFile {
  @Sendable static func read(_ path: String) throws -> [UInt8] {
    try InputFile.read(path, maximum: 64 << 20)
  }
}

/// Fetches nothing.
private struct NoFetcher: DataFetching {
  func fetch(_ request: FetchRequest) async throws -> FetchedResponse {
    throw ImageError(.notCached, "not kept, and this command does not fetch")
  }
}

extension CommonOptions {
  /// The cache directory that these options and the environment name, as an absolute path: what
  /// `path` prints is good from anywhere.
  var resolvedCacheDirectory: String {
    let named = namedCacheDirectory
    return named.hasPrefix("/") ? named : FileManager.default.currentDirectoryPath + "/" + named
  }

  private var namedCacheDirectory: String {
    let environment = ProcessInfo.processInfo.environment
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    if let cacheDirectory { return cacheDirectory }
    if let named = value("IMGCACHE_DIR") { return named }
    if let base = value("XDG_CACHE_HOME"), base.hasPrefix("/") { return base + "/imgcache" }
    return (value("HOME") ?? ".") + "/.cache/imgcache"
  }
}
