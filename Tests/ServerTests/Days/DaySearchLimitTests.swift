import Foundation
import ImageFeeds
import Testing

@testable import ThumbnailServer
@testable import TestSupport

@Suite struct `The limit of a search of days` {
  /// Stories that are top stories of their day as well, as most top stories are.
  private struct StubStories: DayProviding {
    static let days = ["20200617", "20200616", "20200615"].compactMap { DayKey($0) }

    func keptDays() async throws -> [DayKey] { Self.days }

    func day(_ day: DayKey) async throws -> FeedDay? {
      let story = FeedStory(id: "\(day)", title: "cat")
      return FeedDay(day: day, stories: [story], topStories: [story])
    }

    func names(_ url: String) async -> Bool { false }
    func lastRefresh(of day: DayKey) async -> String? { nil }
    func refresh(
      _ query: DayQuery, progress: @escaping @Sendable (RefreshProgress) -> Void
    ) async throws -> RefreshProgress { RefreshProgress() }
  }

  @Test(arguments: [1, 2, 3])
  func `counts each story once`(limit: Int) async throws {
    let server = try await ServerFixture(serving: { $0.days = StubStories() })

    let object = try await server.get("/days?q=cat&limit=\(limit)").object()

    let stories = try #require(object["stories"] as? [[String: Any]])
    #expect(
      stories.map { $0["id"] as? String } == StubStories.days.prefix(limit).map(\.description))
  }
}
