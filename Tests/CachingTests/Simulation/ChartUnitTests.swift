import Testing

@testable import CacheSimulation

@Suite struct `The label of a capacity just below a unit` {
  @Test(
    arguments: [
      ((1 << 20) - 1, false, "1 MiB"), ((1 << 30) - 1, false, "1 GiB"), (999_999, true, "1 M obj"),
      (1_023, false, "1023 B"), ((1 << 40) - 1, false, "1 TiB"),
    ] as [(Int, Bool, String)])
  func `is one of that unit, as in texts`(value: Int, countsObjects: Bool, label: String) {
    let panel = Chart.Panel(title: "t", countsObjects: countsObjects, lines: [])

    #expect(panel.label(Double(value)) == label)
  }
}
