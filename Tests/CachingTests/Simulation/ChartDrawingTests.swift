import ImageModel
import ImageCodecs
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

  @Test func `tells thirty-two lines apart by colour and dashes`() {
    var styles: Set<String> = []
    for case .line(let points, let color, width: 2, let dashes) in CacheSimulation.Drawing(
      chart(32)
    ).marks
    where points[0].x < 700 {
      styles.insert("\(color) \(dashes)")
    }
    #expect(styles.count == 32)
  }

  @Test func `grows with the number of lines`() {
    #expect(CacheSimulation.Drawing(chart(3)).height == CacheSimulation.Drawing(chart(12)).height)
    #expect(CacheSimulation.Drawing(chart(40)).height > CacheSimulation.Drawing(chart(12)).height)
  }

  @Test(.enabled(if: Fonts.canDraw, "needs Pango and a font"))
  func `is the same drawing as pixels and as PDF`() throws {
    let chart = chart(3)
    let drawing = CacheSimulation.Drawing(chart)

    let pixels = try chart.canvas(.pixels).pixels()
    let pdf = try chart.canvas(.pdf).pdf()

    #expect(pixels.width == 2 * Int(drawing.width) && pdf.starts(with: Array("%PDF".utf8)))
    for case .dot(let x, let y, let color) in drawing.marks {
      #expect(
        pixels[Int(2 * x), Int(2 * y)] == [color.red, color.green, color.blue, 255])
    }
    // The second line has gaps, the first none; beside their names there is nothing else.
    var samples: [[(x: Double, y: Double)]] = []
    for case .line(let points, _, width: 2, _) in drawing.marks where points[0].x > 600 {
      samples.append(points)
    }
    func whites(_ line: Int) -> Int {
      let (from, to) = (samples[line][0], samples[line][1])
      let row = Int(2 * from.y)
      return (Int(2 * from.x) + 2..<Int(2 * to.x) - 2).count { pixels[$0, row][0] == 255 }
    }
    #expect(whites(0) == 0)
    #expect(whites(1) > 4)
  }
}
