import Foundation
import ImageModel
import Testing

@testable import ImageFeeds
@testable import TestSupport

@Suite(.needsFixtures) struct `Recorded responses` {
  @Test(arguments: RecordedDays.names)
  func `every recorded day decodes with all of its images`(name: String) throws {
    let bytes = try SharedFixtures.bytes("zhihu/api/days/\(name)")

    let day = try ZhihuDailyDecoding.day(from: bytes, orElse: DayKey(ordinal: 0))

    #expect(day.day.description == name.prefix(8))
    #expect(day.images.count == Set(day.images.map(\.url)).count)
    #expect(try Set(day.images.map(\.url)) == RecordedDays.imageURLs(in: bytes))
    #expect(day.warnings.isEmpty)
    #expect(day.storiesWithoutImages.isEmpty)
  }

  @Test func `there are 23 recorded days, and responses of each other kind`() {
    #expect(RecordedDays.names.count == 23)
    #expect(RecordedDays.edgeNames.count >= Self.edgeDays.count + Self.edgeRefusals.count)
    #expect(RecordedDays.detailNames.count >= 4)
  }

  private static let edgeDays = [
    "mirror-envelope-20250429.json": (4, 9), "purify-empty_images.json": (1, 0),
    "purify-empty_stories.json": (0, 0), "purify-multiple_images.json": (1, 0),
    "purify-no_images.json": (1, 0), "purify-normal.json": (2, 0),
  ]
  private static let edgeRefusals: [String: ImageError.Code] = [
    "launch-empty-2017-06.json": .notAFeed, "purify-error_stories.json": .notJSON,
    "purify-no_stories.json": .notAFeed,
  ]

  @Test(arguments: RecordedDays.edgeNames)
  func `an edge case decodes, or is refused with a clear message`(name: String) throws {
    let bytes = try SharedFixtures.bytes("zhihu/api/edge/\(name)")

    if let (stories, images) = Self.edgeDays[name] {
      let day = try ZhihuDailyDecoding.day(from: bytes, orElse: DayKey(ordinal: 17_000))
      #expect(day.stories.count == stories)
      #expect(day.images.count == images)
    } else if let code = Self.edgeRefusals[name] {
      let error = #expect(throws: ImageError.self) {
        try ZhihuDailyDecoding.day(from: bytes, orElse: DayKey(ordinal: 17_000))
      }
      #expect(error?.code == code)
    } else {
      #expect(name == "20241009-story-without-images.json")
      #expect(try ZhihuDailyDecoding.story(from: bytes).story.id == "9776089")
    }
  }

  @Test(arguments: RecordedDays.detailNames)
  func `every recorded story page decodes`(name: String) throws {
    let page = try ZhihuDailyDecoding.story(
      from: SharedFixtures.bytes("zhihu/api/detail/\(name)"))

    #expect(page.story.id == name.prefix { $0 != "." })
    #expect(page.body?.isEmpty == false && page.header != nil)
  }
}
