import Testing

@testable import CachePolicies
@testable import DiskCaching
@testable import ImageCodecs
@testable import ImageFeeds
@testable import ImageModel
@testable import ImagePipeline
@testable import ThumbnailServer
@testable import TestSupport

/// URLs that differ in bytes and are equal as `String`: two spellings of a letter, as different
/// systems write them, and Unicode compatibility characters.
@Suite struct `Equivalent URLs` {
  /// The last part of a path, and another one that is equal to it.
  static let pairs = [
    ("caf\u{E9}.jpg", "cafe\u{301}.jpg"), ("K.jpg", "\u{212A}.jpg"),
    ("\u{AC00}.jpg", "\u{1100}\u{1161}.jpg"),
  ]

  @Test(arguments: pairs)
  func `are different keys`(one: String, other: String) {
    #expect(one == other)
    #expect(ExactString(one) != ExactString(other))
    #expect(ExactString(one) == ExactString(String(decoding: Array(one.utf8), as: UTF8.self)))
    #expect(Set([one, other].map(ExactString.init)).count == 2)
    #expect(CacheKey.original(url: one) != CacheKey.original(url: other))
    #expect(Set([one, other].map { MemoryKey(ExactString($0)) }).count == 2)
    #expect(Set([one, other].map { ImageRequest(url: $0).memoryKey(cacheURL: $0) }).count == 2)
    #expect(ExactString("") == ExactString(""))
    #expect(ExactString("") != ExactString("a"))
  }

  @Test(arguments: pairs)
  func `are different images in memory, on disk and in flight`(
    one: String, other: String
  ) async throws {
    let fields = ["Cache-Control: max-age=600"]
    let sizes = [30, 40]
    let scripts = try zip([one, other], sizes).map { name, width in
      let path = try #require(WebURL("http://h/\(name)")).target
      let image = try ImageCodecs.encodePNG(SampleImages.gradient(width, 20))
      return (path, [FaultyOrigin.Answer.whole(image, fields: fields)])
    }
    let server = try await ServerFixture(Dictionary(uniqueKeysWithValues: scripts))
    let targets = [one, other].map { server.image("/\($0)") }
    // Together, and from memory.
    async let first = server.get(targets[0])
    async let second = server.get(targets[1])
    var bodies = [try await first.body, try await second.body]
    for target in targets { bodies.append(try await server.get(target).body) }
    #expect(try bodies.map { try ImageCodecs.info(of: $0.span.bytes).size.width } == sizes + sizes)
  }

  @Test(arguments: pairs)
  func `count as two in a list and in a day`(one: String, other: String) throws {
    let urls = [one, other].map { "http://h/\($0)" }
    let list = try URLListFeed.contents(of: Array(urls.joined(separator: "\n").utf8))
    #expect(list.items.count == 2)
    var day = FeedDay(day: DayKey(ordinal: 18000), stories: list.items.map(\.story))
    day.topStories = day.stories
    #expect(day.images.map(\.url).map(ExactString.init) == urls.map(ExactString.init))
    let body = try StoryBody(html: urls.map { "<img src=\"\($0)\">" }.joined(), base: "http://h/")
    #expect(body.imageURLs.count == 2)
  }

  @Test(arguments: pairs)
  func `are filed and stored as two by a feed that drops one`(
    one: String, other: String
  ) async throws {
    let (url, today) = ("https://blog.example/feed", DayKey(ordinal: 20_000))
    let urls = [one, other].map { "http://h/\($0)" }
    let documents = StubDocuments([url: urls[0]])
    let feed = try SyndicationFeed(url: url, documents: documents, today: { today })

    _ = try await feed.days(.latest, policy: .http)
    await documents.answer(url, with: urls[1])
    _ = try await feed.days(.latest, policy: .http)
    let day = try await feed.day(.day(today), policy: .onlyIfCached)

    #expect(Set(day.images.map { ExactString($0.url) }) == Set(urls.map { ExactString($0) }))
  }

  @Test(arguments: pairs)
  func `are purged one by one or together`(one: String, other: String) async throws {
    let directory = TemporaryDirectory()
    let cache = try DiskCache(DiskCache.Configuration(directory: directory.path("cache")))
    let urls = [one, other].map { "http://h/\($0)" }
    let keys = urls.map { CacheKey.original(url: $0) }
    func store() async throws {
      for (index, key) in keys.enumerated() {
        try await cache.store([1, 2, UInt8(index)], CacheRecord(key: key, at: .now))
      }
    }
    try await store()
    #expect(try await cache.purge(CachePurge(urls: [urls[0]])) == 1)
    #expect(await cache.holds(keys[1]))
    try await store()
    #expect(try await cache.purge(CachePurge(urls: urls)) == 2)
    for key in keys { #expect(!(await cache.holds(key))) }
    await cache.close()
  }
}
