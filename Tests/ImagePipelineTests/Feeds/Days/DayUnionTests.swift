import ImagePipeline
import Testing

@testable import ImageFeeds

@Suite struct `The union of a day` {
  private let key = DayKey(ordinal: 20_000)

  private func story(_ id: String, _ urls: [String], title: String = "") -> FeedStory {
    var story = FeedStory(id: id, title: title)
    story.images = urls.enumerated().map {
      FeedImage(url: $1, role: .story, storyID: id, index: $0)
    }
    return story
  }

  private func union(_ days: [[FeedStory]]) throws -> DayUnion {
    try #require(
      DayUnion(days.enumerated().map { ($0, FeedDay(day: key, stories: $1)) }))
  }

  @Test func `no feeds give no day, and one feed gives its own day`() throws {
    #expect(DayUnion([]) == nil)
    let stories = [story("1", ["a"]), story("1", ["b"]), story("2", [])]
    #expect(try union([stories]).day.stories == stories)
  }

  @Test func `the stories of all feeds are included, each under its own identifier`() throws {
    let union = try union([
      [story("list", ["a", "b"])], [story("list", ["b", "c"])],
      [story("list", ["d"]), story("7", [])],
    ])

    #expect(union.day.stories.map(\.id) == ["list", "list-2", "list-3", "7"])
    #expect(union.day.images.map(\.url) == ["a", "b", "c", "d"])
    #expect(union.day.stories[1].images.allSatisfy { $0.storyID == "list-2" })
    let origin = try #require(union.origin(of: "list-3"))
    #expect(origin.feed == 2 && origin.story.id == "list")
    #expect(union.origin(of: "list-4") == nil)
  }

  @Test func `a story named by two feeds appears once, with the images of both`() throws {
    let union = try union([
      [story("7", ["http://a/1"], title: "t")],
      [story("7", ["http://b/1"], title: "t"), story("8", [], title: "u")],
    ])

    #expect(union.day.stories.map(\.id) == ["7", "8"])
    #expect(union.day.images.map(\.url) == ["http://a/1", "http://b/1"])
    #expect(union.origin(of: "7")?.feed == 0)
  }

  @Test func `a top story keeps its story's identifier`() throws {
    let first = FeedDay(
      day: key, stories: [story("7", ["a"], title: "t")],
      topStories: [story("7", ["A"], title: "t")])
    let second = FeedDay(
      day: key, stories: [story("7", ["x"], title: "other")],
      topStories: [story("7", ["X"], title: "other")])

    let union = try #require(DayUnion([(0, first), (1, second)]))

    #expect(union.day.stories.map(\.id) == ["7", "7-2"])
    #expect(union.day.topStories.map(\.id) == ["7", "7-2"])
    #expect(union.day.images.map(\.url) == ["a", "x", "A", "X"])
  }
}
