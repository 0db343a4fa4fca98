public import CachePolicies
public import HTTPListening
public import ImageModel
public import ImagePipeline

extension ThumbnailServer {
  /// The configuration of a server.
  public struct Configuration: Sendable {
    /// How it listens, and what its clients may use of it. Default: on 127.0.0.1, port 8780.
    public var listener = ListenerConfiguration([.tcp(host: "127.0.0.1", port: 8780)])
    /// The path in front of every route, such as `/img`; signatures are those of the whole path,
    /// `/img/thumb`. Default: empty, the root.
    public var pathPrefix = "" {
      didSet { pathPrefix = Self.pathPrefix(of: pathPrefix) }
    }
    /// Whether only `/thumb`, `/image`, `/info` and health are served, and nothing can be removed,
    /// except to listeners for operators. Default: no.
    public var servesOnlyImages = false
    /// The hosts that images may be fetched from, besides those of the days in the cache. Default:
    /// none.
    public var allowedHosts = HostAllowList()
    /// The buckets that `s3://BUCKET/KEY` URLs of requests may name; the fetcher has to have them
    /// as well. Default: none.
    public var allowedBuckets: Set<String> = []
    /// The names of the directories whose files `local://NAME/PATH` URLs of requests may name; the
    /// fetcher has to have them as well. Default: none.
    public var allowedRoots: Set<String> = []
    /// Whether requests to origins are forbidden. Default: no.
    public var isOffline = false
    /// The keys, one of which has to sign every `/thumb` and `/image`. Default: none; signatures
    /// are not required.
    public var signingKeys: [SigningKey] = []
    /// The keys, one of which a request needs that removes images; `nil` if none can. Default: none.
    public var adminKeys: [SigningKey]?
    /// The thumbnails that may be requested.
    public var rules = ThumbnailRules()
    /// The seconds for which clients may use stale responses if the origin does not specify it: while
    /// revalidating, and after an error (RFC 5861 §3, §4). Default: none.
    public var grace: (whileRevalidating: Int?, onError: Int?) = (nil, nil)
    /// The maximum bytes of responses in memory. Default: 64 MiB.
    public var memoryByteCount = 64 << 20
    /// The eviction policy of that memory. Default: `gdsf-tb`, by measurement (PolicyDecisions).
    public var memoryPolicy = EvictionPolicy.gdsfTB(exponent: 1)
    /// The encoded placeholder of an unavailable image. Default: the ThumbHash or main
    /// colour in the cache, else grey.
    public var placeholder: [UInt8]?
    /// The separator of the tags in `Cache-Tag`. Default: a space.
    public var cacheTagSeparator = CacheTagSeparator.space
    /// The days in the cache. Default: none.
    public var days: any DayProviding = NoDays()
    /// What is logged of each response. Default: nothing.
    public var accessLog: AccessLog.Configuration?
    /// Called with a line for people about requests that the rules refuse, at most once a minute for
    /// each host and reason. Default: nothing.
    public var log: @Sendable (String) -> Void = { _ in }
    /// The recorder of responses from memory, which the pipeline does not see; it is an observer of
    /// the pipeline as well. Default: none.
    public var accesses: CacheTraceRecorder?
    /// The clock. Default: the system's.
    public var clock: @Sendable () -> Date = { Date() }
    /// A monotonic clock in nanoseconds, replaced in tests. Default: the system's.
    var monotonicClock: (@Sendable () -> UInt64)?

    /// The defaults.
    public init() {}

    /// A path with a slash before each of its steps.
    static func pathPrefix(of path: String) -> String {
      path.split(separator: "/").map { "/" + $0 }.joined()
    }
  }
}

extension ServingRules {
  /// The rules that a configuration sets.
  init(_ configuration: ThumbnailServer.Configuration) {
    self.init(
      hosts: configuration.allowedHosts, buckets: configuration.allowedBuckets,
      roots: configuration.allowedRoots,
      thumbnails: configuration.rules,
      signer: configuration.signingKeys.isEmpty ? nil : URLSigner(keys: configuration.signingKeys),
      pathPrefix: configuration.pathPrefix,
      admins: configuration.adminKeys, grace: configuration.grace,
      placeholder: configuration.placeholder, tagSeparator: configuration.cacheTagSeparator)
  }
}
