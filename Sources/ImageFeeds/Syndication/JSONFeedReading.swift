import ImageModel
import TextEncodings

/// Reads JSON Feed. Source: JSON Feed 1.1 (2020); `author` of version 1.
struct JSONFeedReading {
  let base: String

  func contents(of json: ParsedJSON) -> FeedContents {
    var contents = FeedContents(title: json["title"]?.text)
    let authors = authors(of: json)
    for (position, element) in (json["items"]?.elements ?? []).enumerated() {
      if element.isObject {
        contents.items.append(item(element, authors: authors))
      } else {
        contents.warnings.append("entry \(position) of the feed is not an item")
      }
    }
    return contents
  }

  private func authors(of json: ParsedJSON) -> [String?] {
    (json["authors"]?.elements ?? [json["author"]].compactMap(\.self)).map { $0["name"]?.text }
  }

  /// - Parameter authors: Those of the feed, for an item that names none.
  private func item(_ json: ParsedJSON, authors: [String?]) -> FeedItem {
    let own = self.authors(of: json)
    let page = (json["url"]?.text ?? json["external_url"]?.text)
      .flatMap { WebURL.resolve($0, against: base) }
    var images = ItemImages(base: page ?? base)
    images.add(json["image"]?.text)
    images.add(json["banner_image"]?.text)
    for attachment in json["attachments"]?.elements ?? [] {
      images.add(attachment["url"]?.text, ofType: attachment["mime_type"]?.text)
    }
    images.add(html: json["content_html"]?.text)
    return FeedItem(
      ids: [json["id"]?.identifier, page], title: json["title"]?.text,
      authors: own.isEmpty ? authors : own, link: page, images: images,
      dates: ["date_published", "date_modified"].map { json[$0]?.identifier },
      texts: [json["content_html"]?.text, json["content_text"]?.text.map(HTMLText.escaped)],
      base: page ?? base)
  }
}
