import ImagePipeline
import TextEncodings

/// Reads JSON Feed.
///
/// Source: JSON Feed 1.1 (2020).
struct JSONFeedReading {
  /// The feed's own address.
  let base: String

  /// The items of a feed, given the parsed text.
  func contents(of json: JSONValue) -> FeedContents {
    var contents = FeedContents()
    for (position, element) in (json["items"]?.elements ?? []).enumerated() {
      if element.isObject {
        contents.items.append(item(element, position: position))
      } else {
        contents.warnings.append("entry \(position) of the feed is no item")
      }
    }
    return contents
  }

  private func item(_ json: JSONValue, position: Int) -> FeedItem {
    let page = (json["url"]?.text ?? json["external_url"]?.text)
      .flatMap { WebURL.resolve($0, against: base) }
    var story = FeedStory(
      id: json["id"]?.identifier ?? page ?? "item-\(position)", title: json["title"]?.text ?? "")
    story.url = page

    var images = ItemImages(base: page ?? base)
    images.add(json["image"]?.text)
    images.add(json["banner_image"]?.text)
    for attachment in json["attachments"]?.elements ?? [] {
      let url = attachment["url"]?.text
      if ItemImages.isImage(type: attachment["mime_type"]?.text, url: url) { images.add(url) }
    }
    images.add(html: json["content_html"]?.text)
    story.images = images.images(of: story.id)

    let dates = ["date_published", "date_modified"].lazy.compactMap { json[$0]?.text }
    var item = FeedItem(story: story, day: dates.compactMap(FeedDate.day).first)
    let plain = json["content_text"]?.text.map(HTMLText.escaped)
    item.keepText([json["content_html"]?.text, plain], base: page ?? base)
    return item
  }
}
