import ImageModel
import TextEncodings

/// Reads Atom feeds.
///
/// Sources: RFC 4287, Media RSS for `media:thumbnail` and `media:group`.
struct AtomReading {
  let base: String

  func contents(of root: MarkupElement) -> FeedContents {
    let declared = declaredBase(of: root, within: nil)
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
    let declared = declaredBase(of: element, within: outer)
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
    return FeedItem(
      ids: [element.first("id")?.text, page], position: position,
      title: element.first("title").flatMap(plainText), authors: own.isEmpty ? authors : own,
      link: page, images: images,
      dates: ["published", "updated", "issued"].map { element.first($0)?.text },
      texts: ["content", "summary"].map { name in
        element.elements(named: name).first { $0.prefix != "media" }.flatMap(html)
      }, base: textBase)
  }

  /// Returns a text without markup; `nil` if it is not in the feed.
  private func plainText(_ text: MarkupElement) -> String? {
    guard let html = html(text) else { return nil }
    return (try? Markup.plainText(ofHTML: html))?.trimmingWhiteSpace()
  }

  /// Returns a text as HTML; `nil` if it is not in the feed.
  private func html(_ text: MarkupElement) -> String? {
    guard text.attributes["src"] == nil else { return nil }
    return switch text.attributes["type"] ?? "text" {
    case "xhtml": text.innerHTML
    case "html", "text/html": text.text
    default: HTMLText.escaped(text.text)
    }
  }

  /// Adds the images of a text: escaped HTML, elements of XHTML, or an image by reference.
  private func add(_ text: MarkupElement, base: String, to images: inout ItemImages) {
    let type = text.attributes["type"] ?? "text"
    if let source = text.attributes["src"] {
      if ItemImages.isImage(type: type, url: source) { images.add(source) }
    } else if type == "xhtml" {
      images.add(elementsOf: text, base: declaredBase(of: text, within: base) ?? base)
    } else {
      images.add(html: text.text)
    }
  }

  private func declaredBase(of element: MarkupElement, within outer: String?) -> String? {
    guard let declared = element.attributes["xml:base"] else { return outer }
    return WebURL.resolve(declared, against: outer ?? base) ?? outer
  }
}
