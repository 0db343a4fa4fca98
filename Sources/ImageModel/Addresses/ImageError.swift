#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  public import Foundation
#endif
#if canImport(Darwin)
  public import Darwin
#else
  import Glibc
#endif

/// The reason why an image could not be loaded: a code for programs, a sentence for people, and the
/// cause.
///
/// Cancellation is not an `ImageError`; it stays `CancellationError`.
public struct ImageError: LocalizedError, Sendable, Summarized {
  /// The stable reason.
  public let code: Code
  /// What failed, the value, and the way out. One line, without the program's name.
  public package(set) var message: String
  /// What most errors are without, allocated apart: errors are in frames of asynchronous functions.
  @Boxed private var details: Details

  private struct Details: Sendable {
    var url: String?
    var status: Int?
    var retryAfter: Duration?
    let head: ResponseHead?
    let cause: (any Error)?
    var host: String?
  }

  /// The URL that the error is about, as its source spells it, without a user and password. Where a
  /// pipeline could not load a request, that of the request. `nil` where there is none.
  public var url: String? {
    get { details.url }
    set { details.url = newValue.map(WebURL.withoutUserinfo) }
  }
  /// The HTTP status of the response, where ``code`` is ``Code/httpStatus``.
  public package(set) var status: Int? {
    get { details.status }
    set { details.status = newValue }
  }
  /// The delay in the origin's `Retry-After`.
  public package(set) var retryAfter: Duration? {
    get { details.retryAfter }
    set { details.retryAfter = newValue }
  }
  /// The head of the origin's response, if there was one; its fields determine how long the failure
  /// may be cached.
  public var head: ResponseHead? { details.head }
  /// The underlying error, if there is one: a `POSIXError` for a failed system call, or what
  /// libcurl or a decoder reported.
  public var cause: (any Error)? { details.cause }
  /// The host that failed, which after a redirect is not the host of the request; `nil` if unknown.
  package var host: String? {
    get { details.host }
    set { details.host = newValue }
  }

  /// Creates an error; `message` is one line for people.
  public init(
    _ code: Code, _ message: String, url: String? = nil, status: Int? = nil,
    retryAfter: Duration? = nil, head: ResponseHead? = nil, cause: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    details = Details(
      url: url.map(WebURL.withoutUserinfo), status: status, retryAfter: retryAfter, head: head,
      cause: cause)
  }

  /// Creates the error of a failed system call; the system's text follows `failure`.
  public init(_ code: Code, _ failure: String, errno number: Int32) {
    let cause = POSIXError(POSIXErrorCode(rawValue: number) ?? .EIO)
    self.init(code, "\(failure): \(String(cString: strerror(number)))", cause: cause)
  }

  /// Creates the error of a failed write: `diskFull` if the disk or a quota is full, else
  /// `storeFailed`.
  public init(writing failure: String, errno number: Int32) {
    self.init(
      number == ENOSPC || number == EDQUOT ? .diskFull : .storeFailed, failure, errno: number)
  }

  /// Throws for an empty path and for one that begins with `~`, which would be a file of that name.
  package static func check(_ path: String, of setting: String, _ code: Code) throws(ImageError) {
    if path.isEmpty { throw ImageError(code, "\(setting) is empty; give a path") }
    if path.utf8.contains(0) { throw ImageError(code, "\(setting) contains a null character") }
    if path.hasPrefix("~") {
      throw ImageError(
        code,
        "\(setting) is \"\(path)\", and only a shell expands ~; give the whole path, or \"./\(path)\" if it is really called that"
      )
    }
  }

  /// Returns the error with another message, for a caller that can name what the failure concerns.
  public func withMessage(_ message: String) -> ImageError {
    var error = self
    error.message = message
    return error
  }

  /// The URL, the message and the cause, without what the message contains already.
  public var description: String {
    let reason: String? =
      switch cause {
      case nil: nil
      case let error as POSIXError: String(cString: strerror(error.code.rawValue))
      case let cause?: "\(cause)"
      }
    let text = reason.map { message.contains($0) ? message : "\(message) (\($0))" } ?? message
    guard let url, !message.contains(WebURL.withoutFragment(url)) else { return text }
    return "\(url): \(text)"
  }

  /// As ``description``.
  public var errorDescription: String? { description }

  package var summary: KeyValuePairs<String, Any?> {
    [
      "code": code, "message": message, "url": url, "status": status, "retryAfter": retryAfter,
      "cause": cause,
    ]
  }
}

