/// When a carousel moves by itself: every ``interval``, not while a finger is on it, and again
/// ``resumeDelay`` after it came to rest.
///
/// Moments are durations since any one beginning.
public struct CarouselTimer: Sendable, Hashable {
  /// How long after rest the timer is started again: 0.4 s.
  public static let resumeDelay = Duration.milliseconds(400)
  /// How long a picture shows unless said otherwise: 4 s.
  public static let usualInterval = Duration.seconds(4)

  /// From one step to the next.
  public let interval: Duration
  /// When the next step is due; `nil` while it stands still.
  public private(set) var nextStep: Duration?
  /// How many pictures there are; with fewer than two nothing ever moves.
  private let count: Int

  /// Creates a timer that stands still.
  public init(count: Int, interval: Duration = Self.usualInterval) {
    self.count = count
    self.interval = interval
  }

  /// Begins, or begins again.
  public mutating func start(at now: Duration) {
    nextStep = count > 1 ? now + interval : nil
  }

  /// Stops: a finger took hold, the page went out of sight, or motion is not wanted.
  public mutating func stop() { nextStep = nil }

  /// The strip came to rest after a finger had held it.
  public mutating func cameToRest(at now: Duration) {
    start(at: now + Self.resumeDelay)
  }

  /// Returns whether to take one step now; after a long sleep that is still one.
  public mutating func takesStep(at now: Duration) -> Bool {
    guard let due = nextStep, due <= now else { return false }
    nextStep = now + interval
    return true
  }
}
