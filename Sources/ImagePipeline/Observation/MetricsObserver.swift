public import CoreMetrics
public import ImageModel

/// Counts loads and times stages through swift-metrics, for Prometheus, StatsD or any other
/// backend.
///
/// - `imgcache_loads_total`, with `tier` (memory, disk, shared, revalidated, network, or none) and
///   `outcome` (ok, failed, cancelled; a failure with its code as `error`)
/// - `imgcache_load_duration_seconds`, with `tier`
/// - `imgcache_load_bytes_total`, with `tier`
/// - `imgcache_stage_duration_seconds`, with `stage`
/// - `imgcache_collapsed_total`, of loads that shared the work of another one
/// - `imgcache_documents_total`, of lists of feeds and pages, with `tier` and `outcome`
public struct MetricsObserver: PipelineObserver {
  private let stages: [LoadStage: Timer]
  private let tiers: [LoadSource: Tier]
  private let cancelled: Counter
  private let collapsed: Counter
  private let factory: any MetricsFactory

  private struct Tier: Sendable {
    let loads: Counter
    let bytes: Counter
    let time: Timer
  }

  /// Uses the factory that the program has bootstrapped.
  public init() { self.init(MetricsSystem.factory) }

  /// Uses a factory of the caller.
  public init(_ factory: any MetricsFactory) {
    self.factory = factory
    stages = Dictionary(
      uniqueKeysWithValues: LoadStage.allCases.map { stage in
        let timer = Timer(
          label: "imgcache_stage_duration_seconds", dimensions: [("stage", stage.rawValue)],
          factory: factory)
        return (stage, timer)
      })
    tiers = Dictionary(
      uniqueKeysWithValues: LoadSource.allCases.map { source in
        let tier = ("tier", source.rawValue)
        let counted = Tier(
          loads: Counter(
            label: "imgcache_loads_total", dimensions: [tier, ("outcome", "ok")],
            factory: factory),
          bytes: Counter(label: "imgcache_load_bytes_total", dimensions: [tier], factory: factory),
          time: Timer(
            label: "imgcache_load_duration_seconds", dimensions: [tier], factory: factory))
        return (source, counted)
      })
    cancelled = Counter(
      label: "imgcache_loads_total", dimensions: [("tier", "none"), ("outcome", "cancelled")],
      factory: factory)
    collapsed = Counter(label: "imgcache_collapsed_total", dimensions: [], factory: factory)
  }

  /// Times a stage.
  public func stageEnded(_ step: LoadStep, of request: ImageRequest) {
    stages[step.stage]?.recordNanoseconds(step.elapsed.nanoseconds)
  }

  private func count(document report: LoadReport) {
    let tier =
      if case .success(let ending) = report.result { ending.source.rawValue } else { "none" }
    let outcome =
      report.wasCancelled ? "cancelled" : report.failure == nil ? "ok" : "failed"
    // Documents are few, so their counters are made when needed.
    count("imgcache_documents_total", [("tier", tier), ("outcome", outcome)])
  }

  private func count(_ label: String, _ dimensions: [(String, String)]) {
    Counter(label: label, dimensions: dimensions, factory: factory).increment()
  }

  /// Counts a load.
  public func requestFinished(_ trace: LoadReport) {
    if trace.isDocument { return count(document: trace) }
    switch trace.result {
    case .success(let ending):
      if ending.wasShared { collapsed.increment() }
      guard let tier = tiers[ending.source] else { return }
      tier.loads.increment()
      tier.bytes.increment(by: ending.byteCount)
      tier.time.recordNanoseconds(trace.elapsed.nanoseconds)
    case .failure:
      guard let code = trace.failure else { return cancelled.increment() }
      // Codes are few and failures rare, so their counters are made when needed.
      count(
        "imgcache_loads_total",
        [("tier", "none"), ("outcome", "failed"), ("error", code.rawValue)])
    }
  }
}