extension ImageError {
  /// A stable reason.
  ///
  /// The list is open: feeds and servers define additional codes, and later versions may add some.
  /// A `switch` needs a `default`, which should treat a code like a permanent failure.
  public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The name in JSON outputs and in the index of the disk cache. It never changes.
    public let rawValue: String

    /// Creates a code; `rawValue` is lower-case words joined by `_`.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The raw value.
    public var description: String { rawValue }

    // The request

    /// The text is not a URL that can be fetched.
    public static let invalidURL = Code(rawValue: "invalid_url")
    /// The URL, or a redirect, names a scheme that is not supported.
    public static let unsupportedScheme = Code(rawValue: "unsupported_scheme")
    /// The host or address may not be contacted.
    public static let hostNotAllowed = Code(rawValue: "host_not_allowed")
    /// A redirect leads to a host that `HTTPFetcher.Configuration.mayRedirect` refuses.
    public static let redirectNotAllowed = Code(rawValue: "redirect_not_allowed")
    /// A parameter is out of range or contradicts another.
    public static let invalidArgument = Code(rawValue: "invalid_argument")

    // The network

    /// The host name does not resolve.
    public static let nameNotResolved = Code(rawValue: "dns_failed")
    /// No connection could be made.
    public static let connectionFailed = Code(rawValue: "connection_failed")
    /// The connection broke.
    public static let connectionReset = Code(rawValue: "connection_reset")
    /// The TLS handshake or the certificate check failed.
    public static let tlsFailed = Code(rawValue: "tls_failed")
    /// A time limit was exceeded.
    public static let timedOut = Code(rawValue: "timeout")
    /// There were more redirects than allowed.
    public static let tooManyRedirects = Code(rawValue: "too_many_redirects")
    /// The origin responded with an error; see ``ImageError/status``.
    public static let httpStatus = Code(rawValue: "http_status")
    /// The body ended early.
    public static let shortBody = Code(rawValue: "short_body")
    /// The body is empty.
    public static let emptyBody = Code(rawValue: "empty_body")
    /// The body exceeds a limit.
    public static let tooLarge = Code(rawValue: "too_large")
    /// The response is not valid HTTP.
    public static let protocolError = Code(rawValue: "protocol_error")

    // The image

    /// The bytes are not an image.
    public static let notAnImage = Code(rawValue: "not_an_image")
    /// The image's format is known but not supported.
    public static let unsupportedFormat = Code(rawValue: "unsupported_format")
    /// The image's data end early.
    public static let truncated = Code(rawValue: "truncated")
    /// The image's data are damaged.
    public static let corrupt = Code(rawValue: "corrupt")
    /// A limit of ``ImageLimits`` was exceeded.
    public static let limitExceeded = Code(rawValue: "limit_exceeded")

    // The cache

    /// The cache has no entry, and requests to the origin are forbidden.
    public static let notCached = Code(rawValue: "not_cached")
    /// The entry does not fit within the cache's limit.
    public static let cacheFull = Code(rawValue: "cache_full")
    /// The cache is full of entries that its policy values more, so it does not store this one.
    public static let notAdmitted = Code(rawValue: "not_admitted")
    /// The disk, or a quota, is full.
    public static let diskFull = Code(rawValue: "disk_full")
    /// The cache directory cannot be used.
    public static let cacheUnusable = Code(rawValue: "cache_unusable")
    /// The image was purged while it was being loaded, so it is not stored.
    public static let purged = Code(rawValue: "purged")
    /// A write failed for another reason.
    public static let storeFailed = Code(rawValue: "store_failed")
    /// A purge could not be sent to the cache that several servers share.
    public static let sharedTierFailed = Code(rawValue: "shared_tier_failed")

    // The pipeline and the machine

    /// A fetcher, or a hook of the pipeline, threw an error of another type, which is the cause.
    public static let fetchFailed = Code(rawValue: "fetch_failed")

    /// The pipeline was invalidated.
    public static let invalidated = Code(rawValue: "invalidated")
    /// Too many requests are waiting.
    public static let saturated = Code(rawValue: "saturated")
    /// A local file cannot be read.
    public static let fileUnreadable = Code(rawValue: "file_unreadable")
    /// Memory could not be allocated.
    public static let outOfMemory = Code(rawValue: "out_of_memory")
    /// A library that is loaded on use is not installed.
    public static let libraryMissing = Code(rawValue: "library_missing")

    /// Whether the cache or this machine failed, so that no other origin or image would help.
    /// ``outOfMemory`` is about one image.
    public var isOfEnvironment: Bool {
      switch self {
      case .cacheFull, .diskFull, .cacheUnusable, .storeFailed, .sharedTierFailed, .libraryMissing:
        true
      default: false
      }
    }
  }
}
