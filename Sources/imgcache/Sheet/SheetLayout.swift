import ImagePipeline

/// Where everything lies on a page of a contact sheet: numbers only.
struct SheetLayout: Hashable, Sendable {
  /// The box that each picture lies in.
  let picture: PixelSize
  /// Columns of pictures.
  let columns: Int
  /// Rows of pictures.
  let rows: Int

  /// Pixels around the page, and above and below its heading.
  static let margin = 16
  /// Pixels between neighbours.
  static let gap = 12
  /// Lines under each picture.
  static let captionLines = 2
  /// Pixels a dot of the heading.
  static let headingDot = 2

  /// Lays out a page.
  ///
  /// - Parameters:
  ///   - count: Pictures on it, at least 1.
  ///   - columns: `nil` makes a page that is somewhat wider than high.
  init(count: Int, picture: PixelSize, columns: Int? = nil) {
    let count = max(1, count)
    self.picture = picture
    if let columns {
      self.columns = min(columns, count)
    } else {
      // Four to three, each place as wide as it is high.
      let wanted = (Double(count) * 4 / 3).squareRoot().rounded(.up)
      self.columns = min(max(1, Int(wanted)), count)
    }
    rows = (count + self.columns - 1) / self.columns
  }

  /// Pixels a dot of the captions: two where the picture is wide enough for that.
  var captionDot: Int { picture.width >= 320 ? 2 : 1 }

  /// Letters that a line under a picture has room for.
  var captionLength: Int { max(1, picture.width / (DotFont.advance * captionDot)) }

  /// The distance between two lines of a caption.
  private var lineHeight: Int { (DotFont.ascent + DotFont.descent + 2) * captionDot }

  /// From one place to the next.
  private var step: PixelSize {
    PixelSize(
      width: picture.width + Self.gap,
      height: picture.height + Self.captionLines * lineHeight + 4 + Self.gap)
  }

  /// Where the first row of pictures begins.
  private var top: Int { 2 * Self.margin + DotFont.ascent * Self.headingDot }

  /// The whole page.
  var size: PixelSize {
    PixelSize(
      width: 2 * Self.margin + columns * step.width - Self.gap,
      height: top + rows * step.height - Self.gap + Self.margin)
  }

  /// Letters that the heading has room for.
  var headingLength: Int {
    (size.width - 2 * Self.margin) / (DotFont.advance * Self.headingDot)
  }

  /// The upper left corner of a picture's box.
  func origin(of index: Int) -> (left: Int, top: Int) {
    (Self.margin + index % columns * step.width, top + index / columns * step.height)
  }

  /// Where a line of a caption begins.
  func origin(ofLine line: Int, under index: Int) -> (left: Int, top: Int) {
    let place = origin(of: index)
    return (place.left, place.top + picture.height + 4 + line * lineHeight)
  }
}
