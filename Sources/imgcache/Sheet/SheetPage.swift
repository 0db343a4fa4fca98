import ImageCodecs
import ImageModel
import Typesetting

/// A page of a contact sheet on a canvas: a heading, and images that fill their places, with titles.
struct SheetPage {
  let layout: SheetLayout
  private let canvas: Canvas
  private let theme: SheetTheme

  init(
    _ layout: SheetLayout, on canvas: Canvas, heading: String, subheading: String,
    theme: SheetTheme
  ) {
    self.layout = layout
    self.canvas = canvas
    self.theme = theme
    canvas.fill(canvas.bounds, theme.paper)
    let margin = Double(SheetLayout.margin)
    var style = TextStyle(size: layout.headingSize, weight: 700, color: theme.ink)
    style.width = canvas.bounds.width - 2 * margin
    canvas.text(heading, x: margin, y: margin - 4, style)
    style.size = layout.subheadingSize
    style.weight = 400
    style.color = theme.muted
    canvas.text(
      subheading, x: margin, y: margin - 4 + layout.headingSize * SheetLayout.leading, style)
  }

  /// Draws an image, for a PDF as JPEG, or says in its place why there is none, and its caption.
  func place(_ cell: SheetCell, jpeg: [UInt8]? = nil, at index: Int) {
    let place = layout.place(of: index)
    if let image = cell.image {
      canvas.image(image, in: place, jpeg: jpeg)
    } else {
      canvas.fill(place, theme.shade)
      if layout.hasTexts { say(cell.notice, in: place) }
    }
    guard layout.hasTexts else { return }
    let caption = layout.caption(of: index)
    var style = TextStyle(size: layout.titleSize, weight: 600, color: theme.ink)
    style.width = caption.width
    style.lines = SheetLayout.titleLines
    let height = canvas.text(cell.item.title, x: caption.x, y: caption.y, style).height
    style = TextStyle(size: layout.detailSize, color: theme.muted)
    style.width = caption.width
    // A font with tall lines may leave less room than was counted on.
    let room = caption.height - layout.detailSize * SheetLayout.leading
    canvas.text(cell.details, x: caption.x, y: caption.y + min(height + 1, room), style)
  }

  private func say(_ notice: String, in place: CanvasBox) {
    var style = TextStyle(size: layout.titleSize, color: theme.muted)
    style.width = place.width * 0.86
    style.lines = max(1, Int(place.height / (layout.titleSize * SheetLayout.leading)) - 1)
    style.alignment = .center
    let height = canvas.extent(of: notice, style).height
    canvas.text(
      notice, x: place.x + place.width * 0.07, y: place.y + (place.height - height) / 2, style)
  }
}
