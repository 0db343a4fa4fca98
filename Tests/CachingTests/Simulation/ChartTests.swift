import Testing

@testable import CacheSimulation
@testable import TestSupport

@Suite struct `The names of a plot's lines` {
  @Test func `are beside the ends of their lines, and never on each other`() {
    let positions = LabelColumn.positions(
      of: [100, 102, 101, 300], distance: 18, within: 50...310)

    #expect(positions == [100, 136, 118, 300])
  }

  @Test func `stay in the plot where there is room`() {
    #expect(LabelColumn.positions(of: [5, 6], distance: 10, within: 10...100) == [10, 20])
    #expect(
      LabelColumn.positions(of: [98, 99, 97], distance: 10, within: 0...100) == [90, 100, 80])
    #expect(LabelColumn.positions(of: [], distance: 10, within: 0...1) == [])
    for count in 1...60 {
      let wanted = (0..<count).map { Double($0 * 7919 % 290) }
      let positions = LabelColumn.positions(of: wanted, distance: 5, within: 0...300)
      let sorted = positions.sorted()
      #expect(zip(sorted, sorted.dropFirst()).allSatisfy { $1 - $0 >= 4.99 })
      #expect(positions.allSatisfy { (-0.01...300.01).contains($0) })
    }
  }

  @Test func `are cut in the middle where they are long`() {
    #expect(CacheSimulation.Drawing.shortened("traces/small.csv", 20) == "traces/small.csv")
    let long = "/srv/" + String(repeating: "a/", count: 5_000) + "last.csv"
    let short = CacheSimulation.Drawing.shortened(long, 30)
    #expect(short.count == 30 && short.hasPrefix("/srv/a/a") && short.hasSuffix("/last.csv"))
  }
}

@Suite struct `A plot` {
  private func chart(_ policies: Int, name: String = "t") -> Chart {
    let lines = (0..<policies).map { index in
      Chart.Series(
        name: "policy \(index)",
        points: [(1_000, 0.1 + Double(index) / 100), (9_000, 0.3 + Double(index) / 90)])
    }
    return Chart(panels: [Chart.Panel(title: name, countsObjects: false, lines: lines)])
  }

  @Test func `has a title, and says what its axes are`() {
    let svg = chart(3, name: "<日志>").svg()

    for text in [
      ">Hit ratio by cache capacity</text>", ">&lt;日志&gt;</text>", ">Hit ratio</text>",
      ">Cache capacity in bytes, logarithmic</text>", ">2 KiB</text>", ">40%</text>",
      "<title>Hit ratio by cache capacity</title>",
    ] {
      #expect(svg.contains(text), "\(text)")
    }
  }
}

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

  @Test func `names as many as have room, in even steps`() {
    let range = [1_000_000.0, 300_000_000]
    #expect(labels(range, atMost: 6) == ["1 MiB", "5 MiB", "10 MiB", "50 MiB", "100 MiB"])
    #expect(labels(range, atMost: 3) == ["1 MiB", "10 MiB", "100 MiB"])
  }
}

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
