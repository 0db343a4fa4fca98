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
