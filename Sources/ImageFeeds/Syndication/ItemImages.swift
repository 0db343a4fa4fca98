import ImageModel
import ImagePipeline
import TextEncodings

/// Collects the images of one item: those that it names itself, then those in its text.
struct ItemImages {
  private let base: String
  private var named: [String] = []
  private var inText: [String] = []
  private var seen: Set<ExactString> = []

  /// - Parameter base: The URL that relative ones refer to.
  init(base: String) { self.base = base }

  /// Adds an image that the item names: an enclosure, a thumbnail.
  mutating func add(_ reference: String?) {
    guard let reference, let url = ImageElements.resolve(reference, base) else { return }
    if seen.insert(ExactString(url)).inserted { named.append(url) }
  }

  /// Adds the images in HTML; text that cannot be read adds none.
  ///
  /// - Parameter base: The URL that relative ones refer to; `nil` for that of the item.
  mutating func add(html: String?, base: String? = nil) {
    guard let html, html.contains("<"),
      let body = try? StoryBody(html: html, base: base ?? self.base)
    else { return }
    for url in body.imageURLs where seen.insert(ExactString(url)).inserted { inText.append(url) }
  }

  func images(of id: String) -> [FeedImage] {
    named.enumerated().map { FeedImage(url: $1, role: .story, storyID: id, index: $0) }
      + inText.enumerated().map { FeedImage(url: $1, role: .body, storyID: id, index: $0) }
  }

  /// Whether the medium, else the media type, is that of an image; where these are missing, unknown or
  /// of any bytes, whether the path ends like one.
  static func isImage(type: String?, medium: String? = nil, url: String?) -> Bool {
    let medium = medium?.trimmingWhiteSpace().lowercased() ?? ""
    if !medium.isEmpty { return medium == "image" }
    let type = type?.trimmingWhiteSpace().lowercased() ?? ""
    if type.hasPrefix("image/") || type == "image" || ImageElements.isImageSuffix(type) {
      return true
    }
    if type.hasPrefix("audio/") || type.hasPrefix("video/") { return false }
    return url.map(ImageElements.isImagePath) ?? false
  }

  /// Adds `media:content`, `media:thumbnail` and `media:group`, as feeds of several kinds have
  /// them.
  ///
  /// Source: Media RSS Specification 1.5.1.
  mutating func add(mediaOf item: MarkupElement) {
    for element in item.elements where element.prefix == "media" || Self.isMedia(element) {
      let url = element.attributes["url"]
      switch element.name {
      case "content":
        let (type, medium) = (element.attributes["type"], element.attributes["medium"])
        if Self.isImage(type: type, medium: medium, url: url) { add(url) }
        add(mediaOf: element)
      case "thumbnail": add(url)
      case "group": add(mediaOf: element)
      default: break
      }
    }
  }

  private static func isMedia(_ element: MarkupElement) -> Bool {
    element.namespace?.hasPrefix("http://search.yahoo.com/mrss") ?? false
  }
}
