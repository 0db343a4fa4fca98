import ImageModel

struct FeedItem: Sendable, Hashable {
  /// The identifier of the one story of a plain list.
  static let listID = "list"

  var story: FeedStory
  /// The day of a date without a time, or the one that it is filed under.
  var day: DayKey?
  /// When it was published, in seconds since 1970.
  var published: Int?
  /// What the feed specifies as dates, if none of it can be read.
  var unreadDate: String?
  var page: StoryPage?
  /// Whether it has no images but some that are relative to an unknown URL.
  var hasRelativeImages = false
  /// The identifier that the feed gives the item, besides its link; `nil` for none. Items may share
  /// it; see ``name``.
  var guid: String?

  /// Creates an item from the parts of one in a feed: of identifiers and of texts in HTML the first
  /// that is not empty is used, of dates the first that can be read. URLs in the texts are relative
  /// to `base`.
  init(
    ids: [String?], title: String?, authors: [String?], link: String?, images: ItemImages,
    dates: [String?], texts: [String?], base: String
  ) {
    let id = ids.compactMap(\.self).first { !$0.isEmpty }
    guid = id == link && (ids.first ?? nil)?.isEmpty ?? true ? nil : id
    story = FeedStory(id: id ?? "", title: title ?? "")
    var names: [String] = []
    for author in authors.compactMap(\.self) {
      let name = author.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      if !name.isEmpty, !names.contains(name) { names.append(name) }
    }
    story.hint = names.isEmpty ? nil : names.joined(separator: ", ")
    story.url = link
    story.images = images.images(of: story.id)
    hasRelativeImages = story.images.isEmpty && images.hasRelative
    let date = dates.lazy.compactMap { $0.flatMap(FeedDate.value) }.first
    (published, day) = (date?.moment, date?.day)
    if date == nil { unreadDate = dates.compactMap(\.self).first { !$0.isEmpty } }
    page = texts.compactMap(\.self).first { !$0.isEmpty }
      .map { StoryPage(title: story.title, url: base, html: $0) }
    if id == nil { rename(to: "item-" + digest) }
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
  var isListed: Bool { story.isList && story.images.count == 1 }
}

extension FeedStory {
  /// Whether it is a plain list of URLs.
  var isList: Bool { id == FeedItem.listID && link == nil && title.isEmpty }
}

extension FeedDay {
  /// Creates a day from its items; the URLs of a plain list become one story.
  init(
    day: DayKey, items: some Sequence<FeedItem>, source: LoadSource = .network,
    of feed: FeedReference? = nil
  ) {
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
    self.init(day: day, stories: stories, source: source)
    origin = feed?.url
    setFeed { _ in feed }
  }
}
