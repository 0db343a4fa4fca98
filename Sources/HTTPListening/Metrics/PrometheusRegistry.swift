import CoreMetrics
import ImageModel
import Synchronization

/// A backend of swift-metrics that keeps counters and histograms in memory, for `GET /metrics`.
/// Recorders are ignored: gauges are read from their owners when the metrics are requested.
final class PrometheusRegistry: MetricsFactory {
  private struct Series {
    let labels: PrometheusText.Labels
    let value: any AnyObject & Sendable
  }
  /// By name, then by labels as they are written.
  private let metrics = Locked<[String: [String: Series]]>([:])

  func counter(_ name: String, _ labels: [(String, String)] = []) -> PrometheusCounter {
    series(name, labels) { PrometheusCounter() }
  }

  func histogram(_ name: String, _ labels: [(String, String)] = []) -> PrometheusHistogram {
    series(name, labels) { PrometheusHistogram() }
  }

  private func series<Metric: AnyObject & Sendable>(
    _ name: String, _ labels: [(String, String)], _ make: () -> Metric
  ) -> Metric {
    metrics.withLock { metrics in
      let key = PrometheusText.braces(labels)
      if let known = metrics[name]?[key]?.value as? Metric { return known }
      let metric = make()
      metrics[name, default: [:]][key] = Series(labels: labels, value: metric)
      return metric
    }
  }

  func write(to text: inout PrometheusText, help: [String: String]) {
    for (name, series) in metrics.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
      let series = series.values
      let counters = series.compactMap { series in
        (series.value as? PrometheusCounter).map { (series.labels, $0.value) }
      }
      let histograms = series.compactMap { series in
        (series.value as? PrometheusHistogram).map { (series.labels, $0.value) }
      }
      if !counters.isEmpty { text.counters(name, help, counters) }
      if !histograms.isEmpty { text.histograms(name, help, histograms) }
    }
  }

  // MARK: MetricsFactory

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    counter(label, dimensions)
  }
  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    histogram(label, dimensions)
  }
  func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler { NOOPMetricsHandler.instance }
  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}
}

final class PrometheusCounter: CounterHandler {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .relaxed) }
  func increment(by amount: Int64) { count.wrappingAdd(Int(amount), ordering: .relaxed) }
  func reset() { count.store(0, ordering: .relaxed) }
}

final class PrometheusHistogram: TimerHandler {
  private let histogram = Locked(Histogram())

  var value: Histogram { histogram.withLock { $0 } }
  func recordNanoseconds(_ duration: Int64) {
    histogram.withLock { $0.add(Double(duration) / 1e9) }
  }
}
