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
  /// Whether a kept beginning is continued, and a broken transfer's beginning kept. Default: false.
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
  /// Receives a long or slow body while it arrives. Default: none.
  package var watcher: (any BodyWatching)?
  /// Receives each host and port that a try led to, the last one with the try's failure, if any;
  /// called on any thread. Default: none.
  package var attemptEnded: (@Sendable (_ host: String, ImageError?) -> Void)?

  /// Asks for a URL by GET under the default rules; set what differs.
  public init(url: String) {
    self.url = url
  }
}
