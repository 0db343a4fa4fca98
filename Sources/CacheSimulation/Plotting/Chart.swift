import TextEncodings

/// Hit ratios over capacities: one panel a trace, one line a policy.
public struct Chart: Sendable {
  /// A line.
  public struct Series: Sendable {
    /// Its name.
    public let name: String
    /// Pairs of capacity and hit ratio, by capacity.
    public let points: [(x: Double, y: Double)]
  }

  /// The lines of one trace in one unit.
  public struct Panel: Sendable {
    /// Its title.
    public let title: String
    /// Whether the capacities count objects.
    public let countsObjects: Bool
    /// At least one.
    public let lines: [Series]

    var xRange: (low: Double, high: Double) {
      let all = lines.flatMap(\.points).map(\.x)
      guard let low = all.min(), let high = all.max() else { return (1, 10) }
      return low < high ? (low, high) : (low / 2, high * 2)
    }

    var yTop: Double {
      let top = lines.flatMap(\.points).map(\.y).max() ?? 1
      return min(1, max(0.1, (top * 10).rounded(.up) / 10))
    }

    /// The values that the axis of capacities names: 1, 2, 5, 10, 20, 50 … of each unit, or if those
    /// are too near to each other 1, 5, 10, 50 … or 1, 10, 100 …, as many as are in range; the
    /// capacities themselves if those are fewer than two.
    ///
    /// - Parameter fits: Whether values have room beside each other.
    func roundCapacities(fits: ([Double]) -> Bool = { _ in true }) -> [Double] {
      let range = xRange
      let units = (0..<(countsObjects ? 6 : 5)).map { unit in
        (0..<unit).reduce(1.0) { size, _ in size * (countsObjects ? 1_000 : 1_024) }
      }
      let steps: [[Double]] = [
        [1, 2, 5, 10, 20, 50, 100, 200, 500], [1, 5, 10, 50, 100, 500], [1, 10, 100], [1],
      ]
      let rounds = steps.map { steps in
        units.flatMap { unit in steps.map { $0 * unit } }
          .filter { range.low <= $0 && $0 <= range.high }
      }
      return rounds.first { $0.count > 1 && fits($0) }
        ?? Set(lines.flatMap(\.points).map(\.x)).sorted()
    }

    func label(_ value: Double) -> String {
      if !countsObjects { return Measure.bytes(Int(value.rounded())) }
      var (value, units) = (value, ["", " k", " M", " G"][...])
      while value.rounded() >= 1_000, units.count > 1 {
        value /= 1_000
        units.removeFirst()
      }
      return Measure.number(value) + units[units.startIndex] + " obj"
    }
  }

  /// From top to bottom.
  public let panels: [Panel]

  init(panels: [Panel]) { self.panels = panels }

  /// Creates the chart of some results; those without a capacity above 0 draw nothing.
  public init(_ results: [SimulationResult]) {
    var panels: [Panel] = []
    for results in SimulationResult.byTrace(results) {
      for countsObjects in [false, true] {
        let those = results.filter {
          $0.capacity.countsObjects == countsObjects && $0.capacityValue > 0
        }
        var names: [String] = []
        for result in those where !names.contains(result.policyName) {
          names.append(result.policyName)
        }
        let lines = names.map { name in
          Series(
            name: name,
            points: those.filter { $0.policyName == name }
              .map { (Double($0.capacityValue), $0.hitRatio) }.sorted { $0.x < $1.x })
        }
        if !lines.isEmpty {
          panels.append(
            Panel(title: results[0].trace.name, countsObjects: countsObjects, lines: lines))
        }
      }
    }
    self.panels = panels
  }
}
