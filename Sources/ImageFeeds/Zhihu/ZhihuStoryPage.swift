/// The answer of the API about a single story.
public struct ZhihuStoryPage: Sendable, Hashable {
  /// The story with its list images.
  public var story: FeedStory
  /// The large picture above the text.
  public var header: String?
  /// The text as HTML; external articles have none.
  public var body: String?
  /// What was odd but did no harm, one line each.
  public var warnings: [String]
}
