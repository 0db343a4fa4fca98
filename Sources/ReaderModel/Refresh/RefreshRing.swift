/// The ring that closes while a list is pulled down, as WSDZhihuDaily has it, and that shows how far loading
/// is.
///
/// A gray ring, 2 wide, with a white arc over it that starts at the bottom and goes round clockwise.
public struct RefreshRing: Sendable, Hashable {
  /// How far to pull for the ring to close, and beyond which letting go loads: 40.
  public static let distance = 40.0
  /// As far as the list can be pulled: one and a half times ``distance``.
  public static let farthestPull = 60.0
  /// How long loading is shown at least: 2 s.
  public static let minimumShown = Duration.seconds(2)
  /// How wide the line is: 2.
  public static let lineWidth = 2.0

  /// When the loading that is shown began; `nil` when none is.
  public private(set) var startedAt: Duration?

  /// Creates a ring at rest.
  public init() {}

  /// Whether the spinner shows in place of the ring.
  public var isRefreshing: Bool { startedAt != nil }

  /// How much of the ring is drawn, 0 through 1; nothing is drawn at 0.
  public func progress(offset: Double) -> Double {
    isRefreshing ? 0 : Self.progress(offset: offset)
  }

  /// How much of the ring is closed by pulling alone, 0 through 1.
  public static func progress(offset: Double) -> Double {
    min(max(-offset / distance, 0), 1)
  }

  /// How much of the ring is closed when so many of all are done, 0 through 1; of nothing all is done.
  public static func progress(done: Int, total: Int) -> Double {
    total <= 0 ? 1 : min(max(Double(done) / Double(total), 0), 1)
  }

  /// The offset that the list is held at when it is pulled farther than it can be.
  public static func clamped(offset: Double) -> Double { max(offset, -farthestPull) }

  /// The list moved; returns whether to load now: beyond the distance, without a finger on it, and not
  /// loading already.
  public mutating func scrolled(to offset: Double, isDragging: Bool, at now: Duration) -> Bool {
    guard offset < -Self.distance, !isDragging, !isRefreshing else { return false }
    startedAt = now
    return true
  }

  /// Loading ended; returns when to stop showing it, ``minimumShown`` after it began or now.
  public func end(finishedAt now: Duration) -> Duration {
    startedAt.map { max($0 + Self.minimumShown, now) } ?? now
  }

  /// The spinner was taken away.
  public mutating func stopped() { startedAt = nil }
}
