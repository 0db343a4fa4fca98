#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif
import TextEncodings

/// A chart as positioned lines and texts, before it becomes SVG or pixels.
struct Drawing {
  enum Anchor: String { case start, middle, end }

  enum Mark {
    case line(
      [(x: Double, y: Double)], color: Color, width: Double, dashes: DashPattern = .solid)
    case dot(x: Double, y: Double, color: Color)
    case text(String, x: Double, y: Double, anchor: Anchor)
  }

  struct Color: Hashable {
    let red, green, blue: UInt8

    /// The color as in CSS: `#RRGGBB`.
    var hex: String { "#" + Hex.encoded([red, green, blue]) }

    static let axis = Color(red: 60, green: 60, blue: 60)
    static let grid = Color(red: 225, green: 225, blue: 225)

    /// Colors that remain distinct with red-green color blindness: Okabe and Ito, 2008, and grays.
    static let series: [Color] = [
      Color(red: 0, green: 114, blue: 178), Color(red: 213, green: 94, blue: 0),
      Color(red: 0, green: 158, blue: 115), Color(red: 204, green: 121, blue: 167),
      Color(red: 230, green: 159, blue: 0), Color(red: 86, green: 180, blue: 233),
      Color(red: 0, green: 0, blue: 0), Color(red: 130, green: 130, blue: 130),
    ]
  }

  let width: Double = 760
  let height: Double
  private(set) var marks: [Mark] = []

  private static let panelHeight = 360.0
  /// The margins for axes and names around the plot of a panel.
  private static let margins = (left: 60.0, right: 170.0, top: 34.0, bottom: 44.0)

  init(_ chart: Chart) {
    height = Self.panelHeight * Double(max(1, chart.panels.count))
    for (index, panel) in chart.panels.enumerated() {
      draw(panel, top: Double(index) * Self.panelHeight)
    }
  }

  private mutating func draw(_ panel: Chart.Panel, top: Double) {
    let margins = Self.margins
    let (left, right) = (margins.left, width - margins.right)
    let (high, low) = (top + margins.top, top + Self.panelHeight - margins.bottom)
    let range = panel.xRange
    let (first, last) = (log(range.low), log(range.high))
    func x(_ value: Double) -> Double {
      left + (log(value) - first) / (last - first) * (right - left)
    }
    func y(_ value: Double) -> Double { low - value / panel.yTop * (low - high) }

    marks.append(.text(panel.title, x: left, y: top + 20, anchor: .start))
    let steps = Int((panel.yTop * 10).rounded())
    for step in stride(from: 0, through: steps, by: steps > 5 ? 2 : 1) {
      let ratio = Double(step) / 10
      marks.append(.line([(left, y(ratio)), (right, y(ratio))], color: .grid, width: 1))
      marks.append(.text("\(step * 10)%", x: left - 6, y: y(ratio) + 4, anchor: .end))
    }
    var labelled: [Double] = []
    for value in panel.roundCapacities
    where labelled.last.map({ x(value) - x($0) > 70 }) ?? true {
      labelled.append(value)
      marks.append(.line([(x(value), low), (x(value), low + 4)], color: .axis, width: 1))
      marks.append(.text(panel.label(value), x: x(value), y: low + 18, anchor: .middle))
    }
    marks.append(.line([(left, high), (left, low), (right, low)], color: .axis, width: 1))
    marks.append(
      .text("hit ratio over capacity", x: (left + right) / 2, y: low + 36, anchor: .middle))
    for (index, line) in panel.lines.enumerated() {
      let color = Color.series[index % Color.series.count]
      // There are fewer colors than policies; then lines differ in their dashes.
      let round = index / Color.series.count
      let dashes = DashPattern.series[round % DashPattern.series.count]
      marks.append(
        .line(line.points.map { (x($0.x), y($0.y)) }, color: color, width: 2, dashes: dashes))
      for point in line.points { marks.append(.dot(x: x(point.x), y: y(point.y), color: color)) }
      let row = high + 8 + Double(index) * 18
      marks.append(
        .line([(right + 14, row), (right + 36, row)], color: color, width: 2, dashes: dashes))
      marks.append(.text(line.name, x: right + 42, y: row + 4, anchor: .start))
    }
  }
}
