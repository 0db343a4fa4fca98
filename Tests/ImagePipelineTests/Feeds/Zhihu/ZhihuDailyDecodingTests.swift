import ImageModel
import Testing

@testable import ImageFeeds

@Suite struct `Zhihu Daily responses` {
  private let someDay = DayKey(ordinal: 17_000)

  private func day(_ json: String) throws -> FeedDay {
    try ZhihuDailyDecoding.day(from: Array(json.utf8), orElse: someDay)
  }

  @Test func `the response format of 2013 has news with one image each`() throws {
    let day = try day(
      #"""
      {"date":"20131211","news":[{"image":"http:\/\/p4.zhimg.com\/c8\/d0\/a.jpg",
        "thumbnail":"http://p3.zhimg.com/t.jpg","share_image":"http://d0.zhimg.com/s.jpg",
        "id":2195224,"title":"\u4ed6","url":"http://daily.zhihu.com/api/1.2/news/2195224",
        "share_url":"http://daily.zhihu.com/story/2195224","ga_prefix":"121121"}],
        "is_today":false,"top_stories":[{"id":2195224,"image":"http://p4.zhimg.com/c8/d0/a.jpg"}]}
      """#)

    #expect(day.day.description == "20131211")
    #expect(day.stories.map(\.title) == ["他"])
    #expect(day.stories.first?.link == "http://daily.zhihu.com/api/1.2/news/2195224")
    #expect(day.images.map(\.url) == ["http://p4.zhimg.com/c8/d0/a.jpg"])
    #expect(day.images.first?.role == .story)
    #expect(day.topStories.first?.images.first?.role == .topStory)
    #expect(day.warnings.isEmpty)
  }

  @Test func `the response format of today has hue, hint and page`() throws {
    let day = try day(
      #"""
      {"date":"20240522","stories":[{"image_hue":"0x85807E","title":"a\r\nb","hint":"x · 3 分钟阅读",
        "url":"https://daily.zhihu.com/story/9","ga_prefix":"052207","type":0,"id":9,"multipic":true,
        "images":["https://pic1.zhimg.com/v2-f.jpg?source=8673f162"]}]}
      """#)

    let story = try #require(day.stories.first)
    #expect(story.hue == "85807e" && story.hint == "x · 3 分钟阅读" && story.isMultipic)
    #expect(story.title == "a\r\nb")
    #expect(story.images.map(\.url) == ["https://pic1.zhimg.com/v2-f.jpg?source=8673f162"])
  }

  @Test func `an envelope is unwrapped, and stories stamped with another day are noted`() throws {
    let day = try day(
      #"""
      {"code":200,"message":"success","data":{"date":"20250429","stories":[{"id":1,"ga_prefix":"042807",
       "images":["https://picx.zhimg.com/a.jpg"]}],"top_stories":[]}}
      """#)

    #expect(day.day.description == "20250429" && day.images.count == 1)
    #expect(day.warnings == ["the answer is dated 20250429 but its stories are stamped 0428"])
  }

  @Test(arguments: [
    ("", ImageError.Code.notJSON, "empty"),
    ("This is not normal!", .notJSON, "This is not normal!"),
    (#"{"date":"20160322","stories":[{"id":1"#, .notJSON, "incomplete"),
    ("[]", .notAFeed, "not an object"), ("{}", .notAFeed, "without a date"),
    ("3", .notAFeed, "not an object"), (#"{"creatives":[]}"#, .notAFeed, "without a date"),
    (#"{"status":1,"error_msg":"not found"}"#, .notAFeed, "not found"),
    (#"{"id":1,"title":"a"}"#, .notAFeed, "single story"),
    (#"{"data":{"data":{"data":{"data":{"stories":[]}}}}}"#, .notAFeed, "without a date"),
  ])
  func `a document that is not a day is refused with a clear message`(
    text: String, code: ImageError.Code, word: String
  ) {
    let error = #expect(throws: ImageError.self) { try day(text) }

    #expect(error?.code == code)
    #expect(error?.message.contains(word) == true)
    #expect(error?.message.contains("\n") == false)
  }

  @Test func `endless nesting is refused and not followed`() {
    let error = #expect(throws: ImageError.self) {
      try day(String(repeating: "[", count: 200_000) + String(repeating: "]", count: 200_000))
    }
    #expect(error?.code == .notJSON)
  }

  @Test func `a byte-order mark or bytes of another encoding affect nothing else`() throws {
    let text = #"{"date":"20160322","stories":[{"id":1,"title":"?","images":["http://a/1.jpg"]}]}"#
    let bytes = [0xEF, 0xBB, 0xBF] + text.utf8.map { $0 == UInt8(ascii: "?") ? 0xD6 : $0 }

    let day = try ZhihuDailyDecoding.day(from: bytes, orElse: someDay)

    #expect(day.images.count == 1)
    #expect(day.stories.first?.title.isEmpty == false)
  }

  @Test(arguments: [
    #"{"stories":[]}"#, #"{"date":"20160322"}"#, #"{"news":null,"date":"20160322"}"#,
    #"{"stories":{},"date":"x"}"#,
  ])
  func `a day without stories is valid, and without a date that which was asked for`(text: String)
    throws
  {
    let day = try day(text)

    #expect(day.images.isEmpty)
    #expect(day.day == (text.contains("2016") ? DayKey("20160322") : someDay))
  }
}
