import ImageFeeds
import ImagePipeline

/// The images of the days asked for, day after day, each URL of a day once; the next day is loaded
/// when its turn comes.
///
/// A day that is not available is reported through `events` and skipped.
struct PrefetchSequence: AsyncSequence {
  /// The days of one feed.
  struct Part: Sendable {
    let feed: any ImageFeed
    let days: FeedDays
  }

  /// What happens beside the images.
  enum Event: Sendable {
    /// A feed gave these days, which come one by one.
    case days([FeedDay], FeedChoice)
    /// A day begins; so many further ones are known of, of all feeds.
    case day(FeedDay, remaining: Int)
    /// Images of a story's page that the day itself does not name.
    case bodies([FeedImage], DayKey)
    case dayFailed(DayQuery, ImageError, FeedChoice)
    case storyFailed(FeedStory, DayKey, ImageError)
  }

  let parts: [Part]
  let options: FeedOptions
  /// Whether the images inside the story pages are wanted too.
  let includesBodies: Bool
  let events: @Sendable (Event) async -> Void

  func makeAsyncIterator() -> Iterator { Iterator(self) }

  struct Iterator: AsyncIteratorProtocol {
    private struct Key: Hashable {
      let day: DayKey
      let url: String
    }

    private let sequence: PrefetchSequence
    private var plans: ArraySlice<(part: Part, plan: DayPlan)>
    /// Days of the part at hand that are loaded already.
    private var days: ArraySlice<FeedDay> = []
    private var images: ArraySlice<PrefetchItem> = []
    private var stories: ArraySlice<FeedStory> = []
    private var part: Part?
    private var day: DayKey?
    /// Of two feeds that name one image on one day the first counts.
    private var seen: Set<Key> = []
    private var count = 0

    init(_ sequence: PrefetchSequence) {
      self.sequence = sequence
      plans =
        sequence.parts.map {
          (
            $0,
            DayPlan($0.days.requests, daysEach: $0.days.daysEach, today: $0.feed.today)
          )
        }[...]
    }

    mutating func next() async throws -> PrefetchItem? {
      while true {
        if let item = images.popFirst() { return item }
        if let story = stories.popFirst(), let part, let day {
          try await loadBody(of: story, on: day, from: part.feed)
        } else if let day = days.popFirst() {
          await begin(day)
        } else if try await !loadDays() {
          return nil
        }
      }
    }

    /// Returns whether there was another day to try.
    private mutating func loadDays() async throws -> Bool {
      guard let first = plans.first else { return false }
      guard let query = plans[plans.startIndex].plan.next() else {
        plans.removeFirst()
        return true
      }
      do {
        let answer = try await first.part.feed.days(query, options: sequence.options)
        plans[plans.startIndex].plan.note(answer.map(\.day), answering: query)
        part = first.part
        days = answer[...]
        await sequence.events(.days(answer, first.part.days.source))
      } catch let error as ImageError {
        await sequence.events(.dayFailed(query, error, first.part.days.source))
      }
      return true
    }

    private mutating func begin(_ answer: FeedDay) async {
      let remaining = days.count + plans.reduce(0) { $0 + $1.plan.remainingCount }
      await sequence.events(.day(answer, remaining: remaining))
      day = answer.day
      images = items(answer.images, on: answer.day)[...]
      if sequence.includesBodies {
        var pages: Set<String> = []
        stories = (answer.stories + answer.topStories).filter { pages.insert($0.id).inserted }[...]
      }
    }

    private mutating func items(_ images: [FeedImage], on day: DayKey) -> [PrefetchItem] {
      images.filter { seen.insert(Key(day: day, url: $0.url)).inserted }.map { image in
        count += 1
        return PrefetchItem(day: day, image: image, number: count)
      }
    }

    private mutating func loadBody(
      of story: FeedStory, on day: DayKey, from feed: any ImageFeed
    ) async throws {
      do {
        let bodies = try await feed.bodyImages(of: story, options: sequence.options)
        await sequence.events(.bodies(bodies, day))
        images = items(bodies, on: day)[...]
      } catch let error as ImageError {
        await sequence.events(.storyFailed(story, day, error))
      }
    }
  }
}
