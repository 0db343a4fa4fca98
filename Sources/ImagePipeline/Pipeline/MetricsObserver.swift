import CoreMetrics

/// Counts requests and times stages, by swift-metrics: for Prometheus, StatsD or whatever the program has set up.
///
/// - `imgcache_requests_total`, with `tier` (memory, disk, revalidated, network, or none) and `outcome` (ok, failed,
///   cancelled; a failure with its code as `error`)
/// - `imgcache_request_seconds`, with `tier`
/// - `imgcache_stage_seconds`, with `stage`
/// - `imgcache_bytes_total`, with `tier`
public struct MetricsObserver: PipelineObserver {
  private let stages: [LoadStage: Timer]
  private let tiers: [LoadSource: Tier]
  private let cancelled: Counter
  private let factory: any MetricsFactory

  private struct Tier: Sendable {
    let requests: Counter
    let bytes: Counter
    let time: Timer
  }

  /// Counts with the factory of the program.
  public init() { self.init(MetricsSystem.factory) }

  /// Counts with a factory of the caller's.
  public init(_ factory: any MetricsFactory) {
    self.factory = factory
    stages = Dictionary(
      uniqueKeysWithValues: LoadStage.allCases.map { stage in
        let timer = Timer(
          label: "imgcache_stage_seconds", dimensions: [("stage", stage.rawValue)], factory: factory
        )
        return (stage, timer)
      })
    tiers = Dictionary(
      uniqueKeysWithValues: LoadSource.allCases.map { source in
        let tier = ("tier", source.rawValue)
        let counted = Tier(
          requests: Counter(
            label: "imgcache_requests_total", dimensions: [tier, ("outcome", "ok")],
            factory: factory),
          bytes: Counter(label: "imgcache_bytes_total", dimensions: [tier], factory: factory),
          time: Timer(label: "imgcache_request_seconds", dimensions: [tier], factory: factory))
        return (source, counted)
      })
    cancelled = Counter(
      label: "imgcache_requests_total", dimensions: [("tier", "none"), ("outcome", "cancelled")],
      factory: factory)
  }

  /// Times a stage.
  public func stageEnded(_ step: LoadStep, of request: ImageRequest) {
    stages[step.stage]?.recordNanoseconds(step.elapsed.nanoseconds)
  }

  /// Counts a request.
  public func requestFinished(_ trace: LoadReport) {
    switch trace.result {
    case .success(let ending):
      guard let tier = tiers[ending.source] else { return }
      tier.requests.increment()
      tier.bytes.increment(by: ending.byteCount)
      tier.time.recordNanoseconds(trace.elapsed.nanoseconds)
    case .failure:
      guard let code = trace.failure else { return cancelled.increment() }
      // Codes are few, and failures rare: their counters are made when they are needed.
      Counter(
        label: "imgcache_requests_total",
        dimensions: [("tier", "none"), ("outcome", "failed"), ("error", code.rawValue)],
        factory: factory
      ).increment()
    }
  }
}
