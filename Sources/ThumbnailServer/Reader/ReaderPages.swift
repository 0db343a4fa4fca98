import ImageFeeds
import ImagePipeline

/// What the reader consists of, without a server: its page, its files, and the pages of stories.
struct ReaderPages: Sendable {
  /// Allows a page to load files and addresses of this server only, and no script or style inside a
  /// page.
  static let contentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  private let assets: ReaderAssets

  /// Makes the files that are made when the program starts: some ten milliseconds.
  ///
  /// - Throws: ``ImageError`` where the loading animation cannot be encoded.
  init() throws(ImageError) { assets = try ReaderAssets() }

  /// The page.
  ///
  /// - Parameters:
  ///   - day: The newest day, at least its first ``ReaderPage/firstRowCount`` stories; `nil` where
  ///     the
  ///     cache has none.
  ///   - today: The current day in UTC+8.
  ///   - language: Of the frame.
  ///   - isChosen: Whether that was chosen; see ``isChosen(query:)``.
  func page(
    day: ReaderDay?, today: DayKey, in language: ReaderLanguage, isChosen: Bool = false
  ) -> ReaderAsset {
    Self.document(
      ReaderPage(day: day, today: today, language: language, isChosen: isChosen).html)
  }

  /// A file under `/reader/`; `nil` where there is none of that name.
  func asset(named name: String) -> ReaderAsset? { assets[name] }

  /// The page of a story.
  ///
  /// - Parameters:
  ///   - isChosen: Whether the language was chosen; see ``isChosen(query:)``.
  ///   - image: Returns the targets of the image of a URL; `nil` omits it.
  /// - Throws: ``ImageError`` with code `tooLarge` for more text than is read.
  func story(
    _ page: StoryPage, in language: ReaderLanguage, isChosen: Bool = false,
    image: @escaping (_ url: String) -> PageImage?
  ) throws(ImageError) -> ReaderAsset {
    Self.document(
      try ReaderStoryPage(page: page, language: language, isChosen: isChosen).html(image: image))
  }

  /// The language that was chosen, `lang=zh` or `lang=en`, else the browser's.
  ///
  /// - Parameters:
  ///   - query: As in the address, without `?`.
  ///   - acceptLanguage: The field `Accept-Language`.
  static func language(query: String?, acceptLanguage: String?) -> ReaderLanguage {
    chosenLanguage(query) ?? ReaderLanguage(accepting: acceptLanguage)
  }

  /// Whether a language was chosen, so that links to our own pages have to carry it.
  static func isChosen(query: String?) -> Bool { chosenLanguage(query) != nil }

  private static func chosenLanguage(_ query: String?) -> ReaderLanguage? {
    let chosen = (query ?? "").split(separator: "&").first { $0.hasPrefix("lang=") }
    return chosen.flatMap { ReaderLanguage(rawValue: String($0.dropFirst(5))) }
  }

  private static func document(_ html: String) -> ReaderAsset {
    ReaderAsset(mediaType: "text/html; charset=utf-8", bytes: Array(html.utf8))
  }
}
