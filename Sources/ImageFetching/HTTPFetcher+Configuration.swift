public import ImageModel

extension HTTPFetcher {
  /// The settings that all fetches of a fetcher share.
  public struct Configuration: Sendable {
    /// Which hosts and addresses may be reached. Default: public ones.
    public var hostGuard = HostGuard()
    /// Whether a redirect may lead from one URL to another; called in addition to ``hostGuard``.
    /// Default: always.
    public var mayRedirect: (@Sendable (_ source: String, _ target: String) -> Bool)?
    /// The failures that are retried, and the delays.
    public var retryPolicy = RetryPolicy()
    /// `User-Agent` of every request. Default: names this library and its version.
    public var userAgent = "imgcache/\(PackageVersion.text) (image pipeline)"
    /// For example `http://proxy:3128`. Default: none, regardless of the environment. Behind a
    /// proxy the check of addresses applies to the proxy's address alone.
    public var proxy: String?
    /// The certificates that origins, and a proxy with https, may prove themselves by. Default: the
    /// system's, regardless of the environment.
    public var certificates = TrustedCertificates()
    /// Fields for certain hosts, such as the credentials of private origins. They are sent to no
    /// other host, to no proxy while a tunnel is made, and appear in no error. Default: none.
    public var originHeaders = OriginHeaders()
    /// Users and passwords of origins. Those that URLs name are added: they are sent with every
    /// request to the origin, and appear in no error. Default: none.
    public var credentials = OriginCredentials()
    /// The buckets whose `s3://BUCKET/KEY` URLs may be fetched, regardless of the addresses of
    /// their endpoints; of two with the same name the later one counts. ``hostGuard``,
    /// ``mayRedirect`` and ``originHeaders`` do not apply to them, and no redirect of theirs is
    /// followed. Default: none.
    public var s3Buckets: [S3Bucket] = []
    /// The directories whose files `local://NAME/PATH` URLs name, by name. Regular files are read, by
    /// paths without dot names, through symbolic links that stay in the directory; a changed file is
    /// noticed by its size and times. Default: none.
    public var localRoots: [String: String] = [:]
    /// Where to connect for a host and port: `["sample.invalid:80": "127.0.0.1:4123"]`. Default:
    /// nowhere else. What is named here may be private.
    public var connectTo: [String: String] = [:]
    /// Bytes of bodies a second, all fetches together. Default: no limit.
    public var maximumByteRate: Int?
    /// Requests a second to one host and port. Waiting for that is not part of
    /// ``FetchLimits/totalTime``. Default: no limit.
    public var maximumRequestRatePerHost: Double?
    /// Exchanges in flight at once; more wait. Default: 256.
    public var maximumTransfers = 256
    /// Connections to one scheme, host and port, each of which carries one exchange at a time over
    /// HTTP/1.1; more exchanges wait. Over HTTP/2 exchanges share a connection, and are not limited
    /// by this. Default: no limit.
    public var maximumConnectionsPerHost: Int?
    /// A connection that was idle for longer is not used again; servers close theirs after a minute
    /// or two. Default: 118 s, as in libcurl.
    public var maximumIdleTime = Duration.seconds(118)

    /// Where the beginnings of bodies are kept whose transfer failed, for requests that
    /// ``FetchRequest/resumes``: `DiskCache.partialBodies`. Default: nowhere.
    public var partialBodies: PartialBodies?
    package var clock = Clock()

    /// The defaults.
    public init() {}

    var engine: CurlEngine.Configuration {
      CurlEngine.Configuration(
        maximumTransfers: maximumTransfers, maximumConnectionsPerHost: maximumConnectionsPerHost,
        maximumIdleTime: maximumIdleTime, proxy: proxy,
        certificates: certificates, userAgent: userAgent, connectTo: connectTo,
        maximumByteRate: maximumByteRate)
    }
  }

  /// Time and chance, as the fetcher's shell needs them; tests turn them by hand.
  package struct Clock: Sendable {
    package var date: @Sendable () -> Date = { Date() }
    package var now: @Sendable () -> ContinuousClock.Instant = { .now }
    package var sleep: @Sendable (Duration) async throws -> Void = {
      try await Task.sleep(for: $0.bounded)
    }
    package var chance: @Sendable () -> Double = { .random(in: 0..<1) }

    package init() {}
  }
}

extension HTTPFetcher.Configuration: Summarized {
  package var summary: KeyValuePairs<String, Any?> {
    [
      "proxy": proxy.map { $0.split(separator: "@").last ?? "" }, "userAgent": userAgent,
      "certificates": certificates, "originHeaders": originHeaders, "retryPolicy": retryPolicy,
      "connectTo": connectTo, "s3Buckets": s3Buckets.map(\.name),
      "maximumTransfers": maximumTransfers,
      "maximumConnectionsPerHost": maximumConnectionsPerHost, "maximumByteRate": maximumByteRate,
      "maximumRequestRatePerHost": maximumRequestRatePerHost,
    ]
  }
}
