import DiskCaching
import Foundation
import HTTPTypes
import ImageFeeds
import ImageModel
import Testing
import TextEncodings

@testable import ThumbnailServer
@testable import TestSupport

/// Days as `/days` describes them, with images that are cached, missing or unknown.
@Suite struct `The description of a day` {
  private let directory = TemporaryDirectory()
  private let cache: DiskCache
  private let day: FeedDay

  private static let urls = ["http://a.test/1.jpg", "http://a.test/2.jpg", "http://a.test/3.jpg?é"]

  init() throws {
    cache = try DiskCache(DiskCache.Configuration(directory: directory.path("cache")))
    var story = FeedStory(id: "9/ü", title: "標題")
    story.images = Self.urls.enumerated().map {
      FeedImage(url: $1, role: .story, storyID: "9/ü", index: $0)
    }
    var blank = FeedStory(id: "10", title: " \n")
    blank.url = "https://example.org/a/photo%201.jpg?x"
    day = FeedDay(
      day: try #require(DayKey("20200617")), stories: [story, blank], topStories: [story],
      warnings: ["one"])
  }

  private func described(
    between neighbours: (DayKey?, DayKey?) = (nil, nil), page: String? = nil
  ) async throws -> [String: Any] {
    let description = await DayDescription(
      day, refreshedAt: "2020-06-17T00:00:00Z", between: neighbours, cache: cache,
      links: ImageLinks(signer: nil), page: { _ in page })
    let bytes = try JSONText.encoded(description, inSnakeCase: true)
    return try #require(JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
  }

  private func images(_ day: [String: Any]) throws -> [[String: Any]] {
    let stories = try #require(day["stories"] as? [[String: Any]])
    return try #require(stories.first?["images"] as? [[String: Any]])
  }

  private func storeFirst() async throws {
    var record = CacheRecord(key: .original(url: Self.urls[0]), at: Date())
    record.format = .jpeg
    record.size = PixelSize(width: 40, height: 30)
    record.dominantColor = 0x00_0A_FF
    record.thumbHash = [1, 2, 3]
    _ = try await cache.store([1, 2, 3, 4], record)
  }

  @Test func `has what the cache knows of an image, and nothing of one that it lacks`() async throws
  {
    try await storeFirst()
    var missing = CacheRecord(key: .original(url: Self.urls[1]), at: Date())
    missing.failure = .httpStatus
    missing.status = 404
    missing.expires = Date() + 3600
    try cache.core.storeNegative(missing)

    let images = try images(try await described())

    #expect(images.map { $0["cached"] as? Bool } == [true, false, false])
    #expect(images[0]["width"] as? Int == 40 && images[0]["height"] as? Int == 30)
    #expect(images[0]["format"] as? String == "jpeg" && images[0]["bytes"] as? Int == 4)
    #expect(images[0]["dominant_color"] as? String == "#000aff")
    #expect(images[0]["thumb_hash"] as? String == "AQID")
    for image in images[1...] {
      for name in ["width", "bytes", "format", "dominant_color", "thumb_hash"] {
        #expect(image[name] == nil, "\(name)")
      }
    }
  }

  @Test func `has links that give the image's own URL back`() async throws {
    for (image, url) in zip(try images(try await described()), Self.urls) {
      let thumbs = try #require(image["thumbs"] as? [String: [String: Any]])
      let link = try #require(image["image"] as? String)

      #expect(link.hasPrefix("/image?"))
      #expect(try QueryPairs(target: link)["url"] == url)
      #expect(Set(thumbs.keys) == ["list", "hero", "page"])
      for thumb in thumbs.values {
        for (name, ratio) in [("1x", nil), ("2x", "2")] as [(String, String?)] {
          let query = try QueryPairs(target: try #require(thumb[name] as? String))
          #expect(query["url"] == url)
          #expect(query["w"].flatMap { Int($0) } == thumb["width"] as? Int)
          #expect(query["h"].flatMap { Int($0) } == thumb["height"] as? Int)
          #expect(query["dpr"] == ratio)
          #expect(query["placeholder"] == "1")
        }
      }
    }
  }

  @Test func `has a label for a story without a title`() async throws {
    let stories = try #require(try await described()["stories"] as? [[String: Any]])

    #expect(stories.map { $0["label"] as? String } == ["標題", "example.org · photo 1.jpg"])
    #expect(stories.map { $0["title"] as? String } == ["標題", " \n"])
    #expect(stories[1]["url"] as? String == "https://example.org/a/photo%201.jpg?x")
  }

  @Test func `links its neighbours and pages where there are any`() async throws {
    let alone = try await described()
    let between = try await described(
      between: (DayKey("20200616"), DayKey("20200620")), page: "/days/20200617/stories/9")

    #expect(alone["previous"] == nil && alone["next"] == nil)
    #expect(between["previous"] as? String == "/days/20200616")
    #expect(between["next"] as? String == "/days/20200620")
    let stories = try #require(between["stories"] as? [[String: Any]])
    #expect(stories.allSatisfy { $0["page"] as? String == "/days/20200617/stories/9" })
    #expect(try images(alone).count == 3)
    // A target of one segment.
    let page = ImageLinks(signer: nil).storyPage("9/ü", on: day.day)
    #expect(page == "/days/20200617/stories/9%2F%C3%BC")
  }

  @Test func `in the list of days counts each image once`() {
    let summary = ListedDay(DaySummary(day, cachedImageCount: 1), ImageLinks(signer: nil))

    #expect(summary.day == "20200617" && summary.href == "/days/20200617")
    #expect(summary.stories == 2 && summary.topStories == 1)
    #expect(summary.images == 3 && summary.cached == 1)
    #expect(summary.refreshedAt == nil)
  }
}
