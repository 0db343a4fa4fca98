public import ImageModel
import TextEncodings

/// The page of a story as its feed sent it: not safe to show before ``sanitized(image:)``.
public struct StoryPage: Sendable, Hashable {
  /// The title as the feed spells it. May hold line breaks and markup: escape it before showing it.
  public var title: String
  /// The URL of the page; relative URLs in the text refer to it.
  public var url: String
  /// The URL of the large image above the text.
  public var header: String?
  /// The source of the large image, as text, for example its author and license.
  public var headerCredit: String?
  /// The text as HTML of unknown quality and intent.
  public var html: String

  /// Creates a page.
  public init(title: String, url: String, header: String? = nil, html: String) {
    self.title = title
    self.url = url
    self.header = header
    self.html = html
  }

  /// The images of the page, each URL once: those of its text, then its header, so that adding or
  /// removing the header renames no other image.
  ///
  /// - Throws: `ImageError` with code `tooLarge` for more than 16 MiB of text.
  public func images(of storyID: String) throws(ImageError) -> [FeedImage] {
    let text = try StoryBody(html: html, base: url).imageURLs
    let urls = text + [header].compactMap { $0 }.filter { !text.contains($0) }
    return urls.enumerated().map { index, url in
      FeedImage(url: url, role: .body, storyID: storyID, index: index)
    }
  }

  /// The language of the title, by its letters, as ``FeedStory/titleLanguage``.
  public var titleLanguage: String? { ExportWords.language(of: title) }

  /// The text as HTML that holds nothing but text, links and images, for which `image` returns
  /// others; `nil` leaves one out. A heading that repeats the title, as Zhihu Daily has it, is left
  /// out.
  ///
  /// - Throws: `ImageError` with code `tooLarge` for more than 4 MiB.
  public func sanitized(
    image: @escaping (_ url: String) -> PageImage?
  ) throws(ImageError) -> String {
    var text = try HTMLSanitizer(base: url, image: image).sanitized(html)
    for repeated in [title, ""] {
      text.removeFirst("<h2 class=\"question-title\">\(HTMLText.escaped(repeated))</h2>")
    }
    return text
  }
}

extension String {
  /// Removes the first occurrence of a part, compared byte by byte: `firstRange(of:)` compares
  /// characters, which takes as long as sanitising.
  fileprivate mutating func removeFirst(_ part: String) {
    var part = part
    let start = withUTF8 { text in
      part.withUTF8 { part in text.indices.first { text[$0...].starts(with: part) } }
    }
    guard let start else { return }
    let lower = utf8.index(startIndex, offsetBy: start)
    removeSubrange(lower..<utf8.index(lower, offsetBy: part.utf8.count))
  }
}
