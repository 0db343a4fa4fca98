import ImagePipeline

/// The page of a story as its feed gave it: not fit to be shown before ``sanitized(image:)``.
public struct StoryPage: Sendable, Hashable {
  /// The title as the feed spells it. May hold line breaks and markup: escape it before showing it.
  public var title: String
  /// The page's address on the web; what is relative in the text is relative to it.
  public var url: String
  /// The URL of the large image above the text.
  public var header: String?
  /// The text as HTML of unknown quality and intent.
  public var html: String

  /// Creates a page.
  public init(title: String, url: String, header: String? = nil, html: String) {
    self.title = title
    self.url = url
    self.header = header
    self.html = html
  }

  /// The images of the page, each URL once: those of its text, then its header, so that its coming and going renames
  /// no other.
  ///
  /// - Throws: ``ImageError`` with code `tooLarge` for more than 16 MiB of text.
  public func images(of storyID: String) throws(ImageError) -> [FeedImage] {
    let text = try StoryBody(html: html, base: url).imageURLs
    let urls = text + [header].compactMap { $0 }.filter { !text.contains($0) }
    return urls.enumerated().map { index, url in
      FeedImage(url: url, role: .body, storyID: storyID, index: index)
    }
  }

  /// The text as HTML that holds nothing but text, links and images; see ``HTMLSanitizer``.
  ///
  /// - Parameter image: Returns where the images of a URL are served; `nil` leaves them out.
  /// - Throws: ``ImageError`` with code `tooLarge` for more than ``HTMLSanitizer/maximumByteCount``.
  public func sanitized(
    image: @escaping (_ url: String) -> PageImage?
  ) throws(ImageError) -> String {
    try HTMLSanitizer(base: url, image: image).sanitized(html)
  }
}
