import ImageModel
import TextEncodings

/// Reads JSON Feed.
///
/// Source: JSON Feed 1.1 (2020).
struct JSONFeedReading {
  let base: String

  func contents(of json: JSONValue) -> FeedContents {
    var contents = FeedContents()
    for (position, element) in (json["items"]?.elements ?? []).enumerated() {
      if element.isObject {
        contents.items.append(item(element, position: position))
      } else {
        contents.warnings.append("entry \(position) of the feed is not an item")
      }
    }
    return contents
  }

  private func item(_ json: JSONValue, position: Int) -> FeedItem {
    let page = (json["url"]?.text ?? json["external_url"]?.text)
      .flatMap { WebURL.resolve($0, against: base) }
    var images = ItemImages(base: page ?? base)
    images.add(json["image"]?.text)
    images.add(json["banner_image"]?.text)
    for attachment in json["attachments"]?.elements ?? [] {
      let url = attachment["url"]?.text
      if ItemImages.isImage(type: attachment["mime_type"]?.text, url: url) { images.add(url) }
    }
    images.add(html: json["content_html"]?.text)
    return FeedItem(
      ids: [json["id"]?.identifier, page], position: position, title: json["title"]?.text,
      link: page, images: images,
      dates: ["date_published", "date_modified"].map { json[$0]?.text },
      texts: [json["content_html"]?.text, json["content_text"]?.text.map(HTMLText.escaped)],
      base: page ?? base)
  }
}
