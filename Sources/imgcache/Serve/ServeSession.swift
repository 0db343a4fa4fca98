import ImageFeeds
import HTTPListening
import ImagePipeline
import ThumbnailServer

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The cache, the fetcher, the pipeline and the days that a server works with.
struct ServeSession: Sendable {
  let cache: DiskCache
  let parts: ThumbnailServer.Parts
  let days: CachedDays
  /// What `--record-trace` writes.
  let accesses: AccessRecorder?
  private let fetcher: HTTPFetcher
  private let sample: SampleOrigin?
  private let report: Report

  /// Opens them.
  ///
  /// - Throws: ``ImageError`` when the cache cannot be used or an option makes no sense.
  init(_ command: ServeCommand) throws {
    let clock: @Sendable () -> Date = { Date() }
    report = command.common.report
    let cache = try Session.openCache(
      command.cache, common: command.common, access: .createOrRead, clock: clock)
    self.cache = cache
    let hosts = try HostAllowList(command.serve.allowHosts)
    let choice = command.feed.choice
    let remembered = FeedChoice(merging: Array(FeedChoice.all(in: cache)))
    // Days of the sample are asked of the sample, whichever command put them there.
    sample = choice.sample || remembered.sample ? try SampleOrigin(now: clock()) : nil

    var network = command.network
    network.useServerDefaults()
    let named = choice.api + choice.feed + remembered.api + remembered.feed
    var configuration = network.fetcher(named: named, sample: sample, keepingPartsIn: cache)
    configuration.mayRedirect = { hosts.mayRedirect(from: $0, to: $1) }
    fetcher = try HTTPFetcher(configuration)

    var pipeline = ImagePipeline.Configuration(fetcher: fetcher)
    pipeline.diskCache = cache
    pipeline.governor = MemoryGovernor(maximumInFlight: command.load.maximumInFlight.count)
    pipeline.limits = .server
    pipeline.limits.maximumPixels = command.load.maximumPixels
    pipeline.limits.maximumByteCount = network.maximumBytes.count
    pipeline.fetchLimits = network.fetchLimits
    pipeline.maximumFetches = network.concurrency
    pipeline.maximumFetchesPerHost = network.perHost
    pipeline.clock = clock
    accesses = try command.serve.recordTrace.map { try AccessRecorder(path: $0, clock: clock) }
    if let accesses { pipeline.observers.append(accesses) }
    parts = try ThumbnailServer.Parts(
      pipeline, maximumDecodes: command.load.decodes, waiting: command.load.waiting)
    days = CachedDays(
      cache: cache, pipeline: parts.pipeline, choice: choice, sample: sample, clock: clock,
      concurrency: network.concurrency)
  }

  /// Ends what runs, writes down what waits.
  func close() async {
    await parts.pipeline.close()
    fetcher.stop()
    sample?.stop()
    cache.close()
    do throws(ImageError) { try accesses?.finish() } catch { report.error(error.message) }
  }
}
