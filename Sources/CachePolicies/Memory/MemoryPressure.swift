/// How short of memory the system is.
public enum MemoryPressure: Sendable, CaseIterable {
  /// There is enough memory.
  case none
  /// Tasks begin to wait for memory, or little is left.
  case some
  /// Tasks stall for memory, or hardly any is left.
  case critical

  /// Classifies a reading. Some: tasks waited for 1 % of the time, or 85 % of the limit is in use;
  /// critical: 10 % of the time, or 95 %.
  public init(_ reading: MemoryReading) {
    let used = reading.usedShare ?? 0
    let stalled = reading.stalledShare ?? 0
    self =
      if used >= 0.95 || stalled >= 0.1 {
        .critical
      } else if used >= 0.85 || stalled >= 0.01 {
        .some
      } else {
        .none
      }
  }

  /// The part of its budget that a governor still splits.
  var budgetShare: Double {
    switch self {
    case .none: 1
    case .some: 0.5
    case .critical: 0.125
    }
  }
}
