/// How short of memory the system is.
public enum MemoryPressure: Sendable, CaseIterable {
  /// There is enough.
  case none
  /// Work begins to wait for memory, or little is left.
  case some
  /// Work stands still for it, or hardly any is left.
  case critical

  /// Judges a reading. Some: a hundredth of the time something waited, or 85 % of what may be used is in use;
  /// critical: a tenth of the time, or 95 %.
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

  /// The part of its budget that a governor still gives out.
  var budgetShare: Double {
    switch self {
    case .none: 1
    case .some: 0.5
    case .critical: 0.125
    }
  }
}
