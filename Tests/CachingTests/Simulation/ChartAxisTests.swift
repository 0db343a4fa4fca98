import Testing

@testable import CacheSimulation

@Suite struct `The capacity axis of plots` {
  private func labels(
    _ capacities: [Double], countsObjects: Bool = false, atMost: Int = .max
  ) -> [String] {
    let points = capacities.map { (x: $0, y: 0.5) }
    let panel = Chart.Panel(
      title: "t", countsObjects: countsObjects, lines: [Chart.Series(name: "lru", points: points)])
    return panel.roundCapacities { $0.count <= atMost }.map(panel.label)
  }

  @Test func `names round capacities, not those that were simulated`() {
    #expect(
      labels([1_234_567, 123_456_789])
        == ["2 MiB", "5 MiB", "10 MiB", "20 MiB", "50 MiB", "100 MiB"])
    #expect(labels([300, 2_500], countsObjects: true) == ["500 obj", "1 k obj", "2 k obj"])
  }

  @Test(
    arguments: [
      ((1 << 20) - 1, false, "1 MiB"), ((1 << 30) - 1, false, "1 GiB"), (999_999, true, "1 M obj"),
      (1_023, false, "1023 B"), ((1 << 40) - 1, false, "1 TiB"),
    ] as [(Int, Bool, String)])
  func `names one just below a unit in that unit`(value: Int, countsObjects: Bool, label: String) {
    let panel = Chart.Panel(title: "t", countsObjects: countsObjects, lines: [])

    #expect(panel.label(Double(value)) == label)
  }

  @Test func `names as many as have room, in even steps`() {
    let range = [1_000_000.0, 300_000_000]
    #expect(labels(range, atMost: 6) == ["1 MiB", "5 MiB", "10 MiB", "50 MiB", "100 MiB"])
    #expect(labels(range, atMost: 3) == ["1 MiB", "10 MiB", "100 MiB"])
  }
}
