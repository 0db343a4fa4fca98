import ImageModel

struct FeedContents: Sendable, Hashable {
  /// The title of the feed.
  var title: String?
  var items: [FeedItem] = []
  var warnings: [String] = []
  /// Where the document has no items, but names feeds.
  var directory: FeedDirectory?
}

extension FeedContents {
  /// Reads RSS 0.9 to 2.0, Atom or JSON Feed, OPML, a web page, a response of Zhihu Daily saved to a
  /// file, or else a list of URLs; the bytes decide which, not a media type.
  ///
  /// - Parameter zone: That of the days of items whose dates have times.
  init(
    reading bytes: [UInt8], base: String, mediaType: String? = nil, zone: DayZone = .utcPlus8
  ) throws(ImageError) {
    let text = DocumentText(bytes, mediaType: mediaType)
    switch text.bytes.first(where: { $0 > 0x20 }) {
    case nil: throw ImageError(.notAFeed, "the feed is empty")
    case UInt8(ascii: "<"): self = try Self.xml(text, base: base)
    case UInt8(ascii: "{"), UInt8(ascii: "["): self = try Self.json(text.bytes, base: base)
    default: self = try URLListFeed.contents(of: text.bytes, from: bytes)
    }
    for index in items.indices where items[index].day == nil {
      items[index].day = items[index].published.map(zone.day)
    }
    warnings = text.warnings + warnings
    if items.isEmpty, directory == nil { warnings.append("the feed has no items") }
    warnOfDates()
    let relative = items.count(where: \.hasRelativeImages)
    if relative > 0 {
      warnings.append(
        "the addresses of the images of \(relative) of \(items.count) items are relative, and the feed names no URL of its own"
      )
    }
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
    func page() throws(ImageError) -> FeedContents {
      let html = String(decoding: text.bytes, as: UTF8.self)
      return FeedContents(directory: try FeedDirectory(page: html, base: base))
    }
    if FeedDirectory.isPage(text.bytes) { return try page() }
    let xml = try Markup.xml(text)
    var contents: FeedContents
    switch xml.root.name.lowercased() {
    case "rss", "rdf": contents = RSSReading(base: base).contents(of: xml.root)
    case "feed": contents = AtomReading(base: base).contents(of: xml.root)
    case "opml": contents = FeedContents(directory: try FeedDirectory(opml: xml, text, base: base))

    case "html": return try page()
    default:
      throw ImageError(
        .notAFeed,
        "the response is XML of the kind \(xml.root.name.prefix(40)), not RSS, Atom or OPML")
    }
    if let fault = xml.fault, contents.directory == nil {
      if contents.items.isEmpty {
        throw ImageError(.notAFeed, "\(fault), and no item can be read")
      }
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
