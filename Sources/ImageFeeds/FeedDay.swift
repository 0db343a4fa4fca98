public import ImageModel

/// The stories of a feed for one day.
public struct FeedDay: Sendable, Hashable {
  /// The day in UTC+8.
  public var day: DayKey
  /// The stories in the feed's order.
  public var stories: [FeedStory]
  /// The stories shown large at the top; often of earlier days.
  public var topStories: [FeedStory]
  /// Descriptions of harmless faults, one line each.
  public var warnings: [String]
  /// Which tier answered.
  public var source: LoadSource
  /// The URLs of images that a filter left out; no story of a day from the cache has them.
  public var leftOut: Set<String> = []
  /// The URL of the answer; `nil` when the day was put together from kept answers.
  public var origin: String?

  /// Creates a day.
  public init(
    day: DayKey, stories: [FeedStory] = [], topStories: [FeedStory] = [], warnings: [String] = [],
    source: LoadSource = .network
  ) {
    self.day = day
    self.stories = stories
    self.topStories = topStories
    self.warnings = warnings
    self.source = source
  }

  /// The images of the stories and then of the top stories, each URL once, where it first appears.
  public var images: [FeedImage] {
    var seen: Set<ExactString> = []
    return (stories + topStories).flatMap(\.images).filter {
      seen.insert(ExactString($0.url)).inserted
    }
  }

  /// The feed of its first story; `nil` for a day without any.
  public var feed: FeedReference? { (stories.first ?? topStories.first)?.feed }

  /// Takes images out of the stories.
  mutating func leaveOut(_ urls: Set<String>) {
    guard !urls.isEmpty else { return }
    leftOut = urls
    for list in [\FeedDay.stories, \.topStories] {
      for index in self[keyPath: list].indices {
        self[keyPath: list][index].images.removeAll { urls.contains($0.url) }
      }
    }
  }

  /// Changes the feed that its stories came from.
  mutating func setFeed(_ change: (FeedReference?) -> FeedReference?) {
    for list in [\FeedDay.stories, \.topStories] {
      for index in self[keyPath: list].indices {
        self[keyPath: list][index].feed = change(self[keyPath: list][index].feed)
      }
    }
  }

  /// The stories and top stories that name no image.
  public var storiesWithoutImages: [FeedStory] { (stories + topStories).filter(\.images.isEmpty) }
}
