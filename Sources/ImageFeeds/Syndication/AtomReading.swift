import ImageModel
import TextEncodings

/// Reads Atom feeds. Sources: RFC 4287, Media RSS for `media:thumbnail` and `media:group`.
struct AtomReading {
  let base: String

  func contents(of root: MarkupElement) -> FeedContents {
    let declared = root.declaredBase(within: nil, at: base)
    let authors = authors(of: root)
    let entries = root.elements(named: "entry")
    return FeedContents(
      title: title(of: root),
      items: entries.map { entry($0, declaredBase: declared, authors: authors) })
  }

  private func title(of element: MarkupElement) -> String? {
    element.first("title").flatMap(html).flatMap(Markup.plainText)
  }

  private func authors(of element: MarkupElement) -> [String?] {
    element.elements(named: "author").map { $0.first("name")?.text }
  }

  /// - Parameter authors: Those of the feed, for an entry that names none.
  private func entry(
    _ element: MarkupElement, declaredBase outer: String?, authors: [String?]
  ) -> FeedItem {
    let own = self.authors(of: element)
    let declared = element.declaredBase(within: outer, at: base)
    let links = element.elements(named: "link")
    let link = links.first { ($0.attributes["rel"] ?? "alternate") == "alternate" }?
      .attributes["href"].flatMap { WebURL.resolve($0, against: declared ?? base) }
    // Without a declared base, URLs refer to the page of the text.
    let textBase = declared ?? link ?? base
    var images = ItemImages(base: textBase)
    for link in links where link.attributes["rel"] == "enclosure" {
      images.add(link.attributes["href"], ofType: link.attributes["type"])
    }
    images.add(mediaOf: element)
    var page: (html: String, base: String)?
    for text in ["content", "summary"].flatMap({ element.elements(named: $0) })
    where text.prefix != "media" {
      if let source = text.attributes["src"] {
        images.add(source, ofType: text.attributes["type"])
      } else if let html = html(text) {
        // The one element of a text may declare its base as well.
        let outer = text.base(within: textBase)
        let base = text.elements.count == 1 ? text.elements[0].base(within: outer) : outer
        images.add(html: html, base: base)
        if page == nil, !html.isEmpty { page = (html, base) }
      }
    }
    return FeedItem(
      ids: [element.first("id")?.text, link],
      title: title(of: element),
      authors: own.isEmpty ? authors : own, link: link, images: images,
      dates: ["published", "updated", "issued"].map { element.first($0)?.text },
      texts: [page?.html], base: page?.base ?? textBase)
  }

  /// The text as HTML; `nil` if it is not in the feed.
  private func html(_ text: MarkupElement) -> String? {
    guard text.attributes["src"] == nil else { return nil }
    let type = text.attributes["type"]?.lowercased() ?? "text"
    // Elements are markup whatever it says.
    let isMarkup = type.contains("html") || !text.elements.isEmpty
    return isMarkup ? text.html : HTMLText.escaped(text.text)
  }
}
