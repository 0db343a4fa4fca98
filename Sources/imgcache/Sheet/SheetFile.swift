import ImagePipeline

/// The file that a contact sheet goes to: its name says the format, and further pages get numbers.
struct SheetFile: Hashable, Sendable {
  /// As it was named, for example `out/day.png`.
  let path: String
  /// `png` or `jpeg`.
  let format: ImageFormat

  /// Reads the format from the extension.
  ///
  /// - Throws: ``ImageError`` with code `invalidArgument` for any other than `.png`, `.jpg` and `.jpeg`.
  init(_ path: String) throws(ImageError) {
    self.path = path
    switch Self.split(path).suffix.lowercased() {
    case ".png": format = .png
    case ".jpg", ".jpeg": format = .jpeg
    default:
      throw ImageError(
        .invalidArgument, "\(path) does not end in .png, .jpg or .jpeg, which says the format")
    }
  }

  /// The file of a page: the one that was named where there is one page, else `day-01.png`, `day-02.png` …
  ///
  /// - Parameter page: From 1.
  func path(ofPage page: Int, of count: Int) -> String {
    guard count > 1 else { return path }
    let parts = Self.split(path)
    let digits = String(page)
    let zeros = String(repeating: "0", count: max(0, max(2, "\(count)".count) - digits.count))
    return parts.stem + "-" + zeros + digits + parts.suffix
  }

  private static func split(_ path: String) -> (stem: String, suffix: String) {
    guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return (path, "") }
    return (String(path[..<dot]), String(path[dot...]))
  }
}
