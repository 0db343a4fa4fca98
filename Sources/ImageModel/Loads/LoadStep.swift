/// A stage on the way from a request to an image.
public enum LoadStage: String, Sendable, CaseIterable, Codable {
  /// The memory cache was read.
  case memory
  /// The disk cache was read.
  case disk
  /// A request to the cache that several servers share, or a wait for it.
  case shared
  /// The hook that may rewrite or refuse a request ran.
  case prepare
  /// The load waited for a fetch slot.
  case wait
  /// The transfer ran, with its redirects and retries.
  case fetch
  /// The bytes were checked to be a whole image.
  case check
  /// The bytes were written to disk.
  case store
  /// The bytes were decoded.
  case decode
  /// A processor ran.
  case process
  /// The result was encoded.
  case encode
}

/// One stage of a load, with its outcome and duration.
public struct LoadStep: Sendable, Hashable, CustomStringConvertible {
  /// The stage.
  public var stage: LoadStage
  /// The outcome, in a few words for people.
  public var outcome: String
  /// The duration.
  public var elapsed: Duration

  /// Creates a step.
  public init(_ stage: LoadStage, _ outcome: String, elapsed: Duration) {
    self.stage = stage
    self.outcome = outcome
    self.elapsed = elapsed
  }

  /// For example `disk: stale, revalidated (0.4 ms)`.
  public var description: String {
    let tenths = (elapsed / .microseconds(100)).rounded() / 10
    return "\(stage.rawValue): \(outcome) (\(tenths) ms)"
  }
}
