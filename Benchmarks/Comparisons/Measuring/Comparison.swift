/// An operation of this project and its baseline: the same by a peer, or a lower bound of its cost.
public struct Comparison: Sendable {
  /// The clock that measures the cost of a side.
  public enum Clock: Sendable {
    /// Processor time of all threads of the process: neighbours on the machine disturb it least.
    case processor
    /// Wall time: for work of several threads.
    case wall
  }

  /// A short, unique description.
  public let name: String
  /// The baseline; empty for none.
  public let limit: String
  /// The clock of both sides.
  public let clock: Clock
  /// Operations of each side in one round.
  public let count: Int
  /// Rounds of a benchmark.
  public let rounds: Int
  /// CI fails when ours costs more than this many times the baseline, three times in turn;
  /// `nil` for no check.
  ///
  /// Twice what was measured is a good choice: it finds a regression by a factor of two, and
  /// tolerates a busy machine.
  public let mayCost: Double?
  let prepare: @Sendable () async throws -> Contest

  /// Describes a comparison; nothing is prepared before it runs.
  ///
  /// - Precondition: only processor time may be checked by CI.
  public init(
    _ name: String, beside limit: String = "", clock: Clock = .processor, count: Int,
    rounds: Int = 15, mayCost: Double? = nil,
    prepare: @escaping @Sendable () async throws -> Contest
  ) {
    precondition(mayCost == nil || clock == .processor, "a busy machine has its own wall clock")
    self.name = name
    self.limit = limit
    self.clock = clock
    self.count = count
    self.rounds = rounds
    self.mayCost = mayCost
    self.prepare = prepare
  }
}
