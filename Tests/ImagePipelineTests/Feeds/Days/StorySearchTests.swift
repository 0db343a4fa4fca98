import DiskCaching
import Foundation
import ImagePipeline
import Testing

@testable import ImageFeeds
@testable import ImageModel
@testable import TestSupport

/// The search of stories by their titles and texts, over real documents from an origin on loopback.
@Suite(.timeLimit(.minutes(5))) struct `A search of stories` {
  private typealias Item = (name: String, date: String, title: String, html: String)

  private final class Fixture: Sendable {
    let origin: FeedOrigin
    let scratch: Scratch

    init() throws {
      origin = try FeedOrigin(images: [])
      scratch = try Scratch()
    }

    deinit { origin.stop() }

    /// A cache and archive of its own, as those of another process.
    func open(
      access: DiskCache.Access = .create, headers: OriginHeaders = OriginHeaders()
    ) throws -> Opened {
      try Opened(ArchiveFixture(scratch, access: access, headers: headers))
    }

    /// Publishes a feed; returns its URL.
    func publish(_ path: String, _ items: [Item]) -> FeedSource {
      let text = items.map {
        "<item><guid>\($0.name)</guid><title>\($0.title)</title><pubDate>\($0.date)</pubDate>"
          + "<description><![CDATA[\($0.html)]]></description></item>"
      }.joined()
      origin.origin[path] = [.whole(Array("<rss><channel>\(text)</channel></rss>".utf8))]
      return .url(origin.url(path))
    }

    func prefetch(_ source: FeedSource, _ days: String = "20200601...20200801") async throws {
      var options = DayArchive.Options()
      options.policy = .revalidate
      try await open().fixture.archive(source).prefetch([DayRequest(days)], options: options)
    }
  }

  private struct Opened {
    let fixture: ArchiveFixture
    let archive: DayArchive

    init(_ fixture: ArchiveFixture) {
      self.fixture = fixture
      archive = fixture.archive(.zhihuDaily)
    }

    /// Searches until all days are known, as a search reads for a limited time; returns identifiers.
    func found(_ words: String, ofFeed feed: String? = nil, limit: Int = 20) async throws
      -> [String]
    {
      for _ in 0..<100 {
        let found = try await archive.stories(matching: words, ofFeed: feed, limit: limit)
        if found.isComplete { return found.matches.map(\.story.id) }
      }
      return ["not complete"]
    }

    /// The documents of extracts in the cache.
    func extracts() async -> [String] {
      var names: [String] = []
      for await record in fixture.cache.entries(matching: EntrySelection(kind: .document)) {
        if case .document(let name) = record.key, name.hasPrefix("days#") { names.append(name) }
      }
      return names.sorted()
    }

    /// Removes them, as from a cache of an older version.
    func removeExtracts() async throws {
      let keys = await extracts().map { CacheKey.document(url: $0) }
      #expect(try await fixture.cache.remove(keys) == keys.count && !keys.isEmpty)
    }

    /// How often each document of a feed was read.
    func accesses() async -> [String: Int] {
      var counts: [String: Int] = [:]
      for await record in fixture.cache.entries(matching: EntrySelection(kind: .document)) {
        guard case .document(let name) = record.key, !name.hasPrefix("days#") else { continue }
        counts[name] = record.accessCount
      }
      return counts
    }
  }

  @Test func `finds words of titles first, then of texts, newest first, each story once`()
    async throws
  {
    let fixture = try Fixture()
    let feed = fixture.publish(
      "/feed",
      [
        ("1", "2020-06-16", "A Cat", "<p>nothing</p>"),
        ("2", "2020-06-17", "Dog", "<p>the <b>CA</b>T sleeps</p>"),
        ("3", "2020-07-01", "Bird", "<p>no cat</p><p>cat</p>"),
        ("4", "2020-06-18", "Catalogue", ""),
      ])
    try await fixture.prefetch(feed)
    let opened = try fixture.open()

    #expect(try await opened.found("cat") == ["4", "1", "3", "2"])
    #expect(try await opened.found("cat", limit: 3) == ["4", "1", "3"])
    #expect(try await opened.found("cat", limit: 1) == ["4"])
    // Words may be in the title and in the text.
    #expect(try await opened.found("sleeps dog") == ["2"])
    #expect(try await opened.found("sleeps bird") == [])
    #expect(try await opened.found("cat", ofFeed: fixture.origin.url("/feed")).count == 4)
    #expect(try await opened.found("cat", ofFeed: "none") == [])
    #expect(try await opened.found(" ") == [])
  }

  @Test func `finds what a reader sees, not markup, and entities as their characters`()
    async throws
  {
    let fixture = try Fixture()
    let html = """
      <p class="hidden">Fish&nbsp;&amp; chips &#x4E2D;文，ＡＢＣ</p><script>var secret;</script>\
      <style>.secret {}</style><a href="https://secret/">link</a><!-- secret --><img alt="secret">\
      <ul><li>one</li><li>two</li></ul>wo<em>r</em>d
      """
    try await fixture.prefetch(fixture.publish("/feed", [("1", "2020-06-16", "T", html)]))
    let opened = try fixture.open()

    for words in ["fish", "&", "chips 中文", "中文，abc", "文", "link", "word", "two"] {
      #expect(try await opened.found(words) == ["1"], "\(words)")
    }
    for words in ["secret", "hidden", "amp", "nbsp", "href", "<p>", "onetwo", "var"] {
      #expect(try await opened.found(words) == [], "\(words)")
    }
    let match = try await opened.archive.stories(matching: "fish", limit: 9).matches.first
    let day = try await opened.archive.day(DayKey(ordinal: 18_429))
    #expect(match?.story == day?.stories.first && match?.hasPage == true)
  }

  @Test func `finds words in the texts of Zhihu Daily that were fetched`() async throws {
    let fixture = try Fixture()
    let origin = fixture.origin
    let stories = #"[{"id":1,"title":"标题"},{"id":2,"title":"Another"}]"#
    origin.origin["/api/4/news/before/20200617"] = [
      .whole(Array(#"{"date":"20200616","stories":\#(stories)}"#.utf8))
    ]
    origin.origin["/api/4/story/1"] = [
      .whole(Array(#"{"id":1,"title":"标题","body":"<p>知乎日报的正文</p>"}"#.utf8))
    ]
    origin.origin["/api/4/news/1"] = origin.origin["/api/4/story/1"]
    let archive = try fixture.open().fixture.archive(.zhihuDaily(bases: [origin.url("/api/4/")]))
    try await archive.prefetch([DayRequest("20200616")])
    let opened = try fixture.open()
    let without = try await opened.found("正文")

    var options = DayArchive.Options()
    options.includesPages = true
    try await archive.prefetch([DayRequest("20200616")], options: options)

    #expect(without == [])
    #expect(try await opened.found("日报的正文") == ["1"])
    #expect(try await opened.found("正文 标题") == ["1"])
    #expect(try await opened.found("another") == ["2"])
  }

  @Test(arguments: [false, true])
  func `reads no document of a feed after a start, nor to count days`(isOld: Bool) async throws {
    let fixture = try Fixture()
    try await fixture.prefetch(
      fixture.publish(
        "/feed", [("1", "2020-06-16", "A", "cat"), ("2", "2020-07-16", "B", "cat")]))
    let first = try fixture.open()
    if isOld { try await first.removeExtracts() }
    let (found, summaries) = (try await first.found("cat"), try await first.archive.summaries())

    let second = try fixture.open()
    let before = await second.accesses()

    #expect(try await second.found("cat") == found)
    #expect(try await second.archive.summaries() == summaries)
    #expect(await second.accesses() == before && !before.isEmpty)
    #expect(found == ["2", "1"] && summaries.map(\.storyCount) == [1, 1])
    #expect(await second.extracts().count == 4)
  }

  @Test func `finds what another process has changed, and not what it has removed`() async throws {
    let fixture = try Fixture()
    let dates = ["2020-06-16", "2020-06-17"]
    try await fixture.prefetch(
      fixture.publish("/feed", dates.map { ($0, $0, "A", "old words") }))
    let opened = try fixture.open()
    #expect(try await opened.found("old") == dates.reversed())

    try await fixture.prefetch(
      fixture.publish("/feed", [(dates[0], dates[0], "A", "new words")]), "20200616")
    #expect(try await opened.found("words") == dates.reversed())
    #expect(try await opened.found("new") == [dates[0]])
    #expect(try await opened.found("old") == [dates[1]])

    _ = try await fixture.open().archive.remove(DayKey(ordinal: 18_430))
    #expect(await opened.extracts().filter { $0.contains("texts") } == [])
    #expect(try await opened.found("words") == [dates[0]])
    _ = try await DayRecords(in: fixture.open().fixture.cache).removeAll()
    #expect(await opened.extracts() == [])
    #expect(try await opened.found("words") == [])
  }

  @Test(arguments: [0, 1, 2, 3])
  func `extracts that are damaged, or not extracts, count as absent`(damage: Int) async throws {
    let fixture = try Fixture()
    try await fixture.prefetch(fixture.publish("/feed", [("1", "2020-06-16", "A", "cat")]))
    let first = try fixture.open()
    #expect(try await first.found("cat") == ["1"])
    let summaries = try await first.archive.summaries()

    for name in await first.extracts() {
      let key = CacheKey.document(url: name)
      var bytes = try #require(await first.fixture.cache.read(key)).bytes
      switch damage {
      case 0: bytes[bytes.count / 2] ^= 1
      case 1: bytes.removeLast()
      case 2: bytes = Array("{}".utf8)
      default: bytes = []
      }
      try await first.fixture.cache.store(bytes, CacheRecord(key: key, at: Date()))
    }
    let second = try fixture.open()

    #expect(try await second.found("cat") == ["1"])
    #expect(try await second.archive.summaries() == summaries)
  }

  @Test func `works where nothing can be stored`() async throws {
    let fixture = try Fixture()
    try await fixture.prefetch(fixture.publish("/feed", [("1", "2020-06-16", "A", "cat")]))
    try await fixture.open().removeExtracts()
    let files = FileManager.default
    let folder = fixture.scratch / "cache"
    try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder)
    defer { try? files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder) }
    let opened = try fixture.open(access: .createOrRead)

    for _ in 0..<2 {
      #expect(try await opened.found("cat") == ["1"])
      #expect(try await opened.archive.summaries().map(\.storyCount) == [1])
    }
  }

  @Test func `keeps nothing for others of what is read with credentials`() async throws {
    let fixture = try Fixture()
    try await fixture.prefetch(fixture.publish("/feed", [("1", "2020-06-16", "A", "cat")]))
    let headers = try OriginHeaders([.authorization: "Basic YTpi"], host: "example.org")
    let opened = try fixture.open(headers: headers)
    try await opened.removeExtracts()

    #expect(try await opened.found("cat") == ["1"])
    #expect(try await opened.archive.summaries().map(\.storyCount) == [1])
    #expect(await opened.extracts() == [])
  }

  @Test func `hides what was fetched with credentials from processes without them`() async throws {
    let fixture = try Fixture()
    let feed = fixture.publish("/feed", [("1", "2020-06-16", "A", "cat")])
    let headers = try OriginHeaders([.authorization: "Basic YTpi"], host: "127.0.0.1")
    try await fixture.open(headers: headers).fixture.archive(feed).prefetch([
      DayRequest("20200616")
    ])

    for _ in 0..<2 {
      #expect(try await fixture.open(headers: headers).found("cat") == ["1"])
      #expect(try await fixture.open().found("cat") == [])
    }
  }

  @Test func `does not wait for another one that reads documents, and tells so`() async throws {
    let fixture = try Fixture()
    try await fixture.prefetch(fixture.publish("/feed", [("1", "2020-06-16", "A", "cat")]))
    let opened = try fixture.open()
    let archive = opened.archive
    try await opened.removeExtracts()

    archive.isReadingTexts.withLock { $0 = true }
    let beside = try await archive.stories(matching: "cat", limit: 9)
    archive.isReadingTexts.withLock { $0 = false }
    let after = try await archive.stories(matching: "cat", limit: 9)

    #expect(beside.matches.isEmpty && !beside.isComplete)
    #expect(after.matches.count == 1 && after.isComplete)
  }

  @Test func `an unreadable day hides no other one`() async throws {
    let fixture = try Fixture()
    let origin = fixture.origin
    let path = "/api/4/news/before/20200617"
    origin.origin[path] = [
      .whole(Array(#"{"date":"20200616","stories":[{"id":1,"title":"cat"}]}"#.utf8))
    ]
    let zhihu = FeedSource.zhihuDaily(bases: [origin.url("/api/4/")])
    try await fixture.open().fixture.archive(zhihu).prefetch([DayRequest("20200616")])
    try await fixture.prefetch(fixture.publish("/feed", [("2", "2020-06-17", "cat", "")]))
    let opened = try fixture.open()

    try await opened.fixture.cache.store(
      Array("no JSON".utf8),
      CacheRecord(key: .document(url: origin.url(path)), at: Date()))

    #expect(try await opened.found("cat") == ["2"])
  }
}
