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

  @Test func `marks cells of several lines with an asterisk`() {
    let rows = rows(
      panel([
        ("lru", [(1, 0.5), (100, 0.5)]), ("fifo", [(1, 0.5), (100, 0.5)]),
        ("arc", [(1, 1), (100, 1)]),
      ]))

    #expect(rows.contains { $0.hasSuffix("|" + String(repeating: "*", count: 33)) })
    #expect(rows[1] == " 100%|" + String(repeating: "c", count: 33))
    #expect(rows[17] == "      a lru  b fifo  c arc")
  }

  @Test func `a lone capacity is one letter, in the middle of its axis`() {
    let rows = rows(panel([("lru", [(8, 1)])], countsObjects: true))

    #expect(
      rows[1] == " 100%|" + String(repeating: " ", count: 16) + "a"
        + String(repeating: " ", count: 16))
    #expect(rows[16] == "      4 obj" + String(repeating: " ", count: 22) + "16 obj")
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

  @Test func `the letters of sixty-two lines differ, and then begin again`() {
    let rows = rows(panel((0..<63).map { ("p\($0)", [(1, 1), (100, 1)]) }))
    let letters = rows[17].split(separator: "  ").map { $0.drop { $0 == " " }.prefix(1) }

    #expect(letters.count == 63)
    #expect(Set(letters).count == 62)
    #expect(letters[0] == "a" && letters[26] == "A" && letters[52] == "0" && letters[62] == "a")
  }

  @Test func `panels are one below the other with an empty line between`() {
    let one = panel([("lru", [(1, 1), (100, 1)])])

    let text = Chart(panels: [one, one]).text(columns: 40)

    let single = Chart(panels: [one]).text(columns: 40)
    #expect(text == single + "\n" + single)
    #expect(Chart(panels: []).text(columns: 40) == "")
  }
}
