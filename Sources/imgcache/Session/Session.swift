import DiskCaching
import ImageFeeds
import ImageFetching
import ImageModel
import ImagePipeline
import SampleFeed
import SharedCaching
import TextEncodings

struct Session: Sendable {
  let cache: DiskCache
  let pipeline: ImagePipeline
  let archive: DayArchive
  private let fetcher: HTTPFetcher?
  private let sample: SampleOrigin?
  private let tier: SharedTier?
  private let report: Report

  /// The hosts of the named URLs and of the feeds, which are asked for `days`, may be private. A
  /// host that answers 429 is asked again for `busyTime`. A session that is offline stores nothing:
  /// its cache must exist.
  init(
    _ options: FetchingOptions, feeds: DayArchive.Feeds = .named([]), days: [DayRequest] = [],
    namedURLs: [String] = [], limits: ImageLimits = ImageLimits(),
    transfers: TransferLimits = TransferLimits(), busyTime: Duration? = nil,
    isOffline: Bool = false, observers: [any PipelineObserver] = [], tier: TierOptions? = nil,
    keepsDays: Bool = true
  ) async throws {
    report = options.report
    let network = options.network
    let headers = try network.origins.headers()
    let buckets = try network.buckets.buckets()
    let certificates = try network.trust.certificates()
    cache = try options.cached.openCache(
      access: isOffline ? .existing : .create, headers: headers)
    let sources = await DayRecords(in: cache).sources(of: feeds, for: days, in: .machine)
    sample = sources.contains(.sample) ? try SampleOrigin(now: Date()) : nil

    var fetching = try network.fetcher(
      named: sources.flatMap(\.addresses) + namedURLs, buckets: buckets,
      certificates: certificates, transfers: transfers.total, sample: sample, cache: cache)
    fetching.maximumConnectionsPerHost = transfers.perHost
    fetching.retryPolicy.busyTime = busyTime
    let fetcher = try HTTPFetcher(fetching)
    self.fetcher = fetcher
    var configuration = ImagePipeline.Configuration(fetcher: fetcher)
    configuration.diskCache = cache
    self.tier = try tier?.open(buckets, certificates, report: options.cached.report)
    configuration.sharedTier = self.tier
    configuration.hostRules = .zhihu
    configuration.limits = limits
    configuration.observers = observers
    configuration.limits.maximumByteCount = network.maxBytes.count
    configuration.fetchLimits = network.fetchLimits
    // The engine limits the transfers and connections, and starts the next one at once; a few more
    // wait in its queue.
    configuration.maximumFetches = transfers.inProgress
    configuration.reservedFetches = 0
    configuration.maximumFetchesPerHost = min(transfers.inProgress, transfers.perHostInProgress)
    configuration.maximumStreamsPerHost = transfers.inProgress
    pipeline = try ImagePipeline(configuration)
    archive = DayArchive(
      pipeline, feeds: feeds, maximumInFlight: transfers.inProgress, keepsDays: keepsDays,
      timeZone: .machine, reading: FeedFile.read)
  }

  init(
    withoutNetwork options: CommonOptions,
    _ settings: (inout DiskCache.Configuration) -> Void = { _ in }
  ) throws {
    cache = try options.openCache(settings)
    report = options.report
    sample = nil
    tier = nil
    fetcher = nil
    var configuration = ImagePipeline.Configuration(fetcher: NoFetcher())
    configuration.diskCache = cache
    pipeline = try ImagePipeline(configuration)
    archive = DayArchive(
      pipeline, feeds: .remembered(), timeZone: .machine, reading: FeedFile.read)
  }

  /// Runs `body` and closes the session, also after an error; reports what was evicted, unless the
  /// JSON of the command has it.
  func whileOpen<Result: Sendable>(
    summarizesEvictions: Bool = false, _ body: () async throws -> Result
  ) async throws -> Result {
    try await finally(
      {
        await close()
        reportEvictions(inJSON: !summarizesEvictions)
      }, after: body)
  }

