import Testing

@testable import ImageFeeds
@testable import ImageModel

@Suite struct `A list of Zhihu Daily` {
  private func list(_ stories: String, date: String = "20200616") throws -> ZhihuDailyList {
    try ZhihuDailyDecoding.list(
      from: Array(#"{"date":"\#(date)","stories":[\#(stories)]}"#.utf8))
  }

  @Test(
    arguments: [
      ("0xB3947D", "b3947d"), ("#B3947D", "b3947d"), ("b3947d", "b3947d"), ("", nil),
      ("0xB3947", nil), ("0xB3947DFF", nil), ("0xGGGGGG", nil), ("0XB3947D", "b3947d"),
    ] as [(String, String?)])
  func `has the hue of a story, or none`(text: String, hue: String?) throws {
    #expect(try list(#"{"id":1,"image_hue":"\#(text)"}"#).stories[0].hue == hue)
  }

  private static let images: [(json: String, urls: [String])] = [
    (#""images":["http://a/1","HTTPS://a/2"]"#, ["http://a/1", "HTTPS://a/2"]),
    (#""images":"http://a/1""#, ["http://a/1"]),
    (#""images":[],"image":"http://a/1""#, ["http://a/1"]),
    (#""images":null,"image":"http://a/1""#, ["http://a/1"]),
    (#""images":[{"url":"http://a/1"}]"#, ["http://a/1"]), (#""images":[]"#, []), (#""x":1"#, []),
    (#""images":["","ftp://a","http://a/1"]"#, ["http://a/1"]),
    (#""images":["https://sugar.zhihu.com/1.gif","http://a/1"]"#, ["http://a/1"]),
    (#""images":[1,true,null,["http://a/2"]]"#, []),
  ]

  @Test(arguments: images)
  func `has the images of a story in any form, numbered`(json: String, urls: [String]) throws {
    let story = try list("{\"id\":7,\(json)}").stories[0]

    #expect(story.images.map(\.url) == urls)
    #expect(story.images.map(\.index) == Array(urls.indices))
    #expect(story.images.allSatisfy { $0.storyID == "7" && $0.role == .story })
  }

  @Test func `warns of what is not a story or an image, and not of an empty one`() throws {
    let long = String(repeating: "x", count: 100)
    let list = try list(
      #"1,{"title":"a"},null,{"id":"7","images":["","data:\#(long)",5]},{"id":7.0}"#)

    #expect(list.stories.map(\.id) == ["entry-1", "7", "7"])
    let entries = list.warnings.filter { $0.hasPrefix("entry ") }
    #expect(
      entries == ["entry 0 of the list is not a story", "entry 2 of the list is not a story"])
    #expect(list.warnings.count { $0.hasPrefix("story 7 has an image that is not") } == 2)
    #expect(list.warnings.count == 4 && list.warnings.allSatisfy { $0.utf8.count < 130 })
  }

  @Test(arguments: [
    (#""061607""#, "061607"), ("61607", "061607"), (#""61607""#, "061607"), ("101607", "101607"),
  ])
  func `has a stamp of six digits, also where it came as a number`(json: String, stamp: String)
    throws
  {
    #expect(try list(#"{"id":1,"ga_prefix":\#(json)}"#).stories[0].publicationPrefix == stamp)
  }

  @Test(arguments: [("061607", false), ("061507", true)])
  func `warns only where all stories have the stamp of another day`(stamp: String, warns: Bool)
    throws
  {
    let list = try list(#"{"id":1,"ga_prefix":"061507"},{"id":2,"ga_prefix":"\#(stamp)"}"#)

    #expect(list.warnings.contains { $0.contains("stamped 0615") } == warns)
  }

  @Test(arguments: [#""url":"javascript:alert(1)""#, #""url":"","share_url":"x""#, #""url":7"#])
  func `has no link that is not an http(s) URL`(json: String) throws {
    #expect(try list("{\"id\":1,\(json)}").stories[0].link == nil)
  }

  @Test func `gains from another list what it lacks, in the order of both`() throws {
    var one = try list(#"{"id":1,"title":"a"},{"id":2}"#)
    let other = try list(#"{"id":3},{"id":1,"title":"b"}"#)

    one.formUnion(other)

    #expect(one.stories.map(\.id) == ["1", "2", "3"])
    #expect(one.stories[0].title == "a")
  }
}
