/// Reads `media:content`, `media:thumbnail` and `media:group`, as feeds of several kinds carry them.
///
/// Source: Media RSS Specification 1.5.1.
enum MediaRSS {
  /// Adds the images of an item.
  static func add(_ item: MarkupElement, to images: inout ItemImages) {
    for element in item.elements where element.prefix == "media" || isMedia(element.namespace) {
      switch element.name {
      case "content":
        let attributes = element.attributes
        if ItemImages.isImage(
          type: attributes["type"], medium: attributes["medium"], url: attributes["url"])
        {
          images.add(attributes["url"])
        }
        add(element, to: &images)
      case "thumbnail":
        images.add(element.attributes["url"])
      case "group":
        add(element, to: &images)
      default:
        break
      }
    }
  }

  private static func isMedia(_ namespace: String?) -> Bool {
    namespace?.hasPrefix("http://search.yahoo.com/mrss") ?? false
  }
}
