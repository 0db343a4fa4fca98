import ImageModel

/// Limits the concurrent requests to one host after failures that indicate overload, called
/// complaints: a pure value.
///
/// Additive increase, multiplicative decrease (Chiu and Jain, "Analysis of the Increase and
/// Decrease Algorithms for Congestion Avoidance", 1989): a complaint halves the limit, every
/// success raises it by one. The `Retry-After` of a 429 holds the host for its duration; that of a 503
/// is for its URL, which is remembered elsewhere. The limit never falls below two: with one,
/// recognizing a host that fails for everything would take too long.
struct HostBackoff: Sendable, Hashable {
  /// The limit of a host without complaints.
  private(set) var maximum: Int
  /// The limit of concurrent jobs now, except for ``heldUntil``.
  private(set) var limit: Int
  /// No request starts before this time; `nil` for a host that is not held.
  private(set) var heldUntil: Duration?
  /// The time when the last complaint was counted: simultaneous ones count as one.
  private var complainedAt: Duration?

  /// Complaints within this time are one: places that run side by side fail together.
  static let window = Duration.seconds(1)
  /// The maximum time for which a host is held, regardless of its `Retry-After`.
  static let maximumHold = Duration.seconds(60)

  init(maximum: Int) {
    self.maximum = maximum
    limit = maximum
  }

  var isForgettable: Bool { limit == maximum && heldUntil == nil }

  mutating func setMaximum(_ maximum: Int) {
    self.maximum = maximum
    limit = min(limit, maximum)
  }

  mutating func succeeded() { limit = min(maximum, limit + 1) }

  mutating func failed(_ error: ImageError, now: Duration) {
    guard Self.isComplaint(error) else { return }
    if error.status == 429, let asked = error.retryAfter, asked > .zero {
      let until = now + min(asked, Self.maximumHold)
      heldUntil = max(heldUntil ?? until, until)
    }
    if let complainedAt, now - complainedAt < Self.window { return }
    complainedAt = now
    limit = max(min(2, maximum), limit / 2)
  }

  /// Jobs at once at a time: none while the host is held.
  mutating func limit(at now: Duration) -> Int {
    if let heldUntil, now >= heldUntil { self.heldUntil = nil }
    return heldUntil == nil ? limit : 0
  }

  static func isComplaint(_ error: ImageError) -> Bool {
    switch error.code {
    case .timedOut, .connectionFailed, .connectionReset: true
    case .httpStatus: error.status == 429 || (500...599).contains(error.status ?? 0)
    default: false
    }
  }
}
