import ImageFeeds
import ImagePipeline

/// What a contact sheet is to be.
struct SheetPlan: Sendable {
  /// What goes on it: a day or several, or an image by its URL.
  enum Subject: Hashable, Sendable {
    case days(DayRequest)
    case url(String)

    /// - Throws: ``ImageError`` with code `invalidArgument` for what is neither.
    init(_ text: String) throws(ImageError) {
      self = ImageSource.isURL(text) ? .url(text) : .days(try DayRequest(text))
    }
  }

  /// The most images that one call takes: names and captions of all are held.
  static let maximumCount = 100_000

  /// In their order on the sheet.
  var subjects: [Subject]
  var file: SheetFile
  /// Which images of days count, and how all are loaded.
  var options = DayArchive.Options()
  var concurrency = 6
  /// The box of each image.
  var picture = PixelSize(width: 200, height: 200)
  /// `nil` for a page somewhat wider than high.
  var columns: Int?
  /// The most images on a page; one page is held in memory.
  var perPage = 200
  var background = PixelColor.white
  /// Of a JPEG.
  var quality = 85
  /// The file drawn for what is not available; `nil` draws a crossed box.
  var placeholder: String?
  var limits = ImageLimits()
  var report: Report
  var showsProgress = false

  /// The days among the subjects.
  var days: [DayRequest] {
    subjects.compactMap { if case .days(let day) = $0 { day } else { nil } }
  }

  /// The URLs among the subjects.
  var urls: [String] {
    subjects.compactMap { if case .url(let url) = $0 { url } else { nil } }
  }

  /// The most pixels of a page: 64 million, 256 MiB.
  static let maximumPixels = 64_000_000

  /// - Throws: ``ImageError`` with code `invalidArgument` where a full page would be too large.
  func checkPage() throws(ImageError) {
    let size = SheetLayout(count: perPage, picture: picture, columns: columns).size
    guard size.pixelCount <= Self.maximumPixels, max(size.width, size.height) <= 65_500 else {
      throw ImageError(
        .invalidArgument,
        "a page of \(perPage) pictures of \(picture) would be \(size); ask for fewer with --per-page or smaller ones with --cell"
      )
    }
  }
}
