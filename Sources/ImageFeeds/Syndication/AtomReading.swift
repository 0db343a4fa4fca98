import ImageModel
import TextEncodings

/// Reads Atom feeds.
///
/// Sources: RFC 4287, Media RSS for `media:thumbnail` and `media:group`.
struct AtomReading {
  let base: String

  func contents(of root: MarkupElement) -> FeedContents {
    let declared = root.declaredBase(within: nil, at: base)
    let authors = authors(of: root)
    return FeedContents(
      items: root.elements(named: "entry").enumerated()
        .map { entry($1, position: $0, declaredBase: declared, authors: authors) })
  }

  private func authors(of element: MarkupElement) -> [String?] {
    element.elements(named: "author").map { $0.first("name")?.text }
  }

  /// - Parameter authors: Those of the feed, for an entry that names none.
  private func entry(
    _ element: MarkupElement, position: Int, declaredBase outer: String?, authors: [String?]
  ) -> FeedItem {
    let own = self.authors(of: element)
    let declared = element.declaredBase(within: outer, at: base)
    let links = element.elements(named: "link")
    let page = links.first { ($0.attributes["rel"] ?? "alternate") == "alternate" }?
      .attributes["href"].flatMap { WebURL.resolve($0, against: declared ?? base) }
    // Without a declared base, URLs refer to the page of the text.
    let textBase = declared ?? page ?? base
    var images = ItemImages(base: textBase)
    for link in links where link.attributes["rel"] == "enclosure" {
      let url = link.attributes["href"]
      if ItemImages.isImage(type: link.attributes["type"], url: url) { images.add(url) }
    }
    images.add(mediaOf: element)
    for name in ["content", "summary"] {
      for text in element.elements(named: name) where text.prefix != "media" {
        add(text, base: textBase, to: &images)
      }
    }
    let text = ["content", "summary"].lazy
      .flatMap { element.elements(named: $0) }
      .first { $0.prefix != "media" && !(html($0) ?? "").isEmpty }
    return FeedItem(
      ids: [element.first("id")?.text, page], position: position,
      title: element.first("title").flatMap(plainText), authors: own.isEmpty ? authors : own,
      link: page, images: images,
      dates: ["published", "updated", "issued"].map { element.first($0)?.text },
      texts: [text.flatMap(html)], base: text.map { base(of: $0, within: textBase) } ?? textBase)
  }

  /// Returns a text without markup; `nil` if it is not in the feed.
  private func plainText(_ text: MarkupElement) -> String? {
    guard let html = html(text) else { return nil }
    return (try? Markup.plainText(ofHTML: html))?.trimmingWhiteSpace()
  }

  /// Returns a text as HTML; `nil` if it is not in the feed.
  private func html(_ text: MarkupElement) -> String? {
    guard text.attributes["src"] == nil else { return nil }
    switch text.attributes["type"]?.lowercased() ?? "text" {
    case "text" where text.elements.isEmpty, "text/plain" where text.elements.isEmpty:
      return HTMLText.escaped(text.text)
    default: return text.html
    }
  }

  /// Adds the images of a text: escaped HTML, elements of XHTML, or an image by reference.
  private func add(_ text: MarkupElement, base: String, to images: inout ItemImages) {
    let type = text.attributes["type"] ?? "text"
    if let source = text.attributes["src"] {
      if ItemImages.isImage(type: type, url: source) { images.add(source) }
    } else if let html = html(text) {
      images.add(html: html, base: self.base(of: text, within: base))
    }
  }

  /// The URL that those in a text refer to: it is declared by the text or by the one element in it.
  private func base(of text: MarkupElement, within outer: String) -> String {
    let base = text.base(within: outer)
    return text.elements.count == 1 ? text.elements[0].base(within: base) : base
  }
}
