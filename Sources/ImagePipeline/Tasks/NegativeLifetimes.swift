import HTTPCaching
import ImageModel

/// The time for which a failure is remembered, by its reason; zero for not at all.
///
/// A remembered failure is returned without a request, so that a dead link is not fetched in a
/// loop. `CachePolicy.revalidate` and `CachePolicy.reload` send a request nevertheless.
public struct NegativeLifetimes: Sendable, Hashable {
  /// 404 and 410, if the origin specifies no lifetime. Default: 1 minute.
  public var missing = Duration.seconds(60)
  /// A host name that does not resolve, for all URLs of that host. Default: 10 s.
  public var goneHost = Duration.seconds(10)
  /// Bytes that are not an image, or a damaged one. Default: 1 minute.
  public var undecodable = Duration.seconds(60)
  /// A body or an image above the limits. Default: 10 minutes.
  public var tooLarge = Duration.seconds(600)
  /// The longest `Retry-After` that is observed. Default: 10 minutes.
  public var maximumRetryAfter = Duration.seconds(600)

  /// The defaults.
  public init() {}

  /// How long a failure is remembered; `nil` for a transient one, which is not remembered.
  func lifetime(of error: ImageError, at now: Date) -> Duration? {
    let lifetime: Duration? =
      switch error.code {
      case .nameNotResolved: goneHost
      case .notAnImage, .unsupportedFormat, .truncated, .corrupt: undecodable
      case .tooLarge, .limitExceeded: tooLarge
      case .httpStatus where Self.isMissing(error): stated(by: error, at: now) ?? missing
      case .httpStatus where error.status == 429 || error.status == 503:
        error.retryAfter.map { min($0, maximumRetryAfter) }
      default: nil
      }
    return lifetime.flatMap { $0 > .zero ? $0 : nil }
  }

  /// Whether the origin's response means that there is no content: worth storing for other
  /// processes and for days.
  static func isMissing(_ error: ImageError) -> Bool { error.status == 404 || error.status == 410 }

  private func stated(by error: ImageError, at now: Date) -> Duration? {
    guard let head = error.head else { return nil }
    let freshness = HTTPFreshness(
      status: head.status, headers: head.fields, requestTime: now, responseTime: now)
    guard !freshness.isHeuristic, !freshness.control.noStore else { return nil }
    return .seconds(max(0, freshness.remaining(at: now)))
  }
}
