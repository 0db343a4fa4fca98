/// Seconds an operation, and statistics of repeated measurements.
enum Stopwatch {
  /// The mean time of one of `count` operations, in microseconds.
  static func microseconds(_ count: Int, _ body: (Int) throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    for index in 0..<count { try body(index) }
    let (seconds, attoseconds) = (clock.now - start).components
    return (Double(seconds) * 1e6 + Double(attoseconds) / 1e12) / Double(count)
  }

  /// The median and the extremes of some measurements.
  static func summary(_ values: [Double], digits: Int = 2) -> String {
    let sorted = values.sorted()
    func text(_ value: Double) -> String {
      var scale = 1.0
      for _ in 0..<digits { scale *= 10 }
      return "\((value * scale).rounded() / scale)"
    }
    return
      "\(text(sorted[sorted.count / 2])) (\(text(sorted[0]))–\(text(sorted[sorted.count - 1])))"
  }
}
