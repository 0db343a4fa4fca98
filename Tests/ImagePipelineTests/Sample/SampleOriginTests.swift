import Foundation
import ImageModel
import Testing

@testable import ImageCodecs
@testable import ImageFeeds
@testable import SampleFeed
@testable import TestSupport

@Suite struct `The sample origin` {
  private let today = DayKey(ordinal: 20_458)
  private let origin = "http://sample.invalid"

  /// The body of a path, of the sample as it is on a day.
  private func body(_ path: String, on today: DayKey? = nil) throws -> [UInt8] {
    let request = try #require(LoopbackRequest(head: Array("GET \(path) HTTP/1.1".utf8)))
    return SampleRoutes(today: today ?? self.today, origin: origin).answer(request).body
  }

  private var feed: ZhihuDaily {
    get throws {
      let day = SampleDay(day: today)
      let paths = ["latest"] + (0..<day.storyCount).map { String(day.id($0)) }
      let answers = try paths.map { path in
        let route = "/api/4/news/" + path
        return (origin + route, String(decoding: try body(route), as: UTF8.self))
      }
      return ZhihuDaily(
        bases: [try ZhihuBase(origin + "/api/4/")],
        documents: StubDocuments(Dictionary(uniqueKeysWithValues: answers)),
        today: { [today] in today })
    }
  }

  @Test func `neighbouring days share three top stories`() async throws {
    let newest = try await feed.day(.latest, policy: .http)
    let older = try ZhihuDailyDecoding.day(
      from: body("/api/4/news/latest", on: today.previous), orElse: today)

    let shared = Set(newest.images.map(\.url)).intersection(older.images.map(\.url))

    #expect(shared.count == 3)
  }

  @Test func `every image of a day is complete, of its format and its size`() async throws {
    let feed = try feed
    let day = try await feed.day(.latest, policy: .http)
    var urls = Set(day.images.map(\.url))
    for story in day.stories.prefix(2) {
      urls.formUnion(try await feed.bodyImages(of: story, policy: .http).map(\.url))
    }
    var formats: Set<ImageFormat> = []
    var sizes: [SampleImage.Kind: [Int]] = [:]
    for url in urls {
      let path = String(url.dropFirst(origin.count))
      let picture = try #require(SampleImage(path: path))
      let bytes = try body(path)
      formats.insert(picture.format)
      sizes[picture.kind, default: []].append(bytes.count)
      #expect(try ImageCodecs.info(of: bytes.span.bytes).size == picture.size)
    }

    #expect(formats == [.jpeg, .png, .gif])
    let medians = sizes.mapValues { $0.sorted()[$0.count / 2] }
    #expect((3000...9000).contains(medians[.thumb] ?? 0), "\(medians)")
    #expect((30_000...75_000).contains(medians[.top] ?? 0), "\(medians)")
  }

  @Test func `equal URLs give equal bytes, different ones do not`() throws {
    let picture = SampleImage(.thumb, day: today, number: 1)

    #expect(try picture.bytes() == picture.bytes())
    #expect(try picture.bytes() != SampleImage(.thumb, day: today, number: 2).bytes())
  }

  @Test func `the images of a page are those that a reader sees, and no counter`() async throws {
    let story = FeedStory(id: String(SampleDay(day: today).id(0)))

    let images = try await feed.bodyImages(of: story, policy: .http)

    let day = SampleDay(day: today)
    let expected = SampleText(origin: "", day: day, number: 0).images + [day.topImage(0)]
    #expect(images.map(\.url) == expected.map { origin + $0.path })
  }
}

/// The JSON of the sample origin, as programs for the real API read it.
@Suite struct `The stories of the sample origin` {
  private static let origin = "http://sample.invalid"
  private let days = (20_450..<20_471).map { SampleDay(day: DayKey(ordinal: $0)) }
  private let answers = SampleAnswers(origin: origin)

  private func object(_ bytes: [UInt8]) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
  }

  private func stories(_ object: [String: Any], _ name: String = "stories") throws
    -> [[String: Any]]
  {
    try #require(object[name] as? [[String: Any]])
  }

  @Test func `have identifiers that lead back to their day and number`() throws {
    for day in days {
      for number in 0..<day.storyCount {
        let place = try #require(SampleDay.story(withID: day.id(number)))
        #expect(place.day.day == day.day && place.number == number)
      }
      #expect(SampleDay.story(withID: day.id(day.storyCount)) == nil)
    }
  }

  @Test func `are six to eight a day, one without an image, one of each special format`() throws {
    for day in days {
      let list = try stories(try object(answers.day(day, withTopStories: false)))
      let images = list.map { ($0["images"] as? [String]) ?? [] }

      #expect((6...8).contains(list.count))
      #expect(images.count(where: \.isEmpty) == 1)
      #expect(images.joined().count(where: { $0.hasSuffix(".png") }) == 1)
      #expect(images.joined().count(where: { $0.hasSuffix(".gif") }) == 1)
      #expect(Set(images.joined()).count == list.count - 1)
      #expect(list.allSatisfy { ($0["id"] as? Int).map { $0 > 0 } == true })
    }
  }

  @Test func `have an array of images in a list, one image as a top story, both on no page`()
    throws
  {
    let day = days[0]
    let list = try object(answers.day(day, withTopStories: true))
    let top = try stories(list, "top_stories")
    let page = try object(answers.page(day, 0))

    #expect(list["date"] as? String == day.day.description)
    #expect(top.count == 5)
    for story in top {
      #expect(story["images"] == nil)
      #expect((story["image"] as? String)?.hasPrefix(Self.origin + "/") == true)
    }
    #expect(page["images"] is [String] && page["image"] is String)
    #expect(page["share_url"] as? String == page["url"] as? String)
  }

  @Test func `of an external article have no text`() throws {
    for number in 0..<days[0].storyCount {
      let page = try object(answers.page(days[0], number))

      #expect((page["body"] == nil) == days[0].isExternal(number))
      #expect((page["type"] as? Int == 1) == days[0].isExternal(number))
    }
  }
}
