public import HTTPTypes
public import ImageModel

/// Fetches the bytes of a URL: over HTTP, from a file, or in tests from memory.
public protocol DataFetching: Sendable {
  /// Fetches a URL; redirects, retries, alternates and the resumption of a broken transfer are
  /// part of it.
  ///
  /// - Returns: A response whose body is whole, or the head alone for 304 and HEAD.
  /// - Throws: `ImageError` with a code of the network or of the request; `httpStatus`, with the
  ///   status and a `Retry-After`, for a final status that is neither 2xx nor 304.
  ///   `CancellationError` when the task is cancelled, once the transfer has ended.
  func fetch(_ request: FetchRequest) async throws -> FetchedResponse

  /// Checks that a URL is one of those that are fetched; a pipeline calls it before it looks for an
  /// image anywhere. Default: any but an empty one is.
  ///
  /// - Throws: `ImageError` with code `invalidURL` or `unsupportedScheme`.
  func check(_ url: String) throws(ImageError)

  /// The users and passwords that it sends. What a URL names is learned there by what uses the URL
  /// as a key. Default: none, and none is kept.
  var credentials: OriginCredentials { get }

  /// The fields that it sends to certain hosts, by which a pipeline tells what is stored for others.
  /// A fetcher around another one returns that one's. Default: none.
  var originHeaders: OriginHeaders { get }
}

extension DataFetching {
  /// None.
  public var credentials: OriginCredentials { .none }

  /// Throws for an empty URL.
  public func check(_ url: String) throws(ImageError) {
    if url.isEmpty { throw ImageError(.invalidURL, "the URL is empty") }
  }

  /// None.
  public var originHeaders: OriginHeaders { OriginHeaders() }
}

/// A URL to fetch, with the rules for it.
public struct FetchRequest: Sendable {
  /// The value of `Referer`.
  public enum Referer: Sendable, Hashable {
    /// By the rule of the host in ``FetchRequest/hostRules``; hosts without a rule get none.
    case byHost
    /// None.
    case none
    /// The same for every host.
    case exactly(String)
  }

  /// An http or https URL as its source spells it, which the fetcher percent-encodes, or
  /// `s3://BUCKET/KEY`; see `S3Address`.
  public var url: String
  /// `GET` or `HEAD`. Default: `GET`.
  public var method = HTTPRequest.Method.get
  /// Fields to send besides those of the fetcher, which they replace.
  /// `Authorization` and `Cookie` are dropped when a redirect leads to another origin.
  public var headers = HTTPFields()
  /// The URL whose response the conditions in ``headers`` are about (RFC 9110 §13.1): they are sent
  /// to it alone, not to the redirects on the way, nor to another target of theirs. Default: `nil`,
  /// the requested URL.
  public var conditionsURL: String?
  /// The limits of the fetch and of each transfer.
  public var limits = FetchLimits()
  /// Whether gzip and br are accepted and decoded; for text. Default: false.
  public var acceptsCompression = false
  /// The value of `Referer`. Default: depends on the host.
  public var referer = Referer.byHost
  /// The rules for the hosts of this URL, of its redirects and of its alternates. Default: none.
  public var hostRules = HostRules()
  /// Whether a kept prefix is continued, and that of a failed transfer kept. Default: false.
  public var resumes = false
  /// URLs to try in turn when this one is not found, forbidden, or failed after its retries.
  /// Default: none.
  public var alternates: [String] = []
  /// The maximum number of retries of the failures that ``RetryPolicy`` names; `nil` for the
  /// fetcher's.
  public var maximumRetryCount: Int?
  /// Whether a 429 is final even where ``RetryPolicy/busyTime`` is set. Default: false.
  package var failsWhileBusy = false
  /// Counts received bytes while the fetch runs.
  public var meter: TransferMeter?
  /// Receives the body while it arrives: of a pipeline's request, what makes its events
  /// `progress` and `preview`. A fetcher reports to it, and passes it on to a fetcher that it wraps.
  /// ``HTTPFetcher`` reports bodies that are long or slow. Default: none.
  public var progress: (any BodyWatching)?
  /// Receives each host and port of an attempt, the last one with its failure, on any thread.
  package var attemptEnded: (@Sendable (_ host: String, ImageError?) -> Void)?
  /// Receives whether a host and port speaks HTTP/2, as soon as that is known, on any thread.
  package var protocolKnown: (@Sendable (_ host: String, _ isMultiplexed: Bool) -> Void)?

  /// Creates a GET request with the defaults.
  public init(url: String) {
    self.url = url
  }
}

extension FetchRequest {
  /// Whether the conditions are about the resource at a URL of the chain of redirects.
  func acceptsConditions(at url: WebURL) -> Bool {
    guard let conditionsURL else { return isRequested(url) }
    if WebURL(conditionsURL)?.text == url.text { return true }
    // URLs with one key are one resource.
    return hostRules.cacheURL.map { $0(url.text) == $0(conditionsURL) } ?? false
  }

  /// Whether a URL is the one that is requested, as its host requires it.
  func isRequested(_ target: WebURL) -> Bool {
    WebURL(url).map { hostRules.target(of: $0).text == target.text } ?? false
  }

  /// A URL of the chain of redirects, the first one as it was requested.
  func spelling(of hop: WebURL) -> String { isRequested(hop) ? url : hop.text }
}

extension FetchRequest: Summarized {
  package var summary: KeyValuePairs<String, Any?> {
    [
      "url": WebURL.withoutUserinfo(url), "method": method, "headers": headers.summary,
      "conditionsURL": conditionsURL, "acceptsCompression": acceptsCompression, "referer": referer,
      "resumes": resumes, "alternates": alternates.map(WebURL.withoutUserinfo),
      "maximumRetryCount": maximumRetryCount,
    ]
  }
}

/// The limits beyond which a transfer is aborted, and the time for a fetch.
public struct FetchLimits: Sendable, Hashable {
  /// Bytes of the decoded body. Default: 64 MiB.
  public var maximumByteCount = 64 << 20
  /// The transfer ends when fewer bytes than this arrive within ``lowSpeedTime``. Default: 1024.
  public var lowSpeedByteCount = 1024
  /// The time over which ``lowSpeedByteCount`` is counted. Default: 30 s.
  public var lowSpeedTime = Duration.seconds(30)
  /// The time to connect, TLS included. Default: 30 s.
  public var connectTime = Duration.seconds(30)
  /// The time for a fetch: all attempts, redirects and alternates, and the delays between them,
  /// together. An attempt gets what is left, and a retry that would begin later is not made.
  /// Default: 300 s.
  public var totalTime = Duration.seconds(300)
  /// Redirects that are followed. Default: 10.
  public var maximumRedirectCount = 10

  /// Creates the default limits.
  public init() {}
}
