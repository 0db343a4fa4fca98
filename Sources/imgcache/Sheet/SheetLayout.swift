import ImageModel
import Typesetting

struct SheetLayout: Hashable, Sendable {
  let box: PixelSize
  let columns: Int
  let rows: Int

  /// Around the page, and below its heading.
  static let margin = 24
  static let titleLines = 2

  /// - Parameter columns: `nil` for a page that is somewhat wider than high.
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

  var gap: Int { min(24, max(10, box.width / 11)) }
  var titleSize: Double { min(24, max(11, Double(box.width) * 0.072)) }
  var detailSize: Double { max(10, titleSize * 0.78) }
  var headingSize: Double { min(30, max(13, Double(width) / 26)) }
  var subheadingSize: Double { max(11, headingSize * 0.52) }
  var radius: Double { min(8, Double(min(box.width, box.height)) / 25) }

  /// From line to line, as a share of the font's size: fonts for Chinese need that much.
  static let leading = 1.5

  var hasTexts: Bool { box.width >= 64 }

  private var captionHeight: Int {
    guard hasTexts else { return 0 }
    return 6 + Int((Double(Self.titleLines) * titleSize + detailSize) * Self.leading) + 2
  }

  private var step: PixelSize {
    PixelSize(width: box.width + gap, height: box.height + captionHeight + gap)
  }

  private var top: Int { 2 * Self.margin + Int((headingSize + subheadingSize) * Self.leading) }

  private var width: Int { 2 * Self.margin + columns * step.width - gap }

  var size: PixelSize {
    PixelSize(width: width, height: top + rows * step.height - gap + Self.margin)
  }

  func place(of index: Int) -> CanvasBox {
    CanvasBox(
      x: Double(Self.margin + index % columns * step.width),
      y: Double(top + index / columns * step.height), width: Double(box.width),
      height: Double(box.height), radius: radius)
  }

  /// The room for the title and the details under an image.
  func caption(of index: Int) -> CanvasBox {
    var place = place(of: index)
    place.y += place.height + 6
    place.height = Double(max(0, captionHeight - 6))
    place.radius = 0
    return place
  }
}
