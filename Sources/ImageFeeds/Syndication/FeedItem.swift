import ImageModel

/// One item of a feed, with its day if the feed has it.
struct FeedItem: Sendable, Hashable {
  /// The identifier of the one story of a plain list.
  static let listID = "list"

  var story: FeedStory
  /// The day in UTC+8 on which the item was published; `nil` if the feed does not specify it.
  var day: DayKey?
  /// The moment of publication in seconds since 1970; `nil` if the feed does not specify it.
  var published: Int?
  /// What the feed specifies as dates, if none of it can be read.
  var unreadDate: String?
  var page: StoryPage?
  /// The identifier that the feed gives the item, besides its link; `nil` for none. Items may share
  /// it; see ``name``.
  var guid: String?

  /// Creates an item from the parts of one in a feed.
  ///
  /// - Parameters:
  ///   - ids: The identifiers, of which the first that is not empty is used, else the title and
  ///     date.
  ///   - dates: The dates, of which the first that can be read is used.
  ///   - texts: The texts as HTML, of which the first that is not empty becomes the page.
  ///   - base: The URL that relative ones in the texts refer to.
  init(
    ids: [String?], title: String?, authors: [String?], link: String?,
    images: ItemImages,
    dates: [String?], texts: [String?], base: String
  ) {
    let id = ids.compactMap(\.self).first { !$0.isEmpty }
    guid = id == link && (ids.first ?? nil)?.isEmpty ?? true ? nil : id
    story = FeedStory(id: id ?? "", title: title ?? "")
    story.hint = Self.line(of: authors)
    story.url = link
    story.images = images.images(of: story.id)
    published = dates.lazy.compactMap { $0.flatMap(FeedDate.moment) }.first
    day = published.flatMap(FeedDate.day(of:))
    if day == nil { unreadDate = dates.compactMap(\.self).first { !$0.isEmpty } }
    page = texts.compactMap(\.self).first { !$0.isEmpty }
      .map { StoryPage(title: story.title, url: base, html: $0) }
    if id == nil { rename(to: "item-" + digest) }
  }

  private static func line(of authors: [String?]) -> String? {
    var names: [String] = []
    for author in authors {
      let name = (author ?? "").split(whereSeparator: \.isWhitespace).joined(separator: " ")
      if !name.isEmpty, !names.contains(name) { names.append(name) }
    }
    return names.isEmpty ? nil : names.joined(separator: ", ")
  }

  init(story: FeedStory, day: DayKey? = nil) {
    self.story = story
    self.day = day
    guid = Self.guid(of: story)
  }

  /// The identifier in a feed that a story's one comes from, unless it is known to be another.
  static func guid(of story: FeedStory) -> String? {
    story.id == listID || story.id.hasPrefix("item-") || story.id == story.link ? nil : story.id
  }

  /// Whether it is one URL of a plain list.
  var isListed: Bool {
    story.id == Self.listID && story.link == nil && story.title.isEmpty && story.images.count == 1
  }
}

extension FeedDay {
  /// Creates a day from its items; the URLs of a plain list become one story.
  init(day: DayKey, items: some Sequence<FeedItem>) {
    var stories: [FeedStory] = []
    var list: Int?
    for item in items {
      if item.isListed, let list {
        stories[list].images += item.story.images
      } else {
        if item.isListed { list = stories.count }
        stories.append(item.story)
      }
    }
    self.init(day: day, stories: stories)
  }
}
