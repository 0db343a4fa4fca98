import HTTPTypes

/// What to fetch, and under which rules.
public struct FetchRequest: Sendable {
  /// What is sent as `Referer`.
  public enum Referer: Sendable, Hashable {
    /// By the rule of the host in ``FetchRequest/hostRules``; hosts without a rule get none.
    case byHost
    /// None.
    case none
    /// This, to every host.
    case exactly(String)
  }

  /// The URL as its source spells it. What the wire needs (percent-encoding, https) concerns the
  /// fetch alone.
  public var url: String
  /// `GET` or `HEAD`. Default: `GET`.
  public var method = HTTPRequest.Method.get
  /// Fields to send besides those of the fetcher; one of the same name replaces the fetcher's.
  /// `Authorization` and `Cookie` are dropped when a redirect leads to another origin.
  public var headers = HTTPFields()
  /// What the transfer may cost.
  public var limits = FetchLimits()
  /// Whether gzip and br are accepted and undone; for text. Default: false.
  public var acceptsCompression = false
  /// What is sent as `Referer`. Default: by the rule of the host.
  public var referer = Referer.byHost
  /// What the hosts of this URL, of its redirects and of its alternates need. Default: nothing.
  public var hostRules = HostRules()
  /// Whether a kept prefix is continued, and that of a failed transfer kept. Default: false.
  public var resumes = false
  /// Whether a final status that is neither 2xx nor 304 is an answer like others, with its body,
  /// and not an error. Default: false.
  public var returnsEveryStatus = false
  /// URLs to try in turn when this one is not available: not found, forbidden, or failed after
  /// its retries. Default: none.
  public var alternates: [String] = []
  /// Tries after the first, for the failures that ``RetryPolicy`` names; `nil` leaves it to the
  /// fetcher's policy.
  public var maximumRetryCount: Int?
  /// Counts what this costs while it runs.
  public var meter: TransferMeter?
  /// Observes a long or slow body while it arrives. Default: none.
  package var watcher: (any BodyWatching)?
  /// Receives each host and port that a try led to, the last one with the try's failure, if any;
  /// called on any thread. Default: none.
  package var attemptEnded: (@Sendable (_ host: String, ImageError?) -> Void)?

  /// Asks for a URL by GET under the default rules; set what differs.
  public init(url: String) {
    self.url = url
  }
}

/// What one transfer may cost before it is aborted.
public struct FetchLimits: Sendable, Hashable {
  /// Bytes of the body, after undoing compression. Default: 64 MiB.
  public var maximumByteCount = 64 << 20
  /// Fewer bytes than this within ``lowSpeedTime`` end the transfer. Default: 1024.
  public var lowSpeedByteCount = 1024
  /// The time over which ``lowSpeedByteCount`` is counted. Default: 30 s.
  public var lowSpeedTime = Duration.seconds(30)
  /// The time to connect, TLS included. Default: 30 s.
  public var connectTime = Duration.seconds(30)
  /// The time for one transfer in all. Default: 300 s.
  public var totalTime = Duration.seconds(300)
  /// Redirects that are followed. Default: 10.
  public var maximumRedirectCount = 10

  /// The defaults.
  public init() {}
}

/// Fetches the bytes of a URL: over HTTP, from a file, or in tests from memory.
public protocol DataFetching: Sendable {
  /// Fetches once in the sense of the caller: redirects, retries, alternates and the continuation of
  /// a broken transfer happen inside.
  ///
  /// - Returns: An answer whose body is whole, or the head alone for 304 and HEAD.
  /// - Throws: ``ImageError`` with a code of the network or of the request; `httpStatus`, with the
  ///   status and a `Retry-After`, for a final status that is neither 2xx nor 304, unless
  ///   ``FetchRequest/returnsEveryStatus``. `CancellationError` when the task is cancelled, once the
  ///   transfer has ended.
  func fetch(_ request: FetchRequest) async throws -> FetchedResponse
}
