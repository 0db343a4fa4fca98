/// The counts of a server: until an instant, or during a span of time.
struct StatusCounts: Sendable, Hashable {
  var figures = ServerStatus.Figures()
  var tier = ServerStatus.SharedTier()
  var durations = Histogram()

  static let counters: [any WritableKeyPath<StatusCounts, Int> & Sendable] = [
    \.figures.requests, \.figures.clientErrors, \.figures.serverErrors, \.figures.bytesSent,
    \.figures.memoryEvictions, \.figures.diskEvictions, \.tier.hits, \.tier.misses, \.tier.errors,
  ]

  /// The counts since an earlier instant; a counter that decreased has restarted at zero.
  func since(_ former: StatusCounts) -> StatusCounts {
    var new = self
    for counter in Self.counters where self[keyPath: counter] >= former[keyPath: counter] {
      new[keyPath: counter] -= former[keyPath: counter]
    }
    for (name, count) in former.figures.answers where figures.answers[name] ?? 0 >= count {
      new.figures.answers[name, default: 0] -= count
    }
    new.durations = durations.since(former.durations)
    return new
  }

  mutating func add(_ other: StatusCounts) {
    for counter in Self.counters { self[keyPath: counter] += other[keyPath: counter] }
    figures.answers.merge(other.figures.answers) { $0 + $1 }
    durations.add(other.durations)
  }

  func figures(seconds: Double) -> ServerStatus.Figures {
    var figures = figures
    figures.seconds = seconds
    figures.p50Seconds = durations.quantile(0.5)
    figures.p90Seconds = durations.quantile(0.9)
    figures.p99Seconds = durations.quantile(0.99)
    return figures
  }
}
