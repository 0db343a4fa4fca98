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

  /// What cannot be used of the document.
  private(set) var faults: [String] = []

  /// The `xmlUrl` of each outline, in any folder. Where the XML is damaged, it is read again as
  /// HTML, which needs no escapes and no ends of elements.
  init(opml: Markup.XML, _ text: DocumentText, base: String) throws(ImageError) {
    var (urls, refused) = ([String](), [String]())
    var seen: Set<String> = []
    func add(_ element: MarkupElement) {
      guard element.name.lowercased() == "outline", urls.count < Self.maximumCount,
        let name = element.attributes.keys.first(where: { $0.lowercased() == "xmlurl" }),
        let written = element.attributes[name]?.trimmingWhiteSpace(), !written.isEmpty,
        seen.insert(written).inserted
      else { return }
      if let url = WebURL.resolve(Self.web(written), against: base) {
        urls.append(url)
      } else {
        refused.append(written)
      }
    }
    if let fault = opml.fault {
      try Markup.readHTML(String(decoding: text.bytes, as: UTF8.self)) { step in
        if case .opens(let element) = step { add(element) }
      }
      if urls.isEmpty {
        throw ImageError(.notAFeed, "\(fault), and no feed of the OPML document can be read")
      }
      faults.append("\(fault); the feeds that can be read are used")
    } else {
      var open = [opml.root]
      while let element = open.popLast() {
        add(element)
        open += element.elements.reversed()
      }
    }
    faults += refused.prefix(FeedContents.maximumWarningCount).map {
      "\(String($0.prefix(100)).debugDescription) is not an http(s) URL of a feed"
    }
    guard !urls.isEmpty else {
      throw ImageError(
        .notAFeed,
        faults.first.map { "no feed of the OPML document can be used: \($0)" }
          ?? "the OPML document names no feed")
    }
    self.urls = urls
  }

  /// `feed://` and `feed:` were other ways to write an address.
  private static func web(_ text: String) -> String {
    guard text.lowercased().hasPrefix("feed:") else { return text }
    let rest = text.dropFirst(5)
    return rest.hasPrefix("//") ? "http:\(rest)" : String(rest)
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
