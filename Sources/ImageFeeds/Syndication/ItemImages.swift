import ImageModel
import ImagePipeline
import TextEncodings

/// Collects the images of one item: those that it names itself, then those in its text.
struct ItemImages {
  private let base: String
  private var named: [String] = []
  private var inText: [String] = []
  private var seen: Set<ExactString> = []
  /// Whether an image has a relative address, and there is no URL that it is relative to.
  private(set) var hasRelative = false
  /// The URL of a page, against which relative addresses resolve.
  private static let anyPage = "http://page.invalid/"

  init(base: String) { self.base = base }

  /// Adds an image that the item names: an enclosure, a thumbnail.
  mutating func add(_ reference: String?) {
    guard let reference else { return }
    guard let url = ImageElements.resolve(reference, base) else {
      if WebURL(base) == nil {
        hasRelative = hasRelative || ImageElements.resolve(reference, Self.anyPage) != nil
      }
      return
    }
    if seen.insert(ExactString(url)).inserted { named.append(url) }
  }

  /// Adds an attachment if it is an image by its medium, else by its media type, else (where these
  /// are missing, unknown or of any bytes) by the ending of its path.
  mutating func add(_ url: String?, ofType type: String?, medium: String? = nil) {
    let medium = medium?.trimmingWhiteSpace().lowercased() ?? ""
    let type = type?.trimmingWhiteSpace().lowercased() ?? ""
    let isImage =
      if !medium.isEmpty {
        medium == "image"
      } else if type.hasPrefix("image/") || type == "image" || ImageElements.isImageSuffix(type) {
        true
      } else if type.hasPrefix("audio/") || type.hasPrefix("video/") {
        false
      } else {
        url.map(ImageElements.isImagePath) ?? false
      }
    if isImage { add(url) }
  }

  /// Adds the images in HTML, whose base may be another than the item's; text that cannot be read
  /// adds none.
  mutating func add(html: String?, base: String? = nil) {
    guard let html, html.contains("<"),
      let body = try? StoryBody(html: html, base: base ?? self.base)
    else { return }
    if body.imageURLs.isEmpty, WebURL(base ?? self.base) == nil {
      let resolved = try? StoryBody(html: html, base: Self.anyPage)
      hasRelative = hasRelative || resolved?.imageURLs.isEmpty == false
    }
    for url in body.imageURLs where seen.insert(ExactString(url)).inserted { inText.append(url) }
  }

  func images(of id: String) -> [FeedImage] {
    named.enumerated().map { FeedImage(url: $1, role: .story, storyID: id, index: $0) }
      + inText.enumerated().map { FeedImage(url: $1, role: .body, storyID: id, index: $0) }
  }

  /// Adds `media:content`, `media:thumbnail` and `media:group`. Source: Media RSS Specification
  /// 1.5.1.
  mutating func add(mediaOf item: MarkupElement) {
    for element in item.elements
    where element.prefix == "media"
      || element.namespace?.hasPrefix("http://search.yahoo.com/mrss") ?? false
    {
      let attributes = element.attributes
      switch element.name {
      case "content":
        add(attributes["url"], ofType: attributes["type"], medium: attributes["medium"])
        add(mediaOf: element)
      case "thumbnail": add(attributes["url"])
      case "group": add(mediaOf: element)
      default: break
      }
    }
  }
}
