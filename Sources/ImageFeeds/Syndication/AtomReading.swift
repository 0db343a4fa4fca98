import ImagePipeline
import TextEncodings

/// Reads Atom feeds.
///
/// Sources: RFC 4287, Media RSS for `media:thumbnail` and `media:group`.
struct AtomReading {
  /// The feed's own address.
  let base: String

  /// The entries of a feed, given its root element.
  func contents(of root: MarkupElement) -> FeedContents {
    let declared = declaredBase(of: root, within: nil)
    return FeedContents(
      items: root.elements(named: "entry").enumerated()
        .map { entry($1, position: $0, declaredBase: declared) })
  }

  private func entry(
    _ element: MarkupElement, position: Int, declaredBase outer: String?
  ) -> FeedItem {
    let declared = declaredBase(of: element, within: outer)
    let links = element.elements(named: "link")
    let page = links.first { ($0.attributes["rel"] ?? "alternate") == "alternate" }?
      .attributes["href"].flatMap { WebURL.resolve($0, against: declared ?? base) }
    let id = [element.first("id")?.text, page].compactMap { $0 }.first { !$0.isEmpty }
    var story = FeedStory(
      id: id ?? "item-\(position)", title: element.first("title")?.text ?? "")
    story.url = page

    // Where no base is declared, writers mean the page that the text stands on.
    let textBase = declared ?? page ?? base
    var images = ItemImages(base: textBase)
    for link in links where link.attributes["rel"] == "enclosure" {
      let url = link.attributes["href"]
      if ItemImages.isImage(type: link.attributes["type"], url: url) { images.add(url) }
    }
    MediaRSS.add(element, to: &images)
    for name in ["content", "summary"] {
      for text in element.elements(named: name) where text.prefix != "media" {
        add(text, base: textBase, to: &images)
      }
    }
    story.images = images.images(of: story.id)

    let dates = ["published", "updated", "issued"].lazy.compactMap { element.first($0)?.text }
    var item = FeedItem(story: story, day: dates.compactMap(FeedDate.day).first)
    let texts = ["content", "summary"].map { name in
      element.elements(named: name).first { $0.prefix != "media" }.flatMap(html)
    }
    item.keepText(texts, base: textBase)
    return item
  }

  /// A text as HTML; `nil` where it stands elsewhere.
  private func html(_ text: MarkupElement) -> String? {
    guard text.attributes["src"] == nil else { return nil }
    return switch text.attributes["type"] ?? "text" {
    case "xhtml": text.innerHTML
    case "html", "text/html": text.text
    default: HTMLText.escaped(text.text)
    }
  }

  /// Text is HTML that is escaped, or XHTML that stands there as elements, or an image elsewhere.
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

  /// What `xml:base` says here, or outside.
  private func declaredBase(of element: MarkupElement, within outer: String?) -> String? {
    guard let declared = element.attributes["xml:base"] else { return outer }
    return WebURL.resolve(declared, against: outer ?? base) ?? outer
  }
}
