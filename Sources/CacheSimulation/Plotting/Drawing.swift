#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif
import ImageCodecs

/// A chart as positioned lines and texts, before it becomes SVG or is drawn on a canvas.
struct Drawing {
  enum Anchor: String { case start, middle, end }

  struct Text {
    let text: String
    /// `y` is the baseline.
    let x, y: Double
    var anchor = Anchor.start
    var size = 12.0
    var isBold = false
    var color = PixelColor.ink
    var full: String?
  }

  enum Mark {
    case line([(x: Double, y: Double)], color: PixelColor, width: Double, dashes: [Double] = [])
    case dot(x: Double, y: Double, color: PixelColor)
    case text(Text)
  }

  static let title = "Hit ratio by cache capacity"
  /// The lengths of a line that are drawn and skipped in turn: they differ in print, too.
  private static let dashes: [[Double]] = [[], [9, 4], [2, 3], [9, 3, 2, 3]]

  let width: Double = 800
  private(set) var height: Double = headerHeight
  private(set) var marks: [Mark] = []

  private static let headerHeight = 48.0
  private static let plotHeight = 290.0
  /// The margins for axes and names around the plot of a panel.
  private static let margins = (left: 64.0, top: 52.0, bottom: 62.0)
  private static let labelDistance = 18.0
  private static let longest = (panel: 84, line: 22)

  init(_ chart: Chart) {
    marks.append(.text(Text(text: Self.title, x: 24, y: 34, size: 18, isBold: true)))
    for panel in chart.panels {
      let plot = max(Self.plotHeight, Self.labelDistance * Double(panel.lines.count))
      draw(panel, top: height, plotHeight: plot)
      height += Self.margins.top + plot + Self.margins.bottom
    }
  }

  private mutating func draw(_ panel: Chart.Panel, top: Double, plotHeight: Double) {
    let longest = panel.lines.map { min($0.name.count, Self.longest.line) }.max() ?? 0
    let (left, right) = (Self.margins.left, width - 84 - 7 * Double(longest))
    let high = top + Self.margins.top
    let low = high + plotHeight
    let range = panel.xRange
    let (first, last) = (log(range.low), log(range.high))
    func x(_ value: Double) -> Double {
      left + (log(value) - first) / (last - first) * (right - left)
    }
    func y(_ value: Double) -> Double { low - value / panel.yTop * (low - high) }

    add(panel.title, at: (24, top + 18), longest: Self.longest.panel) {
      $0.size = 14
      $0.isBold = true
    }
    drawAxes(panel, left: left, right: right, high: high, low: low, x: x, y: y)
    drawLines(panel, right: right, high: high, low: low, x: x, y: y)
  }

  private mutating func drawAxes(
    _ panel: Chart.Panel, left: Double, right: Double, high: Double, low: Double,
    x: (Double) -> Double, y: (Double) -> Double
  ) {
    let steps = Int((panel.yTop * 10).rounded())
    for step in stride(from: 0, through: steps, by: steps > 5 ? 2 : 1) {
      let ratio = Double(step) / 10
      marks.append(.line([(left, y(ratio)), (right, y(ratio))], color: .grid, width: 1))
      add("\(step * 10)%", at: (left - 8, y(ratio) + 4)) { $0.anchor = .end }
    }
    add("Hit ratio", at: (24, high - 14)) { $0.color = .muted }
    func areApart(_ one: Double, _ other: Double) -> Bool { x(other) - x(one) > 62 }
    let values = panel.roundCapacities { values in
      zip(values, values.dropFirst()).allSatisfy { areApart($0, $1) }
    }
    var labelled: [Double] = []
    for value in values where labelled.last.map({ areApart($0, value) }) ?? true {
      labelled.append(value)
      marks.append(.line([(x(value), low), (x(value), low + 5)], color: .ink, width: 1))
      add(panel.label(value), at: (x(value), low + 20)) { $0.anchor = .middle }
    }
    marks.append(.line([(left, low), (right, low)], color: .ink, width: 1))
    add(
      "Cache capacity in \(panel.countsObjects ? "objects" : "bytes"), logarithmic",
      at: ((left + right) / 2, low + 42)
    ) {
      $0.anchor = .middle
      $0.color = .muted
    }
  }

  private mutating func drawLines(
    _ panel: Chart.Panel, right: Double, high: Double, low: Double, x: (Double) -> Double,
    y: (Double) -> Double
  ) {
    let ends = panel.lines.map { line -> (x: Double, y: Double) in
      line.points.last.map { (x($0.x), y($0.y)) } ?? (right, low)
    }
    let labels = LabelColumn.positions(
      of: ends.map(\.y), distance: Self.labelDistance, within: high...max(high, low - 4))
    for (index, label) in labels.enumerated() {
      let end = ends[index]
      marks.append(.line([(end.x + 5, end.y), (right + 18, label)], color: .leader, width: 0.75))
    }
    for (index, line) in panel.lines.enumerated() {
      let color = PixelColor.series[index % PixelColor.series.count]
      // Neighbours differ in both; there are fewer colors than policies, so a color comes back with
      // another pattern.
      let pattern = index + index / PixelColor.series.count
      let dashes = Self.dashes[pattern % Self.dashes.count]
      marks.append(
        .line(line.points.map { (x($0.x), y($0.y)) }, color: color, width: 2, dashes: dashes))
      for point in line.points { marks.append(.dot(x: x(point.x), y: y(point.y), color: color)) }
      let label = labels[index]
      marks.append(
        .line([(right + 22, label), (right + 48, label)], color: color, width: 2, dashes: dashes))
      add(line.name, at: (right + 55, label + 4), longest: Self.longest.line)
    }
  }

  private mutating func add(
    _ text: String, at point: (x: Double, y: Double), longest: Int = .max,
    style: (inout Text) -> Void = { _ in }
  ) {
    let short = Self.shortened(text, longest)
    var mark = Text(text: short, x: point.x, y: point.y, full: short == text ? nil : text)
    style(&mark)
    marks.append(.text(mark))
  }

  /// Returns a name without its middle if it is too long: paths differ at their ends.
  static func shortened(_ text: String, _ longest: Int) -> String {
    guard text.count > longest else { return text }
    let head = longest / 3
    return String(text.prefix(head)) + "…" + String(text.suffix(longest - 1 - head))
  }
}

extension PixelColor {
  static let ink = PixelColor(red: 32, green: 33, blue: 36)
  static let muted = PixelColor(red: 95, green: 99, blue: 104)
  static let grid = PixelColor(red: 226, green: 228, blue: 231)
  static let leader = PixelColor(red: 170, green: 174, blue: 179)

  /// Colors that remain distinct with red-green color blindness: Okabe and Ito, 2008, and a gray.
  static let series = [
    PixelColor(red: 0, green: 114, blue: 178), PixelColor(red: 213, green: 94, blue: 0),
    PixelColor(red: 0, green: 158, blue: 115), PixelColor(red: 204, green: 121, blue: 167),
    PixelColor(red: 230, green: 159, blue: 0), PixelColor(red: 86, green: 180, blue: 233),
    PixelColor(red: 0, green: 0, blue: 0), PixelColor(red: 130, green: 130, blue: 130),
  ]
}
