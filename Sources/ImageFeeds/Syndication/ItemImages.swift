import ImageModel
import ImagePipeline

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
  mutating func add(html: String?) {
    guard let html, html.contains("<"), let body = try? StoryBody(html: html, base: base) else {
      return
    }
    for url in body.imageURLs where seen.insert(ExactString(url)).inserted { inText.append(url) }
  }

  /// Adds the images in XHTML, with the base that holds at that place.
  mutating func add(elementsOf text: MarkupElement, base: String) {
    var elements = ImageElements()
    text.walk { element in
      if let url = elements.open(element, base: base), seen.insert(ExactString(url)).inserted {
        inText.append(url)
      }
    } leaving: {
      elements.close()
    }
  }

  func images(of id: String) -> [FeedImage] {
    named.enumerated().map {
      FeedImage(url: $1, role: .story, storyID: id, index: $0)
    } + inText.enumerated().map { FeedImage(url: $1, role: .body, storyID: id, index: $0) }
  }

  /// Whether a media type or, without one, a file name is that of an image.
  static func isImage(type: String?, medium: String? = nil, url: String?) -> Bool {
    if let medium { return medium.lowercased() == "image" }
    if let type, !type.isEmpty { return type.lowercased().hasPrefix("image/") }
    guard let url else { return false }
    let path = url.prefix { $0 != "?" && $0 != "#" }.lowercased()
    return [".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif"].contains { path.hasSuffix($0) }
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
