import HTTPTypes

/// Writes metrics in the text format of Prometheus (exposition format 0.0.4) or in OpenMetrics 1.0,
/// which names a counter without `_total`, states units, and has an end marker.
struct PrometheusText {
  typealias Labels = [(String, String)]

  enum Format: Sendable {
    case prometheus
    case openMetrics

    var mediaType: String {
      switch self {
      case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
      case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
      }
    }
  }

  let format: Format
  private var written = ""

  init(_ format: Format = .prometheus) { self.format = format }

  /// The text written so far, with the end marker that OpenMetrics requires.
  var text: String { format == .openMetrics ? written + "# EOF\n" : written }

  enum Kind: String, Sendable {
    case counter, gauge, histogram
  }

  mutating func metric(_ name: String, _ kind: Kind, _ help: String?) {
    var family = name[...]
    if format == .openMetrics, kind == .counter, name.hasSuffix("_total") { family.removeLast(6) }
    if let help { written += "# HELP \(family) \(help)\n" }
    written += "# TYPE \(family) \(kind.rawValue)\n"
    guard format == .openMetrics else { return }
    for unit in ["seconds", "bytes"] where family.hasSuffix("_\(unit)") {
      written += "# UNIT \(family) \(unit)\n"
    }
  }

  mutating func metric(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
    metric(name, kind, help)
    sample(name, [], value)
  }

  mutating func metric(
    _ name: String, _ kind: Kind, _ help: String, by label: String,
    _ values: KeyValuePairs<String, Int>
  ) {
    metric(name, kind, help)
    for (labelValue, value) in values { sample(name, [(label, labelValue)], value) }
  }

  /// Counters of one name, in the order of their labels as they are written.
  mutating func counters(
    _ name: String, _ help: [String: String], _ series: [(labels: Labels, value: Int)]
  ) {
    metric(name, .counter, help[name])
    for (labels, value) in series.sorted(by: { Self.braces($0.labels) < Self.braces($1.labels) }) {
      sample(name, labels, value)
    }
  }

  /// Histograms of one name, likewise.
  mutating func histograms(
    _ name: String, _ help: [String: String], _ series: [(labels: Labels, value: Histogram)]
  ) {
    metric(name, .histogram, help[name])
    for (labels, value) in series.sorted(by: { Self.braces($0.labels) < Self.braces($1.labels) }) {
      histogram(name, labels, value)
    }
  }

  mutating func sample(_ name: String, _ labels: Labels, _ value: some Numeric) {
    written += "\(name)\(Self.braces(labels)) \(value)\n"
  }

  mutating func histogram(_ name: String, _ labels: Labels, _ histogram: Histogram) {
    var sum = 0
    for (index, count) in histogram.counts.enumerated() {
      sum += count
      let bound = index < Histogram.bounds.count ? "\(Histogram.bounds[index])" : "+Inf"
      sample("\(name)_bucket", labels + [("le", bound)], sum)
    }
    sample("\(name)_sum", labels, histogram.sum)
    sample("\(name)_count", labels, histogram.count)
  }

  /// Labels in braces, escaped; empty for none.
  static func braces(_ labels: Labels) -> String {
    guard !labels.isEmpty else { return "" }
    let pairs = labels.map { name, value in
      let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        .replacing("\n", with: "\\n")
      return "\(name)=\"\(escaped)\""
    }
    return "{\(pairs.joined(separator: ","))}"
  }
}

/// Durations by size: the buckets, sum and count of a Prometheus histogram.
struct Histogram: Sendable, Hashable {
  /// The upper bounds of the buckets, in seconds; the last bucket has none.
  static let bounds = [
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  ]

  private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
  private(set) var sum = 0.0
  private(set) var count = 0

  init() {}

  mutating func add(_ seconds: Double) {
    counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
    sum += seconds
    count += 1
  }

  /// The duration, in seconds, that a share of all durations does not exceed; `nil` if there are
  /// none. Within a bucket it is interpolated linearly; above the highest bound it is that bound,
  /// as in Prometheus's `histogram_quantile`.
  func quantile(_ share: Double) -> Double? {
    guard count > 0 else { return nil }
    var rest = Double(count) * share
    var lower = 0.0
    for (bound, count) in zip(Self.bounds, counts) {
      if count > 0, rest <= Double(count) {
        return lower + (bound - lower) * max(0, rest) / Double(count)
      }
      rest -= Double(count)
      lower = bound
    }
    return lower
  }

  mutating func add(_ other: Histogram) {
    for index in counts.indices { counts[index] += other.counts[index] }
    sum += other.sum
    count += other.count
  }

  /// The durations counted since a former state; all of them if counting began again after it.
  func since(_ former: Histogram) -> Histogram {
    guard !zip(counts, former.counts).contains(where: { $0 < $1 }) else { return self }
    var new = self
    for index in counts.indices { new.counts[index] -= former.counts[index] }
    new.sum -= former.sum
    new.count -= former.count
    return new
  }
}

extension PrometheusText.Format {
  /// Chooses by `Accept`: OpenMetrics where it is named, unless the other one has a greater weight.
  init(accept lines: [String]) {
    let weights = HTTPFields.weights(ofAccept: lines)
    let own = weights["application/openmetrics-text"] ?? 0
    self = own > 0 && own >= weights["text/plain"] ?? 0 ? .openMetrics : .prometheus
  }
}
