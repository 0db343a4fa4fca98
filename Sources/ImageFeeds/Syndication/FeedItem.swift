/// One item of a feed, with its day where the feed tells it.
struct FeedItem: Sendable, Hashable {
  /// The identifier of the one story that the URLs of a plain list make up.
  static let listID = "list"

  /// The item and its images.
  var story: FeedStory
  /// The day in UTC+8 on which the item was published; `nil` where the feed does not say.
  var day: DayKey?
  /// The text that the item brings along; `nil` for none.
  var page: StoryPage?

  /// Keeps the first text that says anything as the item's page.
  ///
  /// - Parameter base: The address against which relative ones in the text are meant.
  mutating func keepText(_ texts: [String?], base: String) {
    guard let html = texts.compactMap(\.self).first(where: { !$0.isEmpty }) else { return }
    page = StoryPage(title: story.title, url: base, html: html)
  }

  /// Whether it is one URL of a plain list.
  var isListed: Bool {
    story.id == Self.listID && story.link == nil && story.title.isEmpty && story.images.count == 1
  }

  /// What the item is recognised by when the feed is read again.
  ///
  /// Its identifier; where that only counts items, its title and images, and of a list the URL.
  var key: String {
    if isListed { return story.images[0].url }
    guard story.link == nil, story.id.hasPrefix("item-"), Int(story.id.dropFirst(5)) != nil else {
      return story.id
    }
    return ([story.title] + story.images.map(\.url)).joined(separator: "\n")
  }
}

extension FeedDay {
  /// The items of one day; the URLs of a plain list make up one story.
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
