import CachePolicies
import DiskCaching
import HTTPListening
import ImageFeeds
import ImageFetching
import ImageModel
import ImagePipeline
import SampleFeed
import SharedCaching
import ThumbnailServer

struct ServeSession: Sendable {
  let cache: DiskCache
  let parts: ThumbnailServer.Parts
  let days: DayArchive
  /// The hosts that images may be fetched from; redirects have to stay among them.
  let hosts: Locked<HostAllowList>
  let buckets: Set<String>
  let accesses: CacheTraceRecorder?
  private let tier: SharedTier?
  private let fetcher: HTTPFetcher
  private let sample: SampleOrigin?
  private let report: Report

  init(_ command: ServeCommand) async throws {
    report = command.cached.report
    let headers = try command.network.origins.headers()
    let described = try command.network.buckets.buckets()
    let certificates = try command.network.trust.certificates()
    // Images are not fetched from that of the tier.
    let tierBucket = try command.tier.bucketName()
    let buckets = described.filter { $0.name != tierBucket }
    self.buckets = Set(buckets.map(\.name))
    cache = try command.cached.openCache(
      access: .createOrRead, headers: headers,
      privateEntries: command.privateEntries.allowPrivateEntries ? .all : .hidden,
      refusesNewcomers: true)
    let hosts = Locked(try command.serve.allowedHosts())
    self.hosts = hosts
    let sources = command.feed.sources + (await DayRecords(in: cache).sources)
    // Days of the sample may come from an earlier command.
    sample = sources.contains(.sample) ? try SampleOrigin(now: Date()) : nil

    var network = command.network
    network.useServerDefaults()
    let transfers = command.parallel.serverLimits
    var configuration = try network.fetcher(
      named: sources.flatMap(\.addresses), buckets: buckets, certificates: certificates,
      transfers: transfers.total, sample: sample, cache: cache)
    try command.serve.checkRoots()
    configuration.localRoots = command.serve.roots
    // A client does not wait for longer than for a place.
    configuration.retryPolicy.maximumRetryAfter = command.load.queueTime.duration
    configuration.mayRedirect = { from, to in
      hosts.withLock { $0 }.mayRedirect(from: from, to: to)
    }
    fetcher = try HTTPFetcher(configuration)

    var pipeline = ImagePipeline.Configuration(fetcher: fetcher)
    pipeline.diskCache = cache
    tier = try command.tier.open(described, certificates, report: report)
    pipeline.sharedTier = tier
    pipeline.hostRules = .zhihu
    pipeline.governor = MemoryGovernor(maximumInFlight: command.load.maxInFlight.count)
    pipeline.limits = .server
    pipeline.limits.maximumPixels = command.load.maxPixels
    pipeline.limits.maximumByteCount = network.maxBytes.count
    pipeline.fetchLimits = network.fetchLimits
    pipeline.maximumFetches = transfers.total
    pipeline.maximumFetchesPerHost = transfers.perHost
    accesses = try command.serve.recordTrace.map { try CacheTraceRecorder(path: $0) }
    if let accesses { pipeline.observers.append(accesses) }
    parts = try ThumbnailServer.Parts(
      pipeline, maximumDecodes: command.load.decodes, waiting: command.load.waiting)
    days = DayArchive(
      parts.pipeline, feeds: .remembered(otherwise: command.feed.sources),
      maximumInFlight: transfers.perHost, keepsDays: !command.keeping.noKeep,
      timeZone: .machine, reading: FeedFile.read)
  }

  func close() async {
    parts.pipeline.invalidate()
    await parts.pipeline.close()
    await tier?.shutDown()
    if let count = tier?.waitingPurgeCount, count > 0 {
      report.error("\(count.counted("purge")) did not reach the shared tier: purge again")
    }
    await fetcher.shutdown()
    sample?.stop()
    await cache.close()
    do throws(ImageError) { try accesses?.finish() } catch { report.error(error.message) }
  }
}
