import Foundation
import ImageFeeds
import ImageModel
import Testing

@testable import SampleFeed

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

  @Test func `have a line break in a title on Mondays alone`() throws {
    let broken = days.filter { $0.title(0).contains(where: \.isNewline) }

    #expect(broken.count == 3)
    for day in broken {
      // A day that is known to be a Monday is a whole number of weeks away.
      let monday = try #require(DayKey("20200615"))
      #expect((day.day.ordinal - monday.ordinal) % 7 == 0)
    }
    #expect(days.allSatisfy { !$0.title(1).contains(where: \.isNewline) })
  }

  @Test func `show in their text four images, one of them twice, and a counter`() {
    for number in 0..<6 {
      let text = SampleText(origin: Self.origin, day: days[0], number: number)
      let urls = text.images.map { Self.origin + $0.path }

      #expect(Set(urls).count == 4)
      #expect(
        urls.map { text.html.components(separatedBy: "\"\($0)\"").count - 1 } == [1, 2, 1, 1])
      #expect(text.html.contains("sugar.zhihu.com"))
    }
  }

  @Test func `of one author share the author's image`() {
    let avatars = days.map { SampleText(origin: Self.origin, day: $0, number: 1).images[0].path }

    #expect(Set(avatars).count == 1)
  }

  @Test(arguments: [
    "-5", "0", "9", "99999999999", "9223372036854775807", "-9223372036854775808",
    "9223372036854775808", "1e9", "",
  ])
  func `are not found by a number that is none`(id: String) throws {
    let routes = SampleRoutes(today: days[0].day, origin: Self.origin)
    for kind in ["news", "stories", "story"] {
      let head = "GET /api/4/\(kind)/\(id) HTTP/1.1\r\nHost: a"
      let request = try #require(LoopbackRequest(head: Array(head.utf8)))

      #expect(routes.answer(request).status == 404, "\(kind)")
    }
  }
}
