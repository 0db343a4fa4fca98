import ImageModel

/// The contents of a feed: its items in order, and warnings.
struct FeedContents: Sendable, Hashable {
  var items: [FeedItem] = []
  var warnings: [String] = []

  /// Reads a feed of any kind that is known; the bytes decide which, not a media type.
  ///
  /// RSS 0.9 to 2.0, Atom and JSON Feed; a response of Zhihu Daily saved to a file; else a list of
  /// URLs.
  ///
  /// - Parameter base: The URL of the feed, which relative ones refer to.
  /// - Throws: `ImageError` with code `notAFeed` when the bytes are none of these.
  init(reading bytes: [UInt8], base: String) throws(ImageError) {
    switch Self.firstMeaningful(bytes) {
    case nil:
      throw ImageError(.notAFeed, "the feed is empty")
    case UInt8(ascii: "<"):
      self = try Self.xml(bytes, base: base)
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      self = try Self.json(bytes, base: base)
    default:
      self = try URLListFeed.contents(of: bytes)
    }
  }

  init(items: [FeedItem] = [], warnings: [String] = []) {
    self.items = items
    self.warnings = warnings
  }

  private static func xml(_ bytes: [UInt8], base: String) throws(ImageError) -> FeedContents {
    let xml = try Markup.xml(bytes)
    var contents: FeedContents
    switch xml.root.name.lowercased() {
    case "rss", "rdf":
      contents = RSSReading(base: base).contents(of: xml.root)
    case "feed":
      contents = AtomReading(base: base).contents(of: xml.root)
    case "html":
      throw ImageError(.notAFeed, "the response is an HTML page, not a feed")
    default:
      throw ImageError(
        .notAFeed, "the response is XML of the kind \(xml.root.name.prefix(40)), not RSS or Atom")
    }
    if let fault = xml.fault {
      if contents.items.isEmpty { throw ImageError(.notAFeed, "\(fault), and no item can be read") }
      contents.warnings.append("\(fault); what can be read is used")
    }
    return contents
  }

  private static func json(_ bytes: [UInt8], base: String) throws(ImageError) -> FeedContents {
    let json = try JSONValue(parsing: bytes)
    if json["items"]?.elements != nil { return JSONFeedReading(base: base).contents(of: json) }
    do {
      let list = try ZhihuDailyDecoding.list(from: bytes)
      return FeedContents(
        items: (list.stories + list.topStories).map { FeedItem(story: $0, day: list.date) },
        warnings: list.warnings)
    } catch {
      throw ImageError(
        .notAFeed, "the response is JSON, but neither a JSON Feed nor a day's stories")
    }
  }

  private static func firstMeaningful(_ bytes: [UInt8]) -> UInt8? {
    // A byte-order mark of UTF-8 or UTF-16, and the zero bytes of UTF-16, say nothing here.
    bytes.first { $0 > 0x20 && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF && $0 != 0xFE && $0 != 0xFF }
  }
}
