import ImageModel

/// Decides whether and when a failed fetch is tried again: after timeouts, failed connections,
/// resets, short bodies, and the statuses 408, 429 and 5xx.
///
/// The upper bound of the delay doubles with each retry; the delay is uniform between zero and it
/// ("full jitter": Marc Brooker, "Exponential Backoff and Jitter", 2015), so that many clients do
/// not come back together.
public struct RetryPolicy: Sendable, Hashable {
  /// The maximum number of retries. Default: 3.
  public var maximumRetryCount = 3
  /// The upper bound of the first delay. Default: 500 ms.
  public var firstDelay = Duration.milliseconds(500)
  /// The largest upper bound. Default: 20 s.
  public var maximumDelay = Duration.seconds(20)
  /// The maximum `Retry-After` that is waited for; with a longer one, the failure is final.
  /// Default: 60 s.
  public var maximumRetryAfter = Duration.seconds(60)
  /// Whether an attempt that timed out before any byte of the response is retried, as one whose
  /// response stopped is. Default: false, so that a silent origin fails after the time of one
  /// attempt. Alternates are tried in any case.
  public var retriesSilence = false
  /// How long a host that answers 429 is asked again, more and more slowly, beside the retries and
  /// ``FetchLimits/totalTime``; an image of a prefetch is not then, so that the images of other hosts
  /// can precede it. Default: `nil`, a 429 counts as the other failures do.
  public var busyTime: Duration?

  /// The defaults.
  public init() {}

  private static func isTransient(_ error: ImageError) -> Bool {
    switch error.code {
    case .timedOut, .connectionFailed, .connectionReset, .shortBody: true
    case .httpStatus: isTransient(status: error.status ?? 0)
    default: false
    }
  }

  static func isTransient(status: Int) -> Bool {
    status == 408 || status == 429 || (500...599).contains(status)
  }

  /// The delay before a host that answered 429, `count` times before, is asked again; `nil` if it
  /// no longer is.
  func delay(afterBusy error: ImageError, count: Int, waited: Duration) -> Duration? {
    guard error.status == 429, let busyTime else { return nil }
    let delay = min(
      .seconds(60), max(firstDelay * (1 << min(count, 20)), error.retryAfter ?? .zero))
    return waited + delay <= busyTime ? delay : nil
  }

  /// The delay before the next retry, by a chance from 0 up to 1; `nil` if the failure is final.
  func delay(after error: ImageError, retryCount: Int, chance: Double) -> Duration? {
    guard retryCount < maximumRetryCount, Self.isTransient(error),
      error.status != 429 || busyTime == nil
    else { return nil }
    let bound = min(maximumDelay, firstDelay.bounded * (1 << min(retryCount, 20)))
    guard let asked = error.retryAfter else { return bound * chance }
    guard asked <= maximumRetryAfter else { return nil }
    return asked + min(bound, .seconds(1)) * chance
  }
}
