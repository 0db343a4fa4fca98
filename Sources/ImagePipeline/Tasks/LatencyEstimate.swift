/// The latency that most fetches do not exceed: a fetch beyond it justifies a second request.
///
/// A pure value: the last times in a ring, and a quantile of them. Source: Dean and Barroso, "The
/// Tail at Scale", 2013: a second request after the 95th percentile costs some 5 % more and cuts
/// the tail.
struct LatencyEstimate: Sendable {
  static let window = 128
  static let minimumCount = 20

  private var times: [Duration] = []
  private var next = 0

  mutating func add(_ time: Duration) {
    if times.count < Self.window {
      times.append(time)
    } else {
      times[next] = time
    }
    next = (next + 1) % Self.window
  }

  /// The time that 95 of 100 fetches stayed below; `nil` when too few are known.
  var percentile95: Duration? {
    guard times.count >= Self.minimumCount else { return nil }
    return times.sorted()[times.count * 95 / 100]
  }
}
