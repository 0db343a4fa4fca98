import ImageCodecs
public import ImageModel
public import Typesetting

extension Chart {
  /// Draws the chart, as an image with two pixels for each unit of the SVG.
  ///
  /// - Throws: ``ImageError`` as ``Canvas``, for example with code `library_missing`.
  public func canvas(_ output: Canvas.Output) throws(ImageError) -> Canvas {
    let drawing = Drawing(self)
    let size = PixelSize(width: Int(drawing.width), height: Int(drawing.height.rounded(.up)))
    // One pixel where two would be more than a canvas has: some forty traces.
    let isLong = 2 * size.height > Canvas.maximumSide
    let scale: Double = output == .pixels && !isLong ? 2 : 1
    let canvas = try Canvas(size, scale: scale, output: output)
    canvas.fill(canvas.bounds, .white)
    for mark in drawing.marks {
      switch mark {
      case .line(let points, let color, let width, let dashes):
        canvas.line(points, width: width, color, dashes: dashes)
      case .dot(let x, let y, let color):
        canvas.fill(CanvasBox(x: x - 3, y: y - 3, width: 6, height: 6, radius: 3), color)
      case .text(let text):
        var style = TextStyle(size: text.size, weight: text.isBold ? 700 : 400, color: text.color)
        style.anchor = .baseline
        style.alignment = [.start: .left, .middle: .center, .end: .right][text.anchor] ?? .left
        canvas.text(text.text, x: text.x, y: text.y, style)
      }
    }
    return canvas
  }
}
