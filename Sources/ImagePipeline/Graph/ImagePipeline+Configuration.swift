public import CachePolicies
public import DiskCaching
public import HTTPCaching
public import ImageFetching
public import ImageModel
public import LoadScheduling
public import Tracing

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ImagePipeline {
  /// The configuration of a pipeline.
  public struct Configuration: Sendable {
    /// The limits of the memory tier, which every pipeline has for itself; `nil` for none. Default: a
    /// quarter of what the process may use, at most 512 MiB.
    public var memory: MemoryCacheConfiguration? = MemoryCacheConfiguration()
    /// A memory tier that several pipelines share, or one of your own, in place of ``memory``.
    /// Default: none.
    public var sharedMemory: (any ImageMemoryCaching)?
    /// Shares one budget of memory among the memory tier and bodies in transfer, and all else that
    /// takes part in it, such as a `FrameBudget`; the pipeline has it watch the system's memory.
    /// Default: none; then the memory tier keeps to its own limit.
    public var governor: MemoryGovernor?
    /// The disk tier. Default: none.
    public var diskCache: DiskCache?
    /// A cache that several servers share, behind ``diskCache``: what another one has fetched or made
    /// is not fetched or made again, and purges reach all. It needs a disk tier. Default: none.
    public var sharedTier: (any SharedResponseTier)?
    /// The source of images that no tier has.
    public var fetcher: any DataFetching
    /// The maximum cost of an input. Default: safe for inputs from anywhere.
    public var limits = ImageLimits()
    /// The maximum cost of a fetch. Default: 64 MiB, 300 s with its retries, at least 1 KiB in 30 s.
    public var fetchLimits = FetchLimits()

    /// Images fetched at once. Default: 6.
    public var maximumFetches = 6
    /// Images fetched at once from one host; fewer after failures. Default: 6.
    public var maximumFetchesPerHost = 6
    /// The same for a host that answers over HTTP/2, where all of them share a connection. Default:
    /// `nil`, as many as ``maximumFetchesPerHost``.
    public var maximumStreamsPerHost: Int?
    /// Of ``maximumFetches``, those that prefetching leaves free, so that a visible image need not
    /// wait for it. Default: 1.
    public var reservedFetches = 1
    /// How fast fetches may begin. Default: as fast as there are places.
    public var maximumFetchRate: RequestRate?
    /// How many fetches may wait for a place, and for how long. Default: no limits.
    public var waitingFetches = WaitLimits()
    /// Bounds the concurrent decodes; for servers, whose clients may request any image. Default:
    /// the number of threads.
    public var decodeGate: DecodeGate?
    /// Whether the responses are for many users, as those of a server are: then `private` ones are
    /// not stored, and `s-maxage` counts (RFC 9111). Default: no.
    public var isShared = false
    /// Threads for decoding and files. Default: one more than there are processors, at least 3: one
    /// of them often waits for the disk, and more would compete for the processors.
    public var threadCount = max(3, ProcessInfo.processInfo.activeProcessorCount + 1)

    /// Policies by host (`example.org`, or `*.example.org` for all below it), for requests that
    /// name none but the default. Default: none.
    public var hostPolicies: [String: CachePolicy] = [:]
    /// How long a failure is remembered, by its reason.
    public var negativeLifetimes = NegativeLifetimes()
    /// The requirements of certain hosts, and the spelling of URLs as keys. Default: none.
    public var hostRules = HostRules()
    /// May rewrite a fetch before it is sent, or refuse it by throwing; for signatures and tokens.
    /// Default: none.
    public var prepare: (@Sendable (FetchRequest) async throws -> FetchRequest)?
    /// Whether `file` URLs and paths are read. What is read is not written to the cache. Default:
    /// no, which services that accept URLs from clients must keep.
    public var readsLocalFiles = false
    /// The least time between two previews of one load. Default: 200 ms.
    public var previewInterval = Duration.milliseconds(200)
    /// Receive requests and their stages. Default: none.
    public var observers: [any PipelineObserver] = []
    /// Makes a span of each load and of its stages; see <doc:Tracing>. Default: the tracer that the
    /// program had bootstrapped when this value was created, if any.
    public var tracer: (any Tracer)? = LoadSpan.bootstrappedTracer
    /// The time now. Default: the system's clock.
    public var clock: @Sendable () -> Date = { Date() }
    /// Replaced in tests.
    package var queueClock = QueueClock()

    /// The defaults around a fetcher.
    public init(fetcher: any DataFetching) {
      self.fetcher = fetcher
    }
  }
}

extension ImagePipeline.Configuration {
  /// The fields that requests to certain hosts are sent with.
  var originHeaders: OriginHeaders {
    let headers = fetcher.originHeaders
    return headers.isEmpty ? diskCache?.configuration.originHeaders ?? headers : headers
  }

  func check() throws(ImageError) {
    let counts = [
      ("maximumFetches", maximumFetches), ("maximumFetchesPerHost", maximumFetchesPerHost),
      ("threadCount", threadCount),
    ]
    for (name, count) in counts where count < 1 {
      throw ImageError(.invalidArgument, "\(name) is \(count); it must be at least 1")
    }
  }

  /// The name of a request's entries: its key, else its URL as the rule spells it.
  func cacheURL(of request: ImageRequest) -> String {
    request.cache.key ?? cacheURL(of: request.url)
  }

  /// The URL as the key of its entries.
  func cacheURL(of url: String) -> String {
    WebURL.withoutFragment(hostRules.cacheURL?(url) ?? url)
  }

  /// The limits of a request's fetch, which has the longer of its time and theirs.
  func fetchLimits(for request: ImageRequest) -> FetchLimits {
    var limits = fetchLimits
    limits.totalTime = max(limits.totalTime, request.network.timeout ?? .zero)
    return limits
  }

  /// The policy of a request: its own, or its host's where it has but the default.
  func policy(for request: ImageRequest) -> CachePolicy {
    guard request.cache.policy == .http, !hostPolicies.isEmpty, let host = WebURL(request.url)?.host
    else { return request.cache.policy }
    return hostPolicies.value(forHost: host) ?? .http
  }
}
