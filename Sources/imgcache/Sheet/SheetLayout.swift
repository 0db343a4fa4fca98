import ImageCodecs
import ImageModel
import PixelDrawing

/// The places of everything on a page of a contact sheet.
struct SheetLayout: Hashable, Sendable {
  let box: PixelSize
  let columns: Int
  let rows: Int

  /// Pixels around the page, and above and below its heading.
  static let margin = 16
  /// Pixels between neighbours.
  static let gap = 12
  static let captionLines = 2
  /// Pixels a dot of the heading.
  static let headingDot = 2

  /// Lays out a page.
  ///
  /// - Parameters:
  ///   - count: The number of images, at least 1.
  ///   - columns: `nil` for a page that is somewhat wider than high.
  init(count: Int, box: PixelSize, columns: Int? = nil) {
    let count = max(1, count)
    self.box = box
    if let columns {
      self.columns = min(columns, count)
    } else {
      // Four to three, each place as wide as it is high.
      let wanted = (Double(count) * 4 / 3).squareRoot().rounded(.up)
      self.columns = min(max(1, Int(wanted)), count)
    }
    rows = (count + self.columns - 1) / self.columns
  }

  /// Pixels a dot of the captions: two if the image is wide enough for that.
  var captionDot: Int { box.width >= 320 ? 2 : 1 }

  var captionLength: Int { max(1, box.width / (DotFont.advance * captionDot)) }

  private var lineHeight: Int { (DotFont.ascent + DotFont.descent + 2) * captionDot }

  /// From one place to the next.
  private var step: PixelSize {
    PixelSize(
      width: box.width + Self.gap,
      height: box.height + Self.captionLines * lineHeight + 4 + Self.gap)
  }

  private var top: Int { 2 * Self.margin + DotFont.ascent * Self.headingDot }

  var size: PixelSize {
    PixelSize(
      width: 2 * Self.margin + columns * step.width - Self.gap,
      height: top + rows * step.height - Self.gap + Self.margin)
  }

  var headingLength: Int { (size.width - 2 * Self.margin) / (DotFont.advance * Self.headingDot) }

  func origin(of index: Int) -> (left: Int, top: Int) {
    (Self.margin + index % columns * step.width, top + index / columns * step.height)
  }

  func origin(ofLine line: Int, under index: Int) -> (left: Int, top: Int) {
    let place = origin(of: index)
    return (place.left, place.top + box.height + 4 + line * lineHeight)
  }
}
