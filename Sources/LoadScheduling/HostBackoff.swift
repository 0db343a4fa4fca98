import ImageModel

/// Decides how much one host is asked at once after it complained: a pure value.
///
/// Additive increase, multiplicative decrease (Chiu and Jain, "Analysis of the Increase and
/// Decrease Algorithms for Congestion Avoidance", 1989): a complaint halves the limit, every
/// success gives one place back. A `Retry-After` holds the host until its time has come. The limit
/// never falls below two places: with one, a host that fails for everything would take for ever to
/// find out about.
struct HostBackoff: Sendable, Hashable {
  /// The limit of a host that does not complain.
  let maximum: Int
  /// Jobs at once now, but for ``heldUntil``.
  private(set) var limit: Int
  /// Nothing is to be asked before this time; `nil` for a host that is not held.
  private(set) var heldUntil: Duration?
  /// When the last complaint was counted: those that come together are one.
  private var complainedAt: Duration?

  /// Complaints within this time are one: places that run side by side fail together.
  static let window = Duration.seconds(1)
  /// A host is held no longer than this, whatever it asks.
  static let maximumHold = Duration.seconds(60)

  /// Begins without a complaint.
  init(maximum: Int) {
    self.maximum = maximum
    limit = maximum
  }

  /// Whether the host is as good as new.
  var isForgettable: Bool { limit == maximum && heldUntil == nil }

  /// A job ended well.
  mutating func succeeded() { limit = min(maximum, limit + 1) }

  /// A job failed.
  mutating func failed(_ error: ImageError, now: Duration) {
    guard Self.isComplaint(error) else { return }
    if let asked = error.retryAfter, asked > .zero {
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

  /// Whether a failure says that the host has too much to do.
  static func isComplaint(_ error: ImageError) -> Bool {
    switch error.code {
    case .timedOut, .connectionFailed, .connectionReset: true
    case .httpStatus: error.status == 429 || (500...599).contains(error.status ?? 0)
    default: false
    }
  }
}
