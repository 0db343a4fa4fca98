/// Writes metrics in the text format of Prometheus (exposition format 0.0.4).
struct PrometheusText {
  private(set) var text = ""

  /// What kind of metric follows.
  enum Kind: String {
    case counter, gauge, histogram
  }

  /// The media type of the format.
  static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

  /// Begins a metric.
  mutating func metric(_ name: String, _ kind: Kind, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  /// Writes one value of it.
  mutating func sample(_ name: String, _ value: some Numeric) { sample(name, [], value) }

  /// Writes the value of it that labels tell from others.
  mutating func sample(_ name: String, _ labels: [(String, String)], _ value: some Numeric) {
    text += "\(name)\(Self.braces(labels)) \(value)\n"
  }

  /// Writes the samples of a histogram.
  mutating func histogram(_ name: String, _ labels: [(String, String)], _ histogram: Histogram) {
    var sum = 0
    for (index, count) in histogram.counts.enumerated() {
      sum += count
      let bound = index < Histogram.bounds.count ? "\(Histogram.bounds[index])" : "+Inf"
      sample("\(name)_bucket", labels + [("le", bound)], sum)
    }
    sample("\(name)_sum", labels, histogram.sum)
    sample("\(name)_count", labels, histogram.count)
  }

  private static func braces(_ labels: [(String, String)]) -> String {
    guard !labels.isEmpty else { return "" }
    let pairs = labels.map { name, value in
      let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        .replacing("\n", with: "\\n")
      return "\(name)=\"\(escaped)\""
    }
    return "{\(pairs.joined(separator: ","))}"
  }
}
