/// The stories that a search found; see ``DayArchive/stories(matching:ofFeed:limit:)``.
public struct FoundStories: Sendable, Hashable {
  /// A story of a day in the cache.
  public struct Match: Sendable, Hashable {
    /// The newest day that has it.
    public var day: DayKey
    /// The story, as the day has it.
    public var story: FeedStory
    /// Whether its own page is in the cache.
    public var hasPage: Bool

    /// Creates a match.
    public init(day: DayKey, story: FeedStory, hasPage: Bool = false) {
      self.day = day
      self.story = story
      self.hasPage = hasPage
    }
  }

  /// Those with all words in their titles, newest day first, then those with words in their texts.
  public var matches: [Match]
  /// Whether no day was left out that might have more of them.
  public var isComplete: Bool

  /// Creates the result of a search.
  public init(matches: [Match] = [], isComplete: Bool = true) {
    self.matches = matches
    self.isComplete = isComplete
  }

  /// Searches the titles of days, newest first, as
  /// ``DayArchive/stories(matching:ofFeed:limit:)`` does.
  public init(
    matching words: String, ofFeed feed: String? = nil, limit: Int, in days: some Sequence<FeedDay>
  ) {
    var search = StorySearch(FoldedText.terms(of: words), feed, limit)
    for day in days { search.add(StorySearch.stories(of: day)[...], of: day.day) }
    self.init(matches: search.matches)
  }
}
