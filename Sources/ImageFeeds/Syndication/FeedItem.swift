/// One item of a feed, with its day where the feed tells it.
struct FeedItem: Sendable, Hashable {
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
}
