import ImageCodecs
import ImageModel
import PixelDrawing

/// One page of a contact sheet, as pixels: a heading, and images with captions.
struct SheetPage: Sendable {
  let layout: SheetLayout
  /// The page so far, opaque everywhere.
  private(set) var pixels: PixelBuffer
  private let ink: PixelColor
  private let shade: PixelColor

  init(_ layout: SheetLayout, heading: String, background: PixelColor) {
    self.layout = layout
    let paper = PixelColor(red: background.red, green: background.green, blue: background.blue)
    pixels = PixelBuffer(layout.size, filledWith: paper)
    let light = Int(paper.red) * 2 + Int(paper.green) * 7 + Int(paper.blue)
    ink = light > 1275 ? PixelColor(red: 32, green: 32, blue: 32) : .white
    shade =
      light > 1275
      ? PixelColor(red: 216, green: 216, blue: 216) : PixelColor(red: 72, green: 72, blue: 72)
    pixels.write(
      Self.cut(heading, layout.headingLength), left: SheetLayout.margin, top: SheetLayout.margin,
      dot: SheetLayout.headingDot, color: ink)
  }

  /// Draws an image, no larger than its box, in the middle of its place; a crossed box for `nil`.
  mutating func place(_ image: PixelBuffer?, caption: [String], at index: Int) {
    let (left, top) = layout.origin(of: index)
    let box = layout.box
    if let image {
      pixels.draw(
        image, left: left + (box.width - image.width) / 2,
        top: top + (box.height - image.height) / 2)
    } else {
      pixels.draw(Self.crossed(box, shade), left: left, top: top)
    }
    for (line, text) in caption.prefix(SheetLayout.captionLines).enumerated() {
      let place = layout.origin(ofLine: line, under: index)
      pixels.write(
        Self.cut(text, layout.captionLength), left: place.left, top: place.top,
        dot: layout.captionDot, color: ink)
    }
  }

  /// Returns a text that fits, shortened with an ellipsis.
  static func cut(_ text: String, _ length: Int) -> String {
    text.unicodeScalars.count <= length
      ? text
      : String(String.UnicodeScalarView(text.unicodeScalars.prefix(max(0, length - 1)))) + "…"
  }

  private static func crossed(_ size: PixelSize, _ color: PixelColor) -> PixelBuffer {
    var image = PixelBuffer(clear: size)
    image.withMutableBytes { room in
      func dot(_ x: Int, _ y: Int) {
        let at = 4 * (y * size.width + x)
        room[at] = color.red
        room[at + 1] = color.green
        room[at + 2] = color.blue
        room[at + 3] = 255
      }
      for x in 0..<size.width {
        dot(x, 0)
        dot(x, size.height - 1)
        let y = x * (size.height - 1) / max(1, size.width - 1)
        dot(x, y)
        dot(x, size.height - 1 - y)
      }
      for y in 0..<size.height {
        dot(0, y)
        dot(size.width - 1, y)
        let x = y * (size.width - 1) / max(1, size.height - 1)
        dot(x, y)
        dot(size.width - 1 - x, y)
      }
    }
    return image
  }
}
