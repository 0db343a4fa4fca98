import ImageModel

struct FeedContents: Sendable, Hashable {
  var items: [FeedItem] = []
  var warnings: [String] = []
}

extension FeedContents {
  /// Reads RSS 0.9 to 2.0, Atom or JSON Feed, a response of Zhihu Daily saved to a file, or else a
  /// list of URLs; the bytes decide which, not a media type.
  init(reading bytes: [UInt8], base: String, mediaType: String? = nil) throws(ImageError) {
    let text = DocumentText(bytes, mediaType: mediaType)
    switch text.bytes.first(where: { $0 > 0x20 }) {
    case nil: throw ImageError(.notAFeed, "the feed is empty")
    case UInt8(ascii: "<"): self = try Self.xml(text, base: base)
    case UInt8(ascii: "{"), UInt8(ascii: "["): self = try Self.json(text.bytes, base: base)
    default: self = try URLListFeed.contents(of: text.bytes, from: bytes)
    }
    warnings = text.warnings + warnings
    if items.isEmpty { warnings.append("the feed has no items") }
    warnOfDates()
  }

  /// The most warnings of one kind; further ones are counted.
  static let maximumWarningCount = 10

  private mutating func warnOfDates() {
    let undated = items.compactMap { item in item.unreadDate.map { (item.story, $0) } }
    for (story, date) in undated.prefix(Self.maximumWarningCount) {
      let name = String((story.title.isEmpty ? story.id : story.title).prefix(60)).debugDescription
      let date = String(date.prefix(60)).debugDescription
      warnings.append("the date \(date) of the item \(name) cannot be read")
    }
    let rest = undated.count - Self.maximumWarningCount
    if rest > 0 { warnings.append("\(rest) more dates cannot be read") }
  }

  private static func xml(_ text: DocumentText, base: String) throws(ImageError) -> FeedContents {
    let xml = try Markup.xml(text)
    var contents: FeedContents
    switch xml.root.name.lowercased() {
    case "rss", "rdf": contents = RSSReading(base: base).contents(of: xml.root)
    case "feed": contents = AtomReading(base: base).contents(of: xml.root)
    case "html": throw ImageError(.notAFeed, "the response is an HTML page, not a feed")
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
    // Line breaks and tabs, which strings may not have, but some do.
    let json = try ParsedJSON(parsing: bytes.map { max($0, 0x20) })
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
}
