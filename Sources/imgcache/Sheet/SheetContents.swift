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
  var subjects: [Subject] = []
  let file: SheetFile

  var days: [DayRequest] {
    subjects.compactMap { if case .days(let day) = $0 { day } else { nil } }
  }

  var urls: [String] { subjects.compactMap { if case .url(let url) = $0 { url } else { nil } } }
}
