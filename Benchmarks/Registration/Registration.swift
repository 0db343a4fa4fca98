import Benchmark
import Comparisons

extension BenchmarkMetric {
  // Other names of metrics would be taken for those.
  fileprivate static let ours = custom("ours, ns", useScalingFactor: false)
  fileprivate static let limit = custom("limit, ns", useScalingFactor: false)
  fileprivate static let ratio = custom("ratio, 1/1000", useScalingFactor: false)
}

/// Registers comparisons: one benchmark each, whose iterations are rounds of both sides. The
/// baseline and the clock are tags.
///
/// The metrics are the nanoseconds an operation of ours and of the baseline, and their ratio in
/// thousandths, whose median differs from the ratio of the medians. Without a baseline the last two
/// are 0.
public func register(_ comparisons: [Comparison]) {
  for comparison in comparisons {
    let race = RaceHolder(comparison)
    Benchmark(
      comparison.name,
      configuration: .init(
        metrics: [.throughput, .ours, .limit, .ratio],
        tags: ["beside": comparison.limit, "clock": "\(comparison.clock)"], warmupIterations: 0,
        maxDuration: .seconds(20), maxIterations: comparison.rounds,
        setup: { try await race.start() }, teardown: { await race.end() })
    ) { benchmark in
      let sample = try await race.round()
      benchmark.measurement(.ours, Int(sample.ours.rounded()))
      benchmark.measurement(.limit, Int((sample.limit ?? 0).rounded()))
      benchmark.measurement(.ratio, Int(((sample.ratio ?? 0) * 1000).rounded()))
    }
  }
}

/// Keeps the race of a benchmark between its setup and its end.
private actor RaceHolder {
  private let comparison: Comparison
  private var race: Race?

  init(_ comparison: Comparison) { self.comparison = comparison }

  func start() async throws { race = try await Race(comparison) }

  func round() async throws -> Sample {
    guard var race else { throw Race.Unready() }
    let sample = try await race.round()
    self.race = race
    return sample
  }

  func end() async {
    await race?.end()
    race = nil
  }
}
