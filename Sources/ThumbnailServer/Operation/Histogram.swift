/// Counts durations by size, as Prometheus wants them: cumulative buckets, a sum and a count.
struct Histogram: Sendable, Hashable {
  /// The upper ends of the buckets, in seconds; the last one has none.
  static let bounds = [
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  ]

  private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
  private(set) var sum = 0.0
  private(set) var count = 0

  /// Counts one, in seconds.
  mutating func add(_ seconds: Double) {
    counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
    sum += seconds
    count += 1
  }

  /// The least bound that a share of all is not above; `nil` for none, or above all bounds.
  func quantile(_ share: Double) -> Double? {
    var rest = Int((Double(count) * share).rounded(.up))
    guard rest > 0 else { return nil }
    for (bound, count) in zip(Self.bounds, counts) {
      rest -= count
      if rest <= 0 { return bound }
    }
    return nil
  }
}
