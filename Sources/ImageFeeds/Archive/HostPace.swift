import ImageModel

/// How fast a host is asked that answers 429: a value without a clock.
///
/// A refusal doubles the interval between two images, a success shortens it by a tenth.
struct HostPace: Sendable, Hashable {
  /// The maximum interval, whatever `Retry-After` the host sends.
  static let maximumInterval = Duration.seconds(60)
  private static let firstInterval = Duration.milliseconds(500)

  private(set) var interval = Duration.zero
  private(set) var due = Duration.zero
  private var refusedSince: Duration?

  mutating func refused(retryAfter: Duration?, now: Duration) {
    refusedSince = refusedSince ?? now
    // Requests that were sent side by side are refused together.
    guard now >= due else { return }
    interval = min(Self.maximumInterval, max(Self.firstInterval, interval * 2))
    due = now + min(Self.maximumInterval, max(interval, retryAfter ?? .zero))
  }

  mutating func succeeded(now: Duration) {
    refusedSince = nil
    interval = interval * 9 / 10
    due = max(due, now + interval)
  }

  /// The host is asked again after others were: only the time from here on counts.
  mutating func begin(now: Duration) { refusedSince = refusedSince.map { _ in now } }

  func end(after patience: Duration) -> Duration {
    refusedSince.map { $0 + patience } ?? .seconds(Int64.max >> 2)
  }
}
