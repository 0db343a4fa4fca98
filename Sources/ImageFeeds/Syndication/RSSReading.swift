import ImageModel

/// Reads RSS 2.0, and 0.9x and 1.0 (RDF) as far as their items are alike.
///
/// Sources: RSS 2.0 Specification (2009), RSS 1.0 with `content:encoded` and Dublin Core, Media
/// RSS, Apple's podcast tags.
struct RSSReading {
  let base: String

  func contents(of root: MarkupElement) -> FeedContents {
    let channel = root.first("channel")
    let items = (channel?.elements(named: "item") ?? []) + root.elements(named: "item")
    // Searched only once: the channel has as many elements as items.
    let page = channel?.first("link")?.text
    return FeedContents(items: items.enumerated().map { item($1, position: $0, page: page) })
  }

  /// `dc:creator`, else `author`, in RSS `address (name)`, in Apple's tags a name.
  private func authors(of element: MarkupElement) -> [String?] {
    let creators = element.elements(named: "creator")
    if !creators.isEmpty { return creators.map(\.text) }
    return element.elements(named: "author").map { author in
      let text = author.text
      guard text.contains("@"), let open = text.firstIndex(of: "("),
        let close = text.lastIndex(of: ")"), open < close
      else { return text }
      return String(text[text.index(after: open)..<close])
    }
  }

  private func item(_ element: MarkupElement, position: Int, page: String?) -> FeedItem {
    let link = element.first("link").map(\.text)
      .flatMap { WebURL.resolve($0, against: base) }
    let textBase = link ?? page.flatMap { WebURL.resolve($0, against: base) } ?? base
    var images = ItemImages(base: textBase)
    for enclosure in element.elements(named: "enclosure") {
      let url = enclosure.attributes["url"]
      if ItemImages.isImage(type: enclosure.attributes["type"], url: url) { images.add(url) }
    }
    images.add(mediaOf: element)
    for image in element.elements(named: "image") {
      // In an attribute (iTunes), an element (RSS 0.9x) or the text.
      images.add(image.attributes["href"] ?? image.first("url")?.text ?? image.text)
    }
    for encoded in element.elements(named: "encoded") { images.add(html: encoded.text) }
    for description in element.elements(named: "description") { images.add(html: description.text) }
    return FeedItem(
      ids: [element.first("guid")?.text, link, element.attributes["rdf:about"]],
      position: position, title: element.first("title")?.text, authors: authors(of: element),
      link: link, images: images,
      dates: ["pubDate", "date", "published", "updated"].map { element.first($0)?.text },
      texts: ["encoded", "description"].map { element.first($0)?.text }, base: textBase)
  }
}
