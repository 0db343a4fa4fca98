import ImageFeeds
import HTTPListening
import ImagePipeline
import SampleFeed
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
  let days: DayArchive
  /// What `--record-trace` writes.
  let accesses: CacheTraceRecorder?
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
    let sources = command.feed.sources + DayRecords(in: cache).sources
    // Days of the sample are asked of the sample, whichever command put them there.
    sample = sources.contains(.sample) ? try SampleOrigin(now: clock()) : nil

    var network = command.network
    network.useServerDefaults()
    var configuration = network.fetcher(
      named: sources.flatMap(\.addresses), sample: sample, keepingPartsIn: cache)
    configuration.mayRedirect = { hosts.mayRedirect(from: $0, to: $1) }
    fetcher = try HTTPFetcher(configuration)

    var pipeline = ImagePipeline.Configuration(fetcher: fetcher)
    pipeline.diskCache = cache
    pipeline.hostRules = .zhihu
    pipeline.governor = MemoryGovernor(maximumInFlight: command.load.maximumInFlight.count)
    pipeline.limits = .server
    pipeline.limits.maximumPixels = command.load.maximumPixels
    pipeline.limits.maximumByteCount = network.maximumBytes.count
    pipeline.fetchLimits = network.fetchLimits
    pipeline.maximumFetches = network.concurrency
    pipeline.maximumFetchesPerHost = network.perHost
    pipeline.clock = clock
    accesses = try command.serve.recordTrace.map { try CacheTraceRecorder(path: $0, clock: clock) }
    if let accesses { pipeline.observers.append(accesses) }
    parts = try ThumbnailServer.Parts(
      pipeline, maximumDecodes: command.load.decodes, waiting: command.load.waiting)
    days = DayArchive(
      parts.pipeline, feeds: .remembered(otherwise: command.feed.sources),
      maximumInFlight: network.concurrency, reading: FeedFile.read)
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
