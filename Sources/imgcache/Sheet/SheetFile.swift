import ImageModel
import Typesetting

/// The file of a contact sheet; further pages of images get numbers.
struct SheetFile: Hashable, Sendable {
  enum Format: Hashable, Sendable {
    case image(ImageFormat)
    case pdf
    /// A single page of any length, without a text that has to be drawn.
    case html
  }

  let path: String
  let format: Format

  init(_ path: String) throws(ImageError) {
    self.path = path
    switch path.splitAtExtension.suffix.lowercased() {
    case ".png": format = .image(.png)
    case ".jpg", ".jpeg": format = .image(.jpeg)
    case ".webp": format = .image(.webp)
    case ".pdf": format = .pdf
    case ".html", ".htm": format = .html
    default:
      throw ImageError.misuse("\(path) does not end in .png, .jpg, .jpeg, .webp, .pdf or .html")
    }
  }

  var maximumSide: Int { format == .image(.webp) ? 16_383 : Canvas.maximumSide }

  /// Pixels of an image for each one of its place: a document may be enlarged, and the images of a
  /// page are in memory.
  func density(on page: PixelSize) -> Int {
    if case .image = format { return 1 }
    return 4 * page.pixelCount <= Canvas.maximumPixels ? 2 : 1
  }

  /// For example `day.png`, or of several pages `day-01.png`, `day-02.png` …
  func path(ofPage page: Int, of count: Int) -> String {
    guard count > 1 else { return path }
    let (stem, suffix) = path.splitAtExtension
    return "\(stem)-\(page.padded(to: max(2, "\(count)".count)))\(suffix)"
  }
}
