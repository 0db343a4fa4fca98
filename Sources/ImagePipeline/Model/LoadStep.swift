/// One stage of a load as it went.
public struct LoadStep: Sendable, Hashable, CustomStringConvertible {
  /// Which stage.
  public var stage: LoadStage
  /// What came of it, in a few words for people.
  public var outcome: String
  /// How long it took.
  public var elapsed: Duration

  /// Writes down a stage.
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
