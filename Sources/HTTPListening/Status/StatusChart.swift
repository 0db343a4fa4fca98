import TextEncodings

/// A chart of the last hour as SVG: lines, or shares that are stacked to a whole.
struct StatusChart {
  /// One series, with a value for each point; `nil` where there was nothing to measure.
  struct Series {
    var name: String
    /// The number of its colour, from 1.
    var color: Int
    var values: [Double?]
  }

  private static let width = 400.0
  private static let height = 180.0
  private static let left = 56.0
  private static let right = 392.0
  private static let top = 10.0
  private static let bottom = 152.0
  private static let span = 3600.0

  /// The lengths of the points in seconds, oldest first.
  var seconds: [Double]
  var series: [Series]
  var isStacked = false
  /// The least end of the vertical axis.
  var minimumTop = 1.0
  /// The values of the chart as text, for screen readers.
  var label: String
  var language: PageLanguage
  var unit: (Double) -> String

  /// The least round number that is not below a value: 1, 2, 4, 6, 8 or 10 times a power of ten.
  static func roundTop(_ value: Double) -> Double {
    guard value.isFinite, value > 0 else { return 1 }
    var power = 1.0
    while power > value { power /= 10 }
    while power * 10 < value { power *= 10 }
    return ([1, 2, 4, 6, 8, 10].first { $0 * power >= value * 0.999_999 } ?? 10) * power
  }

  var svg: String {
    let highest = series.flatMap(\.values).compactMap { $0 }.max() ?? 0
    let top = isStacked ? 1 : Self.roundTop(max(highest, minimumTop))
    let shapes = isStacked ? stacks : series.map { line($0, top) }.joined()
    return """
      <svg viewBox="0 0 \(Int(Self.width)) \(Int(Self.height))" role="img" \
      aria-label="\(HTMLText.escaped(label))">\(axes(top))\(shapes)</svg>
      """
  }

  private func axes(_ top: Double) -> String {
    var text = ""
    for share in [0, 0.5, 1] {
      let y = Self.bottom - share * (Self.bottom - Self.top)
      text += """
        <line class="grid" x1="\(Int(Self.left))" x2="\(Int(Self.right))" y1="\(Int(y))" \
        y2="\(Int(y))"></line><text class="y" x="\(Int(Self.left) - 6)" \
        y="\(Int(y) + 4)">\(HTMLText.escaped(unit(share * top)))</text>
        """
    }
    let minutes = StatusText.minutes.text(in: language)
    for age in [60, 40, 20, 0] {
      let x = Self.x(Double(age) * 60)
      let anchor = age == 0 ? "end" : "middle"
      let name = age == 0 ? StatusText.now.text(in: language) : "−\(age) \(minutes)"
      text += """
        <line class="grid" x1="\(Self.text(x))" x2="\(Self.text(x))" y1="\(Int(Self.bottom))" \
        y2="\(Int(Self.bottom) + 4)"></line><text class="x \(anchor)" x="\(Self.text(x))" \
        y="\(Int(Self.bottom) + 23)">\(HTMLText.escaped(name))</text>
        """
    }
    return text
  }

  private var ages: [(begin: Double, end: Double)] {
    var age = 0.0
    var ages: [(begin: Double, end: Double)] = []
    for seconds in seconds.reversed() {
      ages.append((age + seconds, age))
      age += seconds
    }
    return ages.reversed()
  }

  private func line(_ series: Series, _ top: Double) -> String {
    var path = ""
    var isDrawing = false
    for (age, value) in zip(ages, series.values) {
      guard let value else {
        isDrawing = false
        continue
      }
      let y = Self.y(value / top)
      if isDrawing {
        path += "L\(Self.text(Self.x((age.begin + age.end) / 2))) \(y)"
      } else {
        // A point on its own is a dash.
        path += "M\(Self.text(Self.x(age.begin))) \(y)L\(Self.text(Self.x(age.end))) \(y)"
        path = path + "M\(Self.text(Self.x((age.begin + age.end) / 2))) \(y)"
      }
      isDrawing = true
    }
    return "<path class=\"line c\(series.color)\" d=\"\(path)\"></path>"
  }

  private var stacks: String {
    var ground = [Double](repeating: 0, count: seconds.count)
    let ages = ages
    var text = ""
    for series in series {
      var path = ""
      for index in ground.indices where index < series.values.count {
        guard let value = series.values[index], value > 0 else { continue }
        let (begin, end) = ages[index]
        path +=
          "M\(Self.text(Self.x(begin))) \(Self.y(ground[index]))H\(Self.text(Self.x(end)))"
          + "V\(Self.y(ground[index] + value))H\(Self.text(Self.x(begin)))Z"
        ground[index] += value
      }
      text += "<path class=\"area c\(series.color)\" d=\"\(path)\"></path>"
    }
    return text
  }

  private static func x(_ age: Double) -> Double {
    right - min(max(age, 0), span) / span * (right - left)
  }

  private static func y(_ share: Double) -> String {
    text(bottom - min(max(share, 0), 1) * (bottom - top))
  }

  private static func text(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }
}
