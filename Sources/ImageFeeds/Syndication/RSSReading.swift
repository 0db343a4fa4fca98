import ImageModel

/// Reads RSS 2.0, and 0.9x and 1.0 (RDF) as far as their items are alike.
///
/// Sources: RSS 2.0 Specification (2009), RSS 1.0 with `content:encoded` and Dublin Core, Media
/// RSS, Apple's podcast tags.
struct RSSReading {
  let base: String

  func contents(of root: MarkupElement) -> FeedContents {
    let outer = root.declaredBase(within: nil, at: base)
    var items: [FeedItem] = []
    var first: Channel?
    for element in root.elements(named: "channel") {
      let declared = element.declaredBase(within: outer, at: base)
      // Read only once: a channel has as many elements as items.
      let channel = Channel(declaredBase: declared, page: element.link(within: declared ?? base))
      items += element.elements(named: "item").map { item($0, of: channel) }
      first = first ?? channel
    }
    let channel = first ?? Channel(declaredBase: outer)
    items += root.elements(named: "item").map { item($0, of: channel) }
    return FeedContents(
      title: root.elements(named: "channel").lazy.compactMap { $0.first("title")?.plainText }.first,
      items: items)
  }

  private struct Channel {
    var declaredBase: String?
    var page: String?
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

  private func item(_ element: MarkupElement, of channel: Channel) -> FeedItem {
    let declared = element.declaredBase(within: channel.declaredBase, at: base)
    let guid = element.first("guid")
    let isPermanent = guid?.attributes["isPermaLink"]?.lowercased() ?? "true" == "true"
    let link =
      element.link(within: declared ?? base)
      ?? guid.flatMap { isPermanent && WebURL($0.text) != nil ? $0.text : nil }
    let textBase = declared ?? link ?? channel.page ?? base
    var images = ItemImages(base: textBase)
    for enclosure in element.elements(named: "enclosure") {
      images.add(enclosure.attributes["url"], ofType: enclosure.attributes["type"])
    }
    images.add(mediaOf: element)
    for image in element.elements(named: "image") {
      // In an attribute (iTunes), an element (RSS 0.9x) or the text.
      images.add(image.attributes["href"] ?? image.first("url")?.text ?? image.text)
    }
    let texts = ["encoded", "body", "description"]
    for text in texts.flatMap({ element.elements(named: $0) }) {
      images.add(html: text.html, base: text.base(within: textBase))
    }
    let text = texts.lazy.compactMap { element.first($0) }.first { !$0.html.isEmpty }
    return FeedItem(
      ids: [guid?.text, link, element.attributes["rdf:about"]],
      title: element.first("title")?.plainText, authors: authors(of: element),
      link: link, images: images,
      dates: ["pubDate", "date", "published", "updated"].map { element.first($0)?.text },
      texts: [text?.html], base: text?.base(within: textBase) ?? textBase)
  }
}

extension MarkupElement {
  /// The URL in the first `link` that has one: its text, or its reference as in Atom.
  fileprivate func link(within base: String) -> String? {
    for link in [first("link")].compactMap(\.self) + elements(named: "link") {
      let isPage = ["alternate", nil].contains(link.attributes["rel"])
      let text = link.text.isEmpty && isPage ? link.attributes["href"] ?? "" : link.text
      if let url = WebURL.resolve(text, against: base) { return url }
    }
    return nil
  }
}
