import ImageFeeds
import ImageModel

/// The images of a contact sheet, and its file.
struct SheetContents: Sendable {
  /// The images: those of days, or one by its URL.
  enum Subject: Hashable, Sendable {
    case days(DayRequest)
    case url(String)

    /// - Throws: ``ImageError`` with code `invalidArgument` for anything else.
    init(_ text: String) throws(ImageError) {
      self = ImageSource.isURL(text) ? .url(text) : .days(try DayRequest(text))
    }
  }

  /// The maximum number of images: the names and captions of all are in memory.
  static let maximumCount = 100_000
  /// The maximum pixels of a page, which is in memory: 64 million, 256 MiB.
  static let maximumPixels = 64_000_000

  var subjects: [Subject] = []
  let file: SheetFile

  var days: [DayRequest] {
    subjects.compactMap { if case .days(let day) = $0 { day } else { nil } }
  }

  var urls: [String] { subjects.compactMap { if case .url(let url) = $0 { url } else { nil } } }
}

/// The file of a contact sheet: its extension is the format, and further pages get numbers.
struct SheetFile: Hashable, Sendable {
  /// As it was named, for example `out/day.png`.
  let path: String
  let format: ImageFormat

  /// - Throws: ``ImageError`` with code `invalidArgument` for any extension but `.png`, `.jpg`,
  ///   `.jpeg` and `.webp`.
  init(_ path: String) throws(ImageError) {
    self.path = path
    switch Self.split(path).suffix.lowercased() {
    case ".png": format = .png
    case ".jpg", ".jpeg": format = .jpeg
    case ".webp": format = .webp
    default:
      throw ImageError(
        .invalidArgument, "\(path) does not end in .png, .jpg, .jpeg or .webp")
    }
  }

  /// Returns the file of a page: the named one if there is one page, else `day-01.png`,
  /// `day-02.png` …
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
