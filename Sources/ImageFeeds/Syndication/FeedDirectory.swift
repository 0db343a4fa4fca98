import ImageModel
import TextEncodings

/// The feeds that an OPML document or a web page names, in place of a feed.
///
/// Sources: OPML 2.0 (2006), RSS Autodiscovery (2006).
struct FeedDirectory: Error, Hashable {
  /// More than this are not read of one document.
  static let maximumCount = 10_000
  private static let types: Set<String> = [
    "application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml",
  ]

  let urls: [String]

  /// The `xmlUrl` of each outline, in any folder.
  init(opml root: MarkupElement, base: String) throws(ImageError) {
    var urls: [String] = []
    var seen: Set<String> = []
    var open = [root]
    while let element = open.popLast(), urls.count < Self.maximumCount {
      let name = element.attributes.keys.first { $0.lowercased() == "xmlurl" }
      if element.name.lowercased() == "outline",
        let text = name.flatMap({ element.attributes[$0] }),
        let url = WebURL.resolve(text.trimmingWhiteSpace(), against: base),
        seen.insert(url).inserted
      {
        urls.append(url)
      }
      open += element.elements.reversed()
    }
    guard !urls.isEmpty else { throw ImageError(.notAFeed, "the OPML document names no feed") }
    self.urls = urls
  }

  /// The first feed that a page names as its own; others are often of its comments.
  init(page html: String, base: String) throws(ImageError) {
    var (base, url) = (base, String?.none)
    try Markup.readHTML(html) { step in
      guard case .opens(let element) = step, url == nil else { return }
      let reference = element.attributes["href"]?.trimmingWhiteSpace()
      switch element.name {
      case "base": base = reference.flatMap { WebURL.resolve($0, against: base) } ?? base
      case "link":
        let relations = element.attributes["rel"]?.lowercased().split(separator: " ") ?? []
        let type = element.attributes["type"]?.lowercased().prefix { $0 != ";" } ?? ""
        if relations.contains("alternate"), Self.types.contains(String(type)) {
          url = reference.flatMap { WebURL.resolve($0, against: base) }
        }
      default: break
      }
    }
    guard let url else {
      throw ImageError(.notAFeed, "the response is an HTML page that names no feed")
    }
    urls = [url]
  }

  static func isPage(_ bytes: [UInt8]) -> Bool {
    let start = String(decoding: bytes.prefix(1024), as: UTF8.self).trimmingWhiteSpace()
      .lowercased()
    return start.hasPrefix("<!doctype html") || start.hasPrefix("<html")
  }
}
