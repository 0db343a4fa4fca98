import ImageFeeds
import ImagePipeline

/// The images of the days asked for, day after day; the next day is loaded when its turn comes.
///
/// A day that cannot be had is reported through `events` and passed over.
struct PrefetchSequence: AsyncSequence {
  /// What happens beside the images.
  enum Event: Sendable {
    case day(FeedDay)
    case dayFailed(DayQuery, ImageError)
    case storyFailed(FeedStory, DayKey, ImageError)
  }

  let feeds: [any ImageFeed]
  let requests: [DayRequest]
  let daysEach: Int
  let options: FeedOptions
  /// Whether the images inside the story pages are wanted too.
  let includesBodies: Bool
  let events: @Sendable (Event) async -> Void

  func makeAsyncIterator() -> Iterator { Iterator(self) }

  struct Iterator: AsyncIteratorProtocol {
    private let sequence: PrefetchSequence
    private var plans: [(feed: any ImageFeed, plan: DayPlan)]
    private var images: ArraySlice<PrefetchItem> = []
    private var stories: ArraySlice<FeedStory> = []
    private var feed: (any ImageFeed)?
    private var day: DayKey?
    private var seen: Set<String> = []

    init(_ sequence: PrefetchSequence) {
      self.sequence = sequence
      plans = sequence.feeds.map {
        ($0, DayPlan(sequence.requests, daysEach: sequence.daysEach, today: $0.today))
      }
    }

    mutating func next() async throws -> PrefetchItem? {
      while true {
        if let item = images.popFirst() { return item }
        if let story = stories.popFirst(), let feed, let day {
          try await loadBody(of: story, on: day, from: feed)
        } else if try await !loadDay() {
          return nil
        }
      }
    }

    /// Returns whether there was another day to try.
    private mutating func loadDay() async throws -> Bool {
      guard !plans.isEmpty else { return false }
      guard let query = plans[0].plan.next() else {
        plans.removeFirst()
        return true
      }
      let feed = plans[0].feed
      do {
        let answer = try await feed.day(query, options: sequence.options)
        plans[0].plan.note(answer.day, answering: query)
        await sequence.events(.day(answer))
        self.feed = feed
        day = answer.day
        images = answer.images.map { PrefetchItem(day: answer.day, image: $0) }[...]
        seen = Set(images.map(\.image.url))
        if sequence.includesBodies {
          var pages: Set<String> = []
          stories =
            (answer.stories + answer.topStories).filter { pages.insert($0.id).inserted }[...]
        }
      } catch let error as ImageError {
        await sequence.events(.dayFailed(query, error))
      }
      return true
    }

    private mutating func loadBody(
      of story: FeedStory, on day: DayKey, from feed: any ImageFeed
    ) async throws {
      do {
        images =
          try await feed.bodyImages(of: story, options: sequence.options)
          .filter { seen.insert($0.url).inserted }
          .map { PrefetchItem(day: day, image: $0) }[...]
      } catch let error as ImageError {
        await sequence.events(.storyFailed(story, day, error))
      }
    }
  }
}
