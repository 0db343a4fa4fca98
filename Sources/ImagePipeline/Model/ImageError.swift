/// Why a picture could not be had: a code for programs, a sentence for people.
///
/// Cancellation is not an `ImageError`; it stays `CancellationError`.
public struct ImageError: Error, Sendable, CustomStringConvertible {
  /// The stable reason. Raw values are part of the command line's JSON and are never renamed.
  public enum Code: String, Sendable, CaseIterable, Codable {
    // The request
    case invalidURL = "invalid_url"
    case unsupportedScheme = "unsupported_scheme"
    case hostNotAllowed = "host_not_allowed"
    case invalidArgument = "invalid_argument"
    // The network
    case nameNotResolved = "dns_failed"
    case connectionFailed = "connection_failed"
    case connectionReset = "connection_reset"
    case tlsFailed = "tls_failed"
    case timedOut = "timeout"
    case tooManyRedirects = "too_many_redirects"
    case httpStatus = "http_status"
    case shortBody = "short_body"
    case emptyBody = "empty_body"
    case tooLarge = "too_large"
    case protocolError = "protocol_error"
    // The picture
    case notAnImage = "not_an_image"
    case unsupportedFormat = "unsupported_format"
    case truncated = "truncated"
    case corrupt = "corrupt"
    case limitExceeded = "limit_exceeded"
    // The feed
    case notJSON = "not_json"
    case notAFeed = "not_a_feed"
    case dayNotFound = "day_not_found"
    // The cache
    case notCached = "not_cached"
    case cacheFull = "cache_full"
    case diskFull = "disk_full"
    case cacheUnusable = "cache_unusable"
    case storeFailed = "store_failed"
    // The pipeline
    case invalidated = "invalidated"
    case saturated = "saturated"
    // The machine
    case cannotListen = "cannot_listen"
    case fileUnreadable = "file_unreadable"
    case outOfMemory = "out_of_memory"
  }

  /// The stable reason.
  public let code: Code
  /// What happened, to which thing, and what would help. One line, without the program's name.
  public let message: String
  /// The status of the answer where ``code`` is ``Code/httpStatus``.
  public let status: Int?
  /// When the other side asked to be left alone until: the delay of a `Retry-After`.
  public let retryAfter: Duration?
  /// What the origin said, where it answered; its fields tell how long the failure may be believed.
  public let head: ResponseHead?
  /// The host that failed, which after a redirect is not the host of the request; `nil` where it is
  /// not known.
  package var host: String?

  /// Makes an error; `message` is one line for people.
  public init(
    _ code: Code, _ message: String, status: Int? = nil, retryAfter: Duration? = nil,
    head: ResponseHead? = nil
  ) {
    self.head = head
    self.code = code
    self.message = message
    self.status = status
    self.retryAfter = retryAfter
  }

  /// The message alone.
  public var description: String { message }
}
