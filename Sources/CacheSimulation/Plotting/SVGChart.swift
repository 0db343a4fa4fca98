import ImageCodecs
import TextEncodings

extension Chart {
  /// Returns the chart as an SVG document.
  public func svg() -> String {
    let drawing = Drawing(self)
    let (width, height) = (Int(drawing.width), Int(drawing.height.rounded(.up)))
    var lines = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" role="img" width="\(width)" height="\(height)" \
      viewBox="0 0 \(width) \(height)" \
      font-family="'Noto Sans', 'Noto Sans CJK SC', 'PingFang SC', sans-serif" font-size="12">
      """,
      "<title>\(Drawing.title)</title>",
      ##"<rect width="100%" height="100%" fill="#ffffff"/>"##,
    ]
    for mark in drawing.marks {
      switch mark {
      case .line(let points, let color, let width, let dashes):
        let list = points.map { "\(Self.short($0.x)),\(Self.short($0.y))" }.joined(separator: " ")
        lines.append(
          """
          <polyline points="\(list)" fill="none" stroke="\(color.hex)" stroke-width="\(width)"\
          \(Self.attribute(dashes))/>
          """)
      case .dot(let x, let y, let color):
        lines.append(
          #"<circle cx="\#(Self.short(x))" cy="\#(Self.short(y))" r="3" fill="\#(color.hex)"/>"#)
      case .text(let text):
        let full = text.full.map { "<title>\(HTMLText.escaped($0))</title>" } ?? ""
        lines.append(
          """
          <text x="\(Self.short(text.x))" y="\(Self.short(text.y))" \
          text-anchor="\(text.anchor.rawValue)" fill="\(text.color.hex)"\
          \(text.size == 12 ? "" : #" font-size="\#(Self.short(text.size))""#)\
          \(text.isBold ? #" font-weight="700""# : "")>\(full)\(HTMLText.escaped(text.text))</text>
          """)
      }
    }
    return (lines + ["</svg>", ""]).joined(separator: "\n")
  }

  private static func short(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

  private static func attribute(_ dashes: [Double]) -> String {
    let list = dashes.map(short).joined(separator: " ")
    return list.isEmpty ? "" : #" stroke-dasharray="\#(list)""#
  }
}

extension PixelColor {
  fileprivate var hex: String { "#" + Hex.encoded([red, green, blue]) }
}
