import Testing

@testable import CacheSimulation

@Suite struct `A plot in letters` {
  private func panel(
    _ lines: [(name: String, points: [(x: Double, y: Double)])], countsObjects: Bool = false
  ) -> Chart.Panel {
    Chart.Panel(
      title: "t", countsObjects: countsObjects,
      lines: lines.map { Chart.Series(name: $0.name, points: $0.points) })
  }

  /// The lines of a chart of one panel.
  private func rows(_ panel: Chart.Panel, columns: Int = 40) -> [String] {
    Chart(panels: [panel]).text(columns: columns).split(
      separator: "\n", omittingEmptySubsequences: false
    ).map(String.init)
  }

  @Test func `has a title, fourteen rows, an axis of capacities and a legend`() {
    let rows = rows(panel([("lru", [(1_024, 1), (1_048_576, 1)])]))

    let blank = "     |" + String(repeating: " ", count: 33)
    #expect(rows.count == 19)
    #expect(rows[0] == "t: hit ratio over capacity")
    #expect(rows[1] == " 100%|" + String(repeating: "a", count: 33))
    #expect(rows[2] == blank)
    #expect(rows[14] == "   0%|" + String(repeating: " ", count: 33))
    #expect(rows[15] == "     +" + String(repeating: "-", count: 33))
    #expect(rows[16] == "      1 KiB" + String(repeating: " ", count: 23) + "1 MiB")
    #expect(rows[17] == "      a lru")
    #expect(rows[18] == "")
  }

  @Test func `joins the points of a line by a straight one over logarithmic capacities`() {
    let rows = rows(panel([("lru", [(1, 0), (100, 1)])], countsObjects: true))
    // The row of each column, from the bottom.
    let heights = (0..<33).map { column in
      rows[1...14].reversed().map { Array($0.dropFirst(6))[column] }.firstIndex(of: "a")
    }

    #expect(heights.first == 0)
    #expect(heights[16] == 7)
    #expect(heights.last == 13)
    #expect(zip(heights, heights.dropFirst()).allSatisfy { ($0 ?? 99) <= ($1 ?? -1) })
  }

  @Test(arguments: [
    (1.0, ["0%", "20%", "40%", "60%", "80%", "100%"]),
    (0.5, ["0%", "10%", "20%", "30%", "40%", "50%"]),
    (0.2, ["0%", "5%", "10%", "15%", "20%"]), (0.01, ["0%", "5%", "10%"]),
  ])
  func `the step of the hit ratios follows the greatest one`(ratio: Double, labels: [String]) {
    let rows = rows(panel([("lru", [(1, ratio), (100, ratio)])]))

    let found = rows[1...14].map { $0.prefix(5).drop { $0 == " " } }.filter { !$0.isEmpty }
    #expect(found.reversed().map(String.init) == labels)
  }

  @Test(arguments: [(0, 40), (-7, 40), (40, 40), (72, 72), (100, 100), (240, 100)])
  func `is as wide as the terminal, from 40 to 100 columns`(columns: Int, width: Int) {
    let rows = rows(panel([("lru", [(1, 1), (100, 1)])]), columns: columns)

    // The last column stays free.
    #expect(rows[1...15].allSatisfy { $0.count == width - 1 })
  }
}
