#if canImport(Glibc)
  import Glibc
#else
  public import Darwin
#endif

extension Chart {
  /// Returns the chart in letters for a terminal of at least 40 columns: one letter a policy, `*`
  /// where several meet.
  public func text(columns: Int) -> String {
    panels.map { Self.text($0, columns: max(40, min(columns, 100))) }.joined(separator: "\n")
  }

  private static func text(_ panel: Panel, columns: Int) -> String {
    let rows = 14
    let width = columns - 7
    var cells = [[Character]](repeating: [Character](repeating: " ", count: width), count: rows)
    func row(of ratio: Double) -> Int {
      rows - 1 - Int((ratio / panel.yTop * Double(rows - 1)).rounded())
    }
    let range = panel.xRange
    let (first, last) = (log(range.low), log(range.high))
    for (index, line) in panel.lines.enumerated() {
      let letter = Self.letter(index)
      func column(_ value: Double) -> Int {
        Int(((log(value) - first) / (last - first) * Double(width - 1)).rounded())
      }
      // Between two points the line is drawn at each column.
      // A lone point is a line from itself to itself.
      let ends = line.points.count == 1 ? line.points[...] : line.points.dropFirst()
      for (from, to) in zip(line.points, ends) {
        let (left, right) = (column(from.x), column(to.x))
        for at in left...max(left, right) {
          let share = right == left ? 0 : Double(at - left) / Double(right - left)
          let ratio = from.y + (to.y - from.y) * share
          let place = row(of: ratio)
          let cell = cells[place][at]
          cells[place][at] = cell == " " || cell == letter ? letter : "*"
        }
      }
    }
    var lines = ["\(panel.title): hit ratio over capacity"]
    let step = panel.yTop > 0.5 ? 20 : panel.yTop > 0.2 ? 10 : 5
    var labels: [Int: String] = [:]
    for percent in stride(from: 0, through: Int((panel.yTop * 100).rounded()), by: step) {
      labels[row(of: Double(percent) / 100)] = "\(percent)%"
    }
    for (row, cell) in cells.enumerated() {
      lines.append(padded(labels[row] ?? "", 5) + "|" + String(cell))
    }
    let (low, high) = (panel.label(range.low), panel.label(range.high))
    let gap = String(repeating: " ", count: max(1, width - low.count - high.count))
    lines.append("     +" + String(repeating: "-", count: width))
    lines.append("      " + low + gap + high)
    lines.append(
      "      "
        + panel.lines.enumerated().map { "\(letter($0.offset)) \($0.element.name)" }
        .joined(separator: "  "))
    return lines.joined(separator: "\n") + "\n"
  }

  private static func letter(_ index: Int) -> Character {
    let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
    return letters[index % letters.count]
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
