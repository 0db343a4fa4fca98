import ImageModel
import Testing

@testable import ImageFeeds
@testable import TestSupport

@Suite struct `Zhihu Daily` {
  private let root = "http://127.0.0.1:8900/api/4/"
  private let latest = """
    {"date":"20160322","stories":[{"id":1,"images":["http://a/1.jpg"]}],
     "top_stories":[{"id":1,"image":"http://a/top1.jpg"},{"id":9,"image":"http://a/top9.jpg"}]}
    """

  private func list(_ date: String, _ ids: Int...) -> String {
    let stories = ids.map { #"{"id":\#($0),"images":["http://a/\#($0).jpg"]}"# }
    return #"{"date":"\#(date)","stories":[\#(stories.joined(separator: ","))]}"#
  }

  private func key(_ text: String) throws -> DayKey { try #require(DayKey(text)) }

  private func feed(
    _ documents: StubDocuments, bases: [String] = ["http://127.0.0.1:8900"],
    today: String = "20160322"
  ) throws -> ZhihuDaily {
    let day = try key(today)
    return ZhihuDaily(bases: try bases.map { try ZhihuBase($0) }, documents: documents) { day }
  }

  @Test(arguments: [
    ("http://127.0.0.1:8900", ["http://127.0.0.1:8900/api/4/", "http://127.0.0.1:8900/"]),
    ("http://127.0.0.1:8900/", ["http://127.0.0.1:8900/api/4/", "http://127.0.0.1:8900/"]),
    ("http://127.0.0.1:8900/api/4", ["http://127.0.0.1:8900/api/4/"]),
    ("http://127.0.0.1:8900/api/4/", ["http://127.0.0.1:8900/api/4/"]),
    ("http://daily.zhihu.com/api/1.2", ["http://daily.zhihu.com/api/1.2/"]),
    ("https://m.cn/zhihudaily/?x=1", ["https://m.cn/zhihudaily/"]),
    ("https://m.cn/api/4/news/latest", ["https://m.cn/api/4/"]),
  ])
  func `a base may be spelled in several ways`(text: String, roots: [String]) throws {
    #expect(try ZhihuBase(text).roots == roots)
  }

  @Test(arguments: ["", "127.0.0.1:8900", "ftp://a/", "http://", "http:///x", "file:///etc"])
  func `a base that is not an http(s) URL is refused`(text: String) {
    let error = #expect(throws: ImageError.self) { try ZhihuBase(text) }
    #expect(error?.code == .invalidArgument)
  }

  @Test func `latest is the newest day with its top stories`() async throws {
    let documents = StubDocuments([root + "news/latest": latest])

    let day = try await feed(documents).day(.latest, policy: .http)

    #expect(day.day.description == "20160322")
    #expect(day.images.map(\.url) == ["http://a/1.jpg", "http://a/top1.jpg", "http://a/top9.jpg"])
    #expect(day.origin == root + "news/latest")
    #expect(await documents.requests == [root + "news/latest"])
  }

  @Test func `a past day is requested by the day after it`() async throws {
    let documents = StubDocuments([root + "news/before/20160301": list("20160229", 1, 2)])

    let day = try await feed(documents).day(.day(key("20160229")), policy: .http)

    #expect(day.stories.map(\.id) == ["1", "2"])
    #expect(await documents.requests == [root + "news/before/20160301"])
  }

  @Test func `the top stories of a past day count when its latest was cached`() async throws {
    let documents = StubDocuments([
      root + "news/latest": latest, root + "news/before/20160323": list("20160322", 1, 2),
    ])
    _ = try await feed(documents).day(.latest, policy: .http)

    let day = try await feed(documents, today: "20160401")
      .day(.day(key("20160322")), policy: .http)

    #expect(day.stories.map(\.id) == ["1", "2"])
    #expect(day.topStories.map(\.id) == ["1", "9"])
  }

  @Test func `a newer latest does not replace the one cached for an older day`() async throws {
    let documents = StubDocuments([
      root + "news/latest": latest, root + "news/before/20160323": list("20160322", 1),
    ])
    let feed = try feed(documents, today: "20160401")
    _ = try await feed.day(.latest, policy: .http)
    await documents.answer(
      root + "news/latest",
      with:
        #"{"date":"20160401","stories":[{"id":5}],"top_stories":[{"id":5,"image":"http://a/5"}]}"#)
    _ = try await feed.day(.latest, policy: .http)

    let day = try await feed.day(.day(key("20160322")), policy: .http)

    #expect(day.topStories.map(\.id) == ["1", "9"])
  }

  @Test func `today is latest while latest is of today`() async throws {
    let documents = StubDocuments([root + "news/latest": latest])

    let day = try await feed(documents).day(.day(key("20160322")), policy: .http)

    #expect(day.topStories.count == 2)
  }

  @Test func `before six o'clock latest is yesterday's, and today has no stories yet`() async throws
  {
    let documents = StubDocuments([
      root + "news/latest": latest, root + "news/before/20160324": list("20160323"),
    ])
    let feed = try feed(documents, today: "20160323")

    let error = await #expect(throws: ImageError.self) {
      try await feed.day(.day(key("20160323")), policy: .http)
    }

    #expect(error?.code == .dayNotFound)
    #expect(error?.message == "day 20160323 has no stories")
  }

  @Test func `a response for another day than requested is refused`() async throws {
    let documents = StubDocuments([root + "news/before/20160302": list("20160322", 1)])

    let error = await #expect(throws: ImageError.self) {
      try await feed(documents).day(.day(key("20160301")), policy: .http)
    }

    #expect(error?.code == .dayNotFound)
    #expect(error?.message.contains("another day, 20160322") == true)
  }

  @Test(arguments: ["20130518", "20160323"])
  func `days before the first and after today are refused without a request`(text: String)
    async throws
  {
    let documents = StubDocuments([:])

    let error = await #expect(throws: ImageError.self) {
      try await feed(documents).day(.day(key(text)), policy: .http)
    }

    #expect(error?.code == .dayNotFound)
    #expect(await documents.requests.isEmpty)
  }

