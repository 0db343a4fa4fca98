import ImagePipeline

/// Reads RSS 2.0, and 0.9x and 1.0 (RDF) as far as their items are alike.
///
/// Sources: RSS 2.0 Specification (2009), RSS 1.0 with `content:encoded` and Dublin Core, Media
/// RSS, Apple's podcast tags.
struct RSSReading {
  /// The feed's own address.
  let base: String

  /// The items of a feed, given its root element.
  func contents(of root: MarkupElement) -> FeedContents {
    let channel = root.first("channel")
    let items = (channel?.elements(named: "item") ?? []) + root.elements(named: "item")
    // Looked for once: the channel has as many elements as items.
    let page = channel?.first("link")?.text
    return FeedContents(items: items.enumerated().map { item($1, position: $0, page: page) })
  }

  private func item(_ element: MarkupElement, position: Int, page: String?) -> FeedItem {
    let link = element.first("link").map(\.text)
      .flatMap { WebURL.resolve($0, against: base) }
    let id = [element.first("guid")?.text, link, element.attributes["rdf:about"]]
      .compactMap { $0 }.first { !$0.isEmpty }
    var story = FeedStory(
      id: id ?? "item-\(position)", title: element.first("title")?.text ?? "")
    story.url = link

    let textBase = link ?? page.flatMap { WebURL.resolve($0, against: base) } ?? base
    var images = ItemImages(base: textBase)
    for enclosure in element.elements(named: "enclosure") {
      let url = enclosure.attributes["url"]
      if ItemImages.isImage(type: enclosure.attributes["type"], url: url) { images.add(url) }
    }
    MediaRSS.add(element, to: &images)
    for image in element.elements(named: "image") {
      // iTunes names it in an attribute, RSS 0.9x in an element, some in the text.
      images.add(image.attributes["href"] ?? image.first("url")?.text ?? image.text)
    }
    for encoded in element.elements(named: "encoded") { images.add(html: encoded.text) }
    for description in element.elements(named: "description") { images.add(html: description.text) }
    story.images = images.images(of: story.id)

    let dates = ["pubDate", "date", "published", "updated"].lazy
      .compactMap { element.first($0)?.text }
    var item = FeedItem(story: story, day: dates.compactMap(FeedDate.day).first)
    // The whole text goes before what describes it.
    item.keepText(["encoded", "description"].map { element.first($0)?.text }, base: textBase)
    return item
  }
}
