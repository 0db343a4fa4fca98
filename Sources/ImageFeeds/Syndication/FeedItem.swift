/// One item of a feed, with its day where the feed tells it.
struct FeedItem: Sendable, Hashable {
  /// The item and its images.
  var story: FeedStory
  /// The day in UTC+8 on which the item was published; `nil` where the feed does not say.
  var day: DayKey?
}
