import ImageCodecs
import ImageModel
import PixelDrawing

extension Chart {
  /// Draws the chart as pixels, two for each unit of the SVG.
  public func pixels() -> PixelBuffer {
    let drawing = Drawing(self)
    var canvas = Canvas(width: 2 * Int(drawing.width), height: 2 * Int(drawing.height))
    for mark in drawing.marks {
      switch mark {
      case .line(let points, let color, let width, let dashes):
        for (from, to) in dashes.stretches(of: points) {
          canvas.line(
            from: (2 * from.x, 2 * from.y), to: (2 * to.x, 2 * to.y), color, width: 2 * width)
        }
      case .dot(let x, let y, let color):
        canvas.disc(x: 2 * x, y: 2 * y, radius: 6, color)
      case .text(let text, let x, let y, let anchor):
        canvas.text(text, x: 2 * x, y: 2 * y, anchor)
      }
    }
    return PixelBuffer(
      size: PixelSize(width: canvas.width, height: canvas.height), bytes: canvas.bytes)
  }
}

/// A white canvas.
private struct Canvas {
  let width: Int
  let height: Int
  private(set) var bytes: [UInt8]

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    bytes = Array(repeating: 255, count: 4 * width * height)
  }

  private mutating func blend(_ x: Int, _ y: Int, _ color: Drawing.Color, _ coverage: Double) {
    guard x >= 0, y >= 0, x < width, y < height, coverage > 0 else { return }
    let at = 4 * (y * width + x)
    let share = min(1, coverage)
    for (channel, value) in [color.red, color.green, color.blue].enumerated() {
      let old = Double(bytes[at + channel])
      bytes[at + channel] = UInt8((old + (Double(value) - old) * share).rounded())
    }
  }

  /// Draws a line; every pixel is covered by its distance from it.
  mutating func line(
    from start: (x: Double, y: Double), to end: (x: Double, y: Double), _ color: Drawing.Color,
    width stroke: Double
  ) {
    let (dx, dy) = (end.x - start.x, end.y - start.y)
    let length = dx * dx + dy * dy
    let reach = stroke / 2 + 1
    for y in Int(min(start.y, end.y) - reach)...Int(max(start.y, end.y) + reach) {
      for x in Int(min(start.x, end.x) - reach)...Int(max(start.x, end.x) + reach) {
        let (px, py) = (Double(x) + 0.5 - start.x, Double(y) + 0.5 - start.y)
        let along = length == 0 ? 0 : min(1, max(0, (px * dx + py * dy) / length))
        let (ox, oy) = (px - along * dx, py - along * dy)
        blend(x, y, color, stroke / 2 + 0.5 - (ox * ox + oy * oy).squareRoot())
      }
    }
  }

  mutating func disc(x: Double, y: Double, radius: Double, _ color: Drawing.Color) {
    line(from: (x, y), to: (x, y), color, width: 2 * radius)
  }

  /// Draws letters of five by seven dots, two pixels a dot; `y` is their baseline.
  mutating func text(_ text: String, x: Double, y: Double, _ anchor: Drawing.Anchor) {
    let dot = 2
    let advance = 6 * dot
    let width = text.unicodeScalars.count * advance
    var left = Int(x) - (anchor == .start ? 0 : anchor == .middle ? width / 2 : width)
    for scalar in text.unicodeScalars {
      for (row, bits) in DotFont.rows(of: scalar).enumerated() {
        for column in 0..<5 where bits >> (4 - column) & 1 == 1 {
          for offset in 0..<dot * dot {
            blend(
              left + column * dot + offset % dot, Int(y) - (7 - row) * dot + offset / dot, .axis, 1)
          }
        }
      }
      left += advance
    }
  }
}