  @Test func `the alias and the bare root are tried where the route does not exist`() async throws {
    let documents = StubDocuments(["http://127.0.0.1:8900/stories/latest": latest])

    let day = try await feed(documents).day(.latest, policy: .http)

    #expect(day.images.count == 3)
    #expect(await documents.requests.count == 4)
  }

  @Test func `the next base is requested when the first fails`() async throws {
    let documents = StubDocuments(["https://b/api/4/news/latest": latest])
    await documents.answer(
      "https://a/api/4/news/latest", with: ImageError(.connectionFailed, "connection refused"))

    let feed = try feed(documents, bases: ["https://a/api/4", "https://b/api/4"])
    let day = try await feed.day(.latest, policy: .http)

    #expect(day.origin == "https://b/api/4/news/latest")
    #expect(
      await documents.requests == ["https://a/api/4/news/latest", "https://b/api/4/news/latest"])
  }

  @Test func `when every base fails, one line gives the reason of each`() async throws {
    let documents = StubDocuments(["https://b/api/4/news/latest": "<html>"])
    await documents.answer(
      "https://a/api/4/news/latest", with: ImageError(.connectionFailed, "connection refused"))
    let feed = try feed(documents, bases: ["https://a/api/4", "https://b/api/4"])

    let error = await #expect(throws: ImageError.self) {
      try await feed.day(.latest, policy: .http)
    }

    #expect(error?.code == .connectionFailed)
    #expect(
      error?.message == "cannot get latest from https://a/api/4: connection refused; "
        + "https://b/api/4: the response is HTML, not JSON")
  }

  @Test(arguments: [
    ("", ImageError.Code.notJSON), ("Too many requests", .notJSON), ("{}", .notAFeed),
    (#"{"date":"20160322","stories":[]}"#, .dayNotFound),
  ])
  func `a response that is not a day is an error with its own code`(
    text: String, code: ImageError.Code
  ) async throws {
    let documents = StubDocuments([root + "news/latest": text])

    let error = await #expect(throws: ImageError.self) {
      try await feed(documents).day(.latest, policy: .http)
    }

    #expect(error?.code == code)
  }

  @Test func `a cache failure stops at once, before other bases are tried`() async throws {
    let documents = StubDocuments([:])
    await documents.answer(
      "https://a/api/4/news/latest", with: ImageError(.diskFull, "the disk is full"))
    let feed = try feed(documents, bases: ["https://a/api/4", "https://b/api/4"])

    let error = await #expect(throws: ImageError.self) {
      try await feed.day(.latest, policy: .http)
    }

    #expect(error?.code == .diskFull)
    #expect(await documents.requests.count == 1)
  }

  @Test func `offline, a day is listed from the cache without a request`() async throws {
    let documents = StubDocuments([
      root + "news/latest": latest, root + "news/before/20160302": list("20160301", 7),
    ])
    let feed = try feed(documents)
    _ = try await feed.day(.latest, policy: .http)
    _ = try await feed.day(.day(key("20160301")), policy: .http)
    await documents.clearLog()

    let newest = try await feed.day(.latest, policy: .onlyIfCached)
    let past = try await feed.day(.day(key("20160301")), policy: .onlyIfCached)
    let byDate = try await feed.day(.day(key("20160322")), policy: .onlyIfCached)

    #expect(newest.images.count == 3 && past.images.count == 1 && byDate.images.count == 3)
    #expect(past.source == .disk && past.warnings.isEmpty)
    #expect(await documents.requests.isEmpty)
  }

  @Test func `offline, a day of which only latest was cached is listed from that`() async throws {
    let documents = StubDocuments([root + "news/latest": latest])
    _ = try await feed(documents).day(.latest, policy: .http)

    let day = try await feed(documents, today: "20160501")
      .day(.day(key("20160322")), policy: .onlyIfCached)

    #expect(day.images.count == 3)
  }

  @Test func `offline, a day that was never loaded has its own error code`() async throws {

    let error = await #expect(throws: ImageError.self) {
      try await feed(StubDocuments([:])).day(.day(key("20160301")), policy: .onlyIfCached)
    }

    #expect(error?.code == .notCached)
  }

  @Test func `a cached past day is used when no base can be reached`() async throws {
    let documents = StubDocuments([root + "news/before/20160302": list("20160301", 7)])
    let feed = try feed(documents)
    _ = try await feed.day(.day(key("20160301")), policy: .http)
    await documents.failAll(with: ImageError(.timedOut, "no answer in 30 s"))

    let day = try await feed.day(.day(key("20160301")), policy: .http)

    #expect(day.images.count == 1)
    #expect(day.warnings.count == 1 && day.warnings[0].contains("no answer in 30 s"))
  }

  @Test func `a stale response is not used for latest when the origin fails`() async throws {
    let documents = StubDocuments([root + "news/latest": latest])
    let feed = try feed(documents)
    _ = try await feed.day(.latest, policy: .http)
    await documents.failAll(with: ImageError(.timedOut, "no answer in 30 s"))

    await #expect(throws: ImageError.self) {
      try await feed.day(.latest, policy: .http)
    }
  }

  @Test func `the API receives one request at a time`() async throws {
    let days = try key("20160301")...key("20160310")
    let documents = StubDocuments(
      Dictionary(
        uniqueKeysWithValues: days.map { (root + "news/before/\($0.next)", list("\($0)", 1)) }))
    let feed = try feed(documents)

    try await withThrowingTaskGroup(of: FeedDay.self) { group in
      for day in days { group.addTask { try await feed.day(.day(day), policy: .http) } }
      try await group.waitForAll()
    }

    #expect(await documents.requests.count == 10)
    #expect(await documents.highWater == 1)
  }

  @Test func `the images of a story's page are those in its text and its header`()
    async throws
  {
    let documents = StubDocuments([
      root + "news/7": """
      {"id":7,"image":"http://a/header.jpg","body":"<p><img src=\\"http://a/b.jpg?x=1&amp;y=2\\">\
      </p>"}
      """,
      root + "story/8":
        #"{"id":8,"type":1,"image":"http://a/8.jpg","share_url":"http://daily.zhihu.com/story/8"}"#,
    ])
    let feed = try feed(documents)

    let images = try await feed.bodyImages(of: FeedStory(id: "7"), policy: .http)
    let none = try await feed.bodyImages(of: FeedStory(id: "8"), policy: .http)

    #expect(
      images == [
        FeedImage(url: "http://a/b.jpg?x=1&y=2", role: .body, storyID: "7", index: 0),
        FeedImage(url: "http://a/header.jpg", role: .body, storyID: "7", index: 1),
      ])
    #expect(none.isEmpty)
  }

  @Test func `a story with a missing page is an error that names it`() async throws {
    let error = await #expect(throws: ImageError.self) {
      try await feed(StubDocuments([:])).bodyImages(of: FeedStory(id: "7"), policy: .http)
    }

    #expect(error?.code == .httpStatus && error?.status == 404)
    #expect(error?.message.contains("story 7") == true)
  }

  @Test func `an identifier that is not a number has no page and is never put into a URL`()
    async throws
  {
    let documents = StubDocuments([:])

    let images = try await feed(documents)
      .bodyImages(of: FeedStory(id: "../latest"), policy: .http)

    #expect(images.isEmpty)
    #expect(await documents.requests.isEmpty)
  }
}
