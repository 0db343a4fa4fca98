import DiskCaching
import Foundation
import ImageFetching
import ImageModel
import ImagePipeline
import Testing

@testable import ImageFeeds
@testable import TestSupport

/// The list of days with their counts, over real documents and images from an origin on loopback.
@Suite(.timeLimit(.minutes(5))) struct `Day summaries` {
  private let june16 = DayKey(ordinal: 18_429)
  private let june17 = DayKey(ordinal: 18_430)

  /// An archive of two days of Zhihu Daily, each with a document and an image of its own.
  private final class Fixture: Sendable {
    let origin: FeedOrigin
    let archive: DayArchive
    /// Readings of the clock: one for each pass that finds nothing changed.
    let clockReadings = Locked(0)
    let documents: DocumentCounter
    private let scratch: Scratch

    init() async throws {
      origin = try FeedOrigin(images: ["a", "b"])
      // The day is in the path of the day after it.
      for (day, next, number, image) in [
        ("20200617", "20200618", 1, "a"), ("20200616", "20200617", 2, "b"),
      ] {
        let story = #"{"id":\#(number),"images":["\#(origin.image(image))"]}"#
        origin.origin["/api/4/news/before/\(next)"] = [
          .whole(Array(#"{"date":"\#(day)","stories":[\#(story)]}"#.utf8))
        ]
      }
      scratch = try Scratch()
      let fixture = try ArchiveFixture(scratch) { [clockReadings] in
        clockReadings.withLock { $0 += 1 }
        return Date()
      }
      documents = fixture.documents
      archive = fixture.archive(.zhihuDaily(bases: [origin.url("/api/4/")]))
      try await archive.prefetch([DayRequest("20200616...20200617")])
    }

    deinit { origin.stop() }

    /// The directory as another process opens it.
    func other() throws -> DiskCache {
      try DiskCache(DiskCache.Configuration(directory: scratch / "cache"))
    }

    /// The document of a day.
    func document(_ day: String) -> String { origin.url("/api/4/news/before/\(day)") }
  }

  @Test func `count stories and images, and are not read again while nothing has changed`()
    async throws
  {
    let fixture = try await Fixture()
    _ = fixture.documents.take()

    let first = try await fixture.archive.summaries()
    let read = fixture.documents.take()
    let again = try await fixture.archive.summaries()

    #expect(first.map(\.day) == [june17, june16] && again == first)
    #expect(
      first.allSatisfy { $0.storyCount == 1 && $0.imageCount == 1 && $0.cachedImageCount == 1 })
    #expect(first.allSatisfy { $0.refreshedAt != nil })
    // The prefetch has kept what they need.
    #expect(read == [] && fixture.documents.take() == [])
  }

  @Test func `a day that another process changes is read again, alone`() async throws {
    let fixture = try await Fixture()
    _ = try await fixture.archive.summaries()
    _ = fixture.documents.take()
    let other = try fixture.other()

    _ = try await other.purge(CachePurge(urls: [fixture.origin.image("b")]))
    let purged = try await fixture.archive.summaries()
    let readForImage = fixture.documents.take()
    let key = CacheKey.document(url: fixture.document("20200617"))
    try await other.store(
      Array(#"{"date":"20200616","stories":[]}"#.utf8), CacheRecord(key: key, at: Date()))
    let changed = try await fixture.archive.summaries()

    #expect(purged.map(\.cachedImageCount) == [1, 0] && readForImage == [])
    #expect(changed.map(\.day) == [june17])
    #expect(fixture.documents.take() == [fixture.document("20200617")])
  }

  @Test func `a removed and an added day are noticed`() async throws {
    let fixture = try await Fixture()
    let before = try await fixture.archive.summaries()

    _ = try await fixture.archive.remove(june16)
    let removed = try await fixture.archive.summaries()
    try await fixture.archive.prefetch([DayRequest("20200616")])
    let added = try await fixture.archive.summaries()

    #expect(removed.map(\.day) == [june17])
    #expect(added.map(\.day) == before.map(\.day))
    #expect(added.map(\.cachedImageCount) == [1, 1])
  }

  @Test func `calls at the same time share a pass`() async throws {
    let fixture = try await Fixture()
    let summaries = DaySummaries()
    _ = try await summaries.all(of: fixture.archive)
    fixture.clockReadings.withLock { $0 = 0 }

    // Each reaches the actor before the first one's pass has a turn on it.
    let calls = await Self.begin(32, summaries, fixture.archive)
    var lists: [[DaySummary]] = []
    for call in calls { lists.append(try await call.value) }

    #expect(Set(lists).count == 1 && lists[0].count == 2)
    // The first pass, and one for all that came during it.
    #expect((1...2).contains(fixture.clockReadings.withLock { $0 }))
  }

  /// Calls from within the actor, so that none runs before all have been made.
  private static func begin(
    _ count: Int, _ summaries: isolated DaySummaries, _ archive: DayArchive
  ) -> [Task<[DaySummary], any Error>] {
    (0..<count).map { _ in Task { try await summaries.all(of: archive) } }
  }

  @Test func `a call that is cancelled does not end the pass of another`() async throws {
    let fixture = try await Fixture()
    let summaries = DaySummaries()

    let calls = await Self.begin(2, summaries, fixture.archive)
    calls[0].cancel()
    let list = try await calls[1].value

    #expect(list.count == 2)
  }
}
