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
  private func query(_ text: String) throws -> DayQuery { .day(try key(text)) }

  private func feed(
    _ documents: StubDocuments, bases: [String] = ["http://127.0.0.1:8900"],
    today: String = "20160322"
  ) throws -> ZhihuDaily {
    let day = try key(today)
    return ZhihuDaily(bases: try bases.map { try ZhihuBase($0) }, documents: documents) { day }
  }

  /// The error of a day that must not be there.
  private func failure(
    of query: DayQuery = .latest, _ feed: ZhihuDaily, policy: CachePolicy = .http
  ) async throws -> ImageError {
    try #require(
      await #expect(throws: ImageError.self) { try await feed.day(query, policy: policy) })
  }

  // MARK: Bases

  @Test(arguments: [
    ("http://127.0.0.1:8900", ["http://127.0.0.1:8900/api/4/", "http://127.0.0.1:8900/"]),
    ("http://127.0.0.1:8900/", ["http://127.0.0.1:8900/api/4/", "http://127.0.0.1:8900/"]),
    ("http://127.0.0.1:8900/api/4", ["http://127.0.0.1:8900/api/4/"]),
    ("http://127.0.0.1:8900/api/4/", ["http://127.0.0.1:8900/api/4/"]),
    ("http://daily.zhihu.com/api/1.2", ["http://daily.zhihu.com/api/1.2/"]),
    ("https://m.cn/zhihudaily/?x=1", ["https://m.cn/zhihudaily/"]),
    ("https://m.cn/api/4/news/latest", ["https://m.cn/api/4/"]),
  ])
  func `a base may be cacheURL in several ways`(text: String, roots: [String]) throws {
    #expect(try ZhihuBase(text).roots == roots)
  }

  @Test(arguments: ["", "127.0.0.1:8900", "ftp://a/", "http://", "http:///x", "file:///etc"])
  func `a base that is not an http(s) URL is refused`(text: String) {
    let error = #expect(throws: ImageError.self) { try ZhihuBase(text) }
    #expect(error?.code == .invalidArgument)
    #expect(throws: ImageError.self) { try FeedSource.zhihuDaily(bases: [text]).check() }
  }

  @Test func `the URL of a feed is checked without a request, and a file is not`() throws {
    let error = #expect(throws: ImageError.self) { try FeedSource.url("https://a:b@/").check() }
    #expect(error?.code == .invalidArgument && error?.message.contains("a:b") == false)
    try FeedSource.url("https://example.org/feed").check()
    for source in [FeedSource.file("no such file"), .standardInput, .sample, .zhihuDaily] {
      try source.check()
    }
  }

  @Test func `the alias and the bare root are tried where the route does not exist`() async throws {
    let documents = StubDocuments(["http://127.0.0.1:8900/stories/latest": latest])

    let day = try await feed(documents).day(.latest, policy: .http)

    #expect(day.images.count == 3)
    #expect(await documents.requests.count == 4)
  }

  @Test(arguments: [ImageError.Code.connectionFailed, .diskFull], [true, false])
  func `the next base is requested when one fails, unless the cache does`(
    code: ImageError.Code, isThere: Bool
  ) async throws {
    let (one, other) = ("https://a/api/4/news/latest", "https://b/api/4/news/latest")
    let documents = StubDocuments([other: isThere ? latest : "<html>"])
    await documents.answer(one, with: ImageError(code, "connection refused"))
    let feed = try feed(documents, bases: ["https://a/api/4", "https://b/api/4"])

    if code == .connectionFailed, isThere {
      #expect(try await feed.day(.latest, policy: .http).origin == other)
      #expect(await documents.requests == [one, other])
    } else {
      let error = try await failure(feed)
      #expect(error.code == code)
      guard code == .connectionFailed else {
        #expect(await documents.requests.count == 1)
        return
      }
      #expect(
        error.message == "cannot get latest from https://a/api/4: connection refused; "
          + "https://b/api/4: the response is HTML, not JSON")
    }
  }

  // MARK: Days

  @Test func `latest is the newest day with its top stories, and today while it is of today`()
    async throws
  {
    let documents = StubDocuments([root + "news/latest": latest])

    for query in [.latest, try query("20160322")] {
      let day = try await feed(documents).day(query, policy: .http)

      #expect(day.day.description == "20160322")
      #expect(
        day.images.map(\.url) == ["http://a/1.jpg", "http://a/top1.jpg", "http://a/top9.jpg"])
      #expect(day.origin == root + "news/latest")
    }
    #expect(await documents.requests == Array(repeating: root + "news/latest", count: 2))
  }

  @Test(arguments: [false, true])
  func `the top stories of a past day count when its latest was cached, also before a newer one`(
    isReplaced: Bool
  ) async throws {
    let documents = StubDocuments([
      root + "news/latest": latest, root + "news/before/20160323": list("20160322", 1, 2),
    ])
    let feed = try feed(documents, today: "20160401")
    _ = try await feed.day(.latest, policy: .http)
    if isReplaced {
      await documents.answer(
        root + "news/latest",
        with:
          #"{"date":"20160401","stories":[{"id":5}],"top_stories":[{"id":5,"image":"http://a/5"}]}"#
      )
      _ = try await feed.day(.latest, policy: .http)
    }

    let day = try await feed.day(query("20160322"), policy: .http)

    #expect(day.stories.map(\.id) == ["1", "2"])
    #expect(day.topStories.map(\.id) == ["1", "9"])
  }

  @Test(arguments: [
    // Before six o'clock latest is yesterday's.
    ("20160323", "20160323", "day 20160323 has no stories"),
    ("20160301", "20160322", "another day, 20160322"),
    // These are not asked for.
    ("20130518", "20160322", ""), ("20160323", "20160322", ""),
  ])
  func `a day without stories, of another date, before the first or after today is not found`(
    text: String, today: String, message: String
  ) async throws {
    let documents = StubDocuments([
      root + "news/latest": latest, root + "news/before/20160324": list("20160323"),
      root + "news/before/20160302": list("20160322", 1),
    ])

    let error = try await failure(of: query(text), feed(documents, today: today))

    #expect(error.code == .dayNotFound)
    #expect(message.isEmpty || error.message.contains(message))
    #expect(await documents.requests.isEmpty == message.isEmpty)
  }

  // MARK: Without the origin

  @Test func `offline, a day is listed from the cache without a request, also from its latest`()
    async throws
  {
    let documents = StubDocuments([
      root + "news/latest": latest, root + "news/before/20160302": list("20160301", 7),
    ])
    let feed = try feed(documents, today: "20160322")
    _ = try await feed.day(.latest, policy: .http)
    _ = try await feed.day(query("20160301"), policy: .http)
    await documents.clearLog()

    let newest = try await feed.day(.latest, policy: .onlyIfCached)
    let past = try await feed.day(query("20160301"), policy: .onlyIfCached)
    let byDate = try await feed.day(query("20160322"), policy: .onlyIfCached)
    let later = try await self.feed(documents, today: "20160501")
      .day(query("20160322"), policy: .onlyIfCached)

    #expect([newest, past, byDate, later].map(\.images.count) == [3, 1, 3, 3])
    #expect(past.source == .disk && past.warnings.isEmpty)
    let missing = try await failure(of: query("20160302"), feed, policy: .onlyIfCached)
    #expect(missing.code == .notCached)
    #expect(await documents.requests.isEmpty)
  }

  @Test func `when no base can be reached, a cached past day is used, and no cached latest`()
    async throws
  {
    let documents = StubDocuments([
      root + "news/latest": latest, root + "news/before/20160302": list("20160301", 7),
    ])
    let feed = try feed(documents)
    _ = try await feed.day(.latest, policy: .http)
    _ = try await feed.day(query("20160301"), policy: .http)
    await documents.failAll(with: ImageError(.timedOut, "no answer in 30 s"))

    let day = try await feed.day(query("20160301"), policy: .http)

    #expect(day.images.count == 1)
    #expect(day.warnings.count == 1 && day.warnings[0].contains("no answer in 30 s"))
    #expect(try await failure(feed).code == .timedOut)
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

  // MARK: Pages

  @Test func `the images of a story's page are those in its text and its header`() async throws {
    let documents = StubDocuments([
      root + "news/7": """
      {"id":7,"title":"T","image":"http://a/header.jpg","image_source":"A / CC0",\
      "body":"<p onclick=x>b<img src=\\"http://a/b.jpg?x=1&amp;y=2\\"></p>"}
      """,
      root + "story/8":
        #"{"id":8,"type":1,"image":"http://a/8.jpg","share_url":"http://daily.zhihu.com/story/8"}"#,
    ])
    let feed = try feed(documents)
    let story = FeedStory(id: "7", title: "from the list")

    let images = try await feed.bodyImages(of: story, policy: .http)
    let none = try await feed.bodyImages(of: FeedStory(id: "8"), policy: .http)
    let page = try #require(try await feed.page(of: story, policy: .onlyIfCached))

    #expect(
      images == [
        FeedImage(url: "http://a/b.jpg?x=1&y=2", role: .body, storyID: "7", index: 0),
        FeedImage(url: "http://a/header.jpg", role: .body, storyID: "7", index: 1),
      ])
    #expect(none.isEmpty)
    #expect(page.title == "T" && page.header == "http://a/header.jpg")
    #expect(page.headerCredit == "A / CC0")
    #expect(try page.sanitized { _ in nil } == "<p>b</p>")
  }

  @Test func `a page that is missing is an error, and an identifier without a number has none`()
    async throws
  {
    let documents = StubDocuments([:])
    let feed = try feed(documents)

    // It is never put into a URL.
    #expect(try await feed.bodyImages(of: FeedStory(id: "../latest"), policy: .http).isEmpty)
    #expect(await documents.requests.isEmpty)
    let offline = await #expect(throws: ImageError.self) {
      try await feed.page(of: FeedStory(id: "7"), policy: .onlyIfCached)
    }
    let missing = await #expect(throws: ImageError.self) {
      try await feed.bodyImages(of: FeedStory(id: "7"), policy: .http)
    }
    #expect(offline?.code == .notCached)
    #expect(missing?.code == .httpStatus && missing?.status == 404)
    #expect(missing?.message.contains("story 7") == true)
  }
}