  private func reportEvictions(inJSON: Bool) {
    let evicted = cache.evicted
    guard evicted.count > 0 else { return }
    report.note(
      "evicted \(evicted.count.counted("entry", "entries")) (\(ByteQuantity(evicted.byteCount))) to stay "
        + "within the limit; --max-size sets it")
    if report.json, inJSON {
      report.object(
        .evicted, ["evicted": evicted.count, "evicted_bytes": evicted.byteCount])
    }
  }

  /// Waits for the loads in progress, refreshes in the background included.
  func close() async {
    await pipeline.close()
    // What has been fetched is for others as well, if that does not take long.
    await tier?.finishWriting(within: .seconds(10))
    await tier?.shutDown()
    await fetcher?.shutdown()
    sample?.stop()
    await cache.close()
  }
}

enum FeedFile {
  @Sendable static func read(_ path: String) throws -> [UInt8] {
    try InputFile.read(path, maximum: 64 << 20)
  }
}

private struct NoFetcher: DataFetching {
  func fetch(_ request: FetchRequest) async throws -> FetchedResponse {
    throw ImageError(.notCached, "not cached, and this command does not fetch")
  }
}

extension CachedOptions {
  func openCache(
    access: DiskCache.Access = .existing, headers: OriginHeaders = OriginHeaders(),
    privateEntries: DiskCache.PrivateEntries = .all, refusesNewcomers: Bool = false
  ) throws(ImageError) -> DiskCache {
    try common.openCache { configuration in
      cache.apply(to: &configuration)
      configuration.access = access
      configuration.refusesNewcomers = refusesNewcomers
      configuration.originHeaders = headers
      configuration.privateEntries = privateEntries
    }
  }
}

extension CommonOptions {
  /// By default for a command that stores nothing: a directory that does not exist, as with a
  /// misspelt name, is not created, and one that is not writable is read.
  func openCache(
    _ settings: (inout DiskCache.Configuration) -> Void = { _ in }
  ) throws(ImageError) -> DiskCache {
    let directory = cacheDirectory
    guard !directory.isEmpty else {
      throw ImageError(
        .cacheUnusable, "HOME is not set and the user has no home directory; give --cache-dir")
    }
    // Foundation replaces what is not UTF-8 in variables and in the working directory.
    guard !directory.contains("\u{FFFD}") else {
      throw ImageError(
        .cacheUnusable, "the name \(directory) is not UTF-8; give --cache-dir another directory")
    }
    var configuration = DiskCache.Configuration(directory: directory)
    configuration.access = .existing
    settings(&configuration)
    let report = report
    configuration.log = { report.note($0) }
    return try DiskCache(configuration)
  }

  /// The cache directory as an absolute path: that of the options, else of the environment; empty
  /// for a user without a home directory. What begins with `~` is refused by `DiskCache`.
  var cacheDirectory: String {
    let variable = Environment.variables["IMGCACHE_DIR"].flatMap { $0.isEmpty ? nil : $0 }
    guard let named = cacheDir ?? variable ?? DiskCache.defaultDirectory(named: "imgcache") else {
      return ""
    }
    return named.hasPrefix("/") || named.hasPrefix("~")
      ? named : FileManager.default.currentDirectoryPath + "/" + named
  }
}

extension Session {
  /// Runs `body`, which loads one image, with its progress on the terminal, unless options forbid
  /// it.
  func whileShowingProgress<Result: Sendable>(
    _ common: CommonOptions, _ body: () async throws -> Result
  ) async throws -> Result {
    guard common.showsProgress else { return try await body() }
    let (loop, rate) = (StatusLoop(), Locked(RecentRate()))
    loop.start { [pipeline] elapsed, _ in
      // Nothing while nothing arrives.
      guard let arriving = pipeline.arrivingBodies.first, arriving.receivedByteCount > 0 else {
        return ""
      }
      return BodyProgress(
        receivedByteCount: arriving.receivedByteCount,
        expectedByteCount: arriving.expectedByteCount
      ).line(
        byteRate: rate.withLock { $0.record(arriving.receivedByteCount, at: elapsed) },
        columns: StatusLine.columns)
    }
    return try await finally(loop.end, after: body)
  }
}
