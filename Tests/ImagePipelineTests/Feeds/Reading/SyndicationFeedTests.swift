import ImageModel
import Testing

@testable import ImageFeeds
@testable import TestSupport

@Suite struct `Syndication feeds` {
  private let today = DayKey(ordinal: 20_000)

  private func feed(_ text: String) -> SyndicationFeed {
    SyndicationFeed(bytes: Array(text.utf8), name: "feed", today: { [today] in today })
  }

  private func contents(_ text: String) throws -> FeedContents {
    try FeedContents(reading: Array(text.utf8), base: "https://blog.example/feed")
  }

  private func rss(_ items: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel>
    <title>t</title><link>https://blog.example/</link>\(items)</channel></rss>
    """
  }

  private static let images: [(feed: String, images: [String])] = [
    (
      """
      <?xml version="1.0" encoding="UTF-8"?><rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"
       xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
       xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><item>
        <title>A &amp; B</title><link>https://blog.example/p/1</link><guid>g1</guid>
        <enclosure url="https://i/1.jpg" type="image/jpeg" length="3"/>
        <enclosure url="https://i/1.mp3" type="audio/mpeg" length="3"/>
        <enclosure url="https://i/2.png?x=1&amp;y=2" type="" length="3"/>
        <media:content url="https://i/3.jpg" medium="image"><media:thumbnail url="https://i/4.jpg"/></media:content>
        <media:content url="https://i/v.mp4" type="video/mp4"/>
        <media:group><media:content url="https://i/5.jpg" type="image/jpeg"/></media:group>
        <itunes:image href="https://i/6.jpg"/>
        <description>&lt;p&gt;&lt;img src="7.jpg?a=1&amp;amp;b=2"&gt;&lt;img src="https://i/1.jpg"&gt;</description>
        <content:encoded><![CDATA[<img data-original="https://i/8.jpg" src="x.gif">]]></content:encoded>
      </item></channel></rss>
      """,
      [
        "story https://i/1.jpg", "story https://i/2.png?x=1&y=2", "story https://i/3.jpg",
        "story https://i/4.jpg", "story https://i/5.jpg", "story https://i/6.jpg",
        "body https://i/8.jpg", "body https://blog.example/p/7.jpg?a=1&b=2",
      ]
    ),
    (
      """
      <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
       xmlns:dc="http://purl.org/dc/elements/1.1/"><channel/><item rdf:about="https://blog.example/1">
       <title>x</title><link>https://blog.example/1</link><dc:date>2016-03-21T16:00:00Z</dc:date>
       <description>&lt;img src=/a.png></description></item></rdf:RDF>
      """, ["body https://blog.example/a.png"]
    ),
    (
      """
      <feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://blog.example/base/"
       xmlns:media="http://search.yahoo.com/mrss/">
      <entry><id>tag:1</id><title type="html">T</title><link href="post/1"/>
       <link rel="enclosure" type="image/png" href="e.png"/><media:thumbnail url="https://i/t.jpg"/>
       <published>2016-03-22T23:59:59+08:00</published><updated>2016-04-01T00:00:00Z</updated>
       <summary type="html">&lt;img src="s.jpg"&gt;</summary>
       <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p><img src="x.jpg?a&amp;b"/></p></div></content>
      </entry><entry><id>tag:2</id><content src="https://i/c.jpg" type="image/jpeg"/></entry></feed>
      """,
      [
        "story https://blog.example/base/e.png", "story https://i/t.jpg",
        "body https://blog.example/base/x.jpg?a&b", "body https://blog.example/base/s.jpg",
        "story https://i/c.jpg",
      ]
    ),
    (
      #"""
      {"version":"https://jsonfeed.org/version/1.1","title":"x","items":[
       {"id":7,"url":"https://blog.example/p/","image":"i.jpg","banner_image":"https://i/b.jpg",
        "content_html":"<img src='c.jpg'>","attachments":[{"url":"https://i/a.png","mime_type":"image/png"},
        {"url":"https://i/a.mp3","mime_type":"audio/mpeg"}]}, 3]}
      """#,
      [
        "story https://blog.example/p/i.jpg", "story https://i/b.jpg", "story https://i/a.png",
        "body https://blog.example/p/c.jpg",
      ]
    ),
    // A saved response of Zhihu Daily.
    (
      #"{"date":"20160322","stories":[{"id":1,"images":["http://a/1.jpg"]}]}"#,
      ["story http://a/1.jpg"]
    ),
  ]

  @Test(arguments: images)
  func `images are named in enclosures, media tags, fields and texts`(
    feed: String, images: [String]
  ) throws {
    #expect(
      try contents(feed).items.flatMap { $0.story.images.map { "\($0.role.rawValue) \($0.url)" } }
        == images)
  }

  @Test func `RSS 1 and Atom have dates, identifiers and links of their own`() throws {
    let items = try [1, 2].flatMap { try contents(Self.images[$0].feed).items }

    #expect(items.map(\.day?.description) == ["20160322", "20160322", nil])
    #expect(items.map(\.story.id) == ["https://blog.example/1", "tag:1", "tag:2"])
    #expect(items[1].story.link == "https://blog.example/base/post/1")
  }

  @Test func `an item's page is its full content, else its description`() throws {
    let feeds = [
      rss(
        """
        <item><title>T</title><link>/p/1</link><description>short</description>
          <encoded>&lt;p&gt;long&lt;/p&gt;</encoded></item>
        """),
      rss("<item><title>T</title><link>/p/1</link><description>short</description></item>"),
      """
      <feed xmlns="http://www.w3.org/2005/Atom"><entry><title>T</title><link href="/p/1"/>
      <summary>a &lt; b</summary></entry></feed>
      """,
      """
      <feed xmlns="http://www.w3.org/2005/Atom"><entry><title>T</title><link href="/p/1"/>
      <summary>s</summary><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"
      ><a href="x?a=1&amp;b=2">1 &lt; 2</a></div></content></entry></feed>
      """,
      """
      <feed xmlns="http://www.w3.org/2005/Atom"><entry><title>T</title><link href="/p/1"/>
      <content type="html">&lt;i&gt;x&lt;/i&gt;</content></entry></feed>
      """,
      #"{"items":[{"id":"1","title":"T","url":"/p/1","content_text":"a <b>"}]}"#,
      #"{"items":[{"id":"1","title":"T","url":"/p/1","content_html":"<b>b</b>","content_text":"b"}]}"#,
    ]

    let pages = try feeds.map { try #require(contents($0).items.first).page }

    #expect(
      pages.map { $0?.html } == [
        "<p>long</p>", "short", "a &lt; b", #"<div><a href="x?a=1&amp;b=2">1 &lt; 2</a></div>"#,
        "<i>x</i>", "a &lt;b&gt;", "<b>b</b>",
      ])
    #expect(pages.allSatisfy { $0?.url == "https://blog.example/p/1" && $0?.title == "T" })
    #expect(try contents(rss("<item><title>T</title></item>")).items.first?.page == nil)
  }

  @Test(arguments: [
    (#"{"items":[{"authors":[{"name":"A"},{"name":" B\n C "},{"name":"A"},{}]}]}"#, "A, B C"),
    (#"{"authors":[{"name":"F"}],"items":[{"id":1}]}"#, "F"),
    (#"{"items":[{"author":{"name":"Old"}}]}"#, "Old"),
    (#"{"items":[{"author":7}]}"#, nil),
    (
      "<feed><author><name>F</name></author><entry><author><name>A</name><email>a@b</email>"
        + "</author><author><name>B</name></author></entry></feed>", "A, B"
    ),
    ("<feed><author><name>F</name></author><entry/></feed>", "F"),
    ("<rss><channel><item><author>a@b.c (A (B))</author></item></channel></rss>", "A (B)"),
    ("<rss><channel><item><author>a@b.c</author></item></channel></rss>", "a@b.c"),
    (
      "<rss><channel><item><author>x</author><dc:creator>A</dc:creator><dc:creator>B</dc:creator>"
        + "</item></channel></rss>", "A, B"
    ),
    ("<rss><channel><item><itunes:author>P</itunes:author></item></channel></rss>", "P"),
    ("<rss><channel><item><author> </author></item></channel></rss>", nil),
  ])
  func `an item's authors are its hint, else those of the feed`(
    feed: String, hint: String?
  ) throws {
    #expect(try contents(feed).items.map(\.story.hint) == [hint])
  }

  @Test func `a page is requested by story, and there is none where the item has no text`()
    async throws
  {
    let feed = feed(
      rss("<item><guid>1</guid><description>d</description></item><item><guid>2</guid></item>"))

    let pages = [
      try await feed.page(of: FeedStory(id: "1"), policy: .http),
      try await feed.page(of: FeedStory(id: "2"), policy: .http),
      try await feed.page(of: FeedStory(id: "3"), policy: .http),
    ]

    #expect(pages.map { $0?.html } == ["d", nil, nil])
  }

  @Test(arguments: [
    ("<title type='html'>Don&amp;#8217;t &lt;b&gt;panic&lt;/b&gt;</title>", "Don’t panic"),
    ("<title type='xhtml'><div>An <em>XHTML</em> title</div></title>", "An XHTML title"),
    ("<title>1 &lt; 2 &amp; 3</title>", "1 < 2 & 3"), ("<title type='text'>&lt;b></title>", "<b>"),
  ])
  func `a title of Atom has no markup`(title: String, text: String) throws {
    let contents = try contents(
      "<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>1</id>\(title)</entry></feed>")

    #expect(contents.items.first?.story.title == text)
  }

  @Test(arguments: [
    ("", "empty"), (" \n", "empty"), ("hello", "begins with \"hello\""),
    ("<!DOCTYPE html><html><body>x</body></html>", "HTML"), ("<html/>", "HTML page"),
    ("<svg/>", "XML of the kind svg"), ("<", "markup"), ("<?xml version='1.0'?>", "XML"),
    ("{\"a\":1}", "neither"), ("[]", "neither"), ("\u{1}\u{2}\u{3}", "empty"), ("a\u{1}", "binary"),
    ("\u{89}PNG\u{0}", "binary"),
  ])
  func `input that is not a feed is refused with a clear message`(text: String, word: String)
    async throws
  {
    let error = await #expect(throws: ImageError.self) {
      try await feed(text).day(.latest, policy: .http)
    }

    #expect(error?.code == .notAFeed)
    #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("\n") == false)
  }

  @Test func `exponentially expanding entities are refused, and endless nesting does no harm`() {
    var text = "<!DOCTYPE rss [<!ENTITY a0 \"lol\">"
    for level in 1...30 {
      text += "<!ENTITY a\(level) \"&a\(level - 1);&a\(level - 1);&a\(level - 1);\">"
    }
    text += "]><rss><channel><item><title>&a30;</title></item></channel></rss>"

    let error = #expect(throws: ImageError.self) { try contents(text) }

    #expect(error?.code == .notAFeed)
    #expect(error?.message.contains("entities") == true)
    #expect(throws: Never.self) {
      _ = try? contents("<rss>" + String(repeating: "<a>", count: 100_000))
      _ = try? contents(String(repeating: "{\"a\":", count: 100_000))
    }
  }

  // MARK: Days

  private var threeDays: String {
    rss(
      [
        ("1", "Tue, 22 Mar 2016 23:00:00 GMT"), ("2", "Tue, 22 Mar 2016 10:00:00 +0800"),
        ("3", "20 Mar 16 09:00 EST"),
      ]
      .map {
        "<item><guid>\($0)</guid><pubDate>\($1)</pubDate>"
          + "<enclosure type='image/png' url='https://i/\($0).png'/></item>"
      }.joined())
  }

  @Test func `latest is the whole feed, each item under its own day, the newest first`()
    async throws
  {
    let days = try await feed(threeDays).days(.latest, policy: .http)
    let newest = try await feed(threeDays).day(.latest, policy: .http)

    #expect(days.map(\.day.description) == ["20160323", "20160322", "20160320"])
    #expect(
      days.flatMap(\.images).map(\.url) == [
        "https://i/1.png", "https://i/2.png", "https://i/3.png",
      ])
    #expect(newest == days[0])
  }

  @Test(
    arguments: [
      ("20160319", nil), ("20160320", ["3"]), ("20160321", []), ("20160322", ["2"]),
      ("20160323", ["1"]), ("20241004", []), ("20241005", nil),
    ] as [(String, [String]?)])
  func `a day is the items published on it in UTC+8, from the oldest item to today`(
    text: String, ids: [String]?
  ) async throws {
    let feed = feed(threeDays)
    let query = DayQuery.day(try #require(DayKey(text)))

    if let ids {
      #expect(try await feed.day(query, policy: .http).stories.map(\.id) == ids)
    } else {
      let error = await #expect(throws: ImageError.self) {
        try await feed.day(query, policy: .http)
      }
      #expect(error?.code == .dayNotFound)
      #expect(error?.message.contains("from 20160320 to 20160323") == true)
    }
  }

  // MARK: Loading

  @Test(arguments: [false, true])
  func `a feed is asked for once in each run, and again where later runs share it`(
    isRemembered: Bool
  ) async throws {
    let address = "https://blog.example/feed"
    func days(_ texts: [String]) -> String {
      rss(
        texts.enumerated().map { number, text in
          "<item><guid>\(number)</guid><title>t</title><pubDate>2020-06-\(15 + number)</pubDate>"
            + "<description>\(text)</description></item>"
        }.joined())
    }
    let documents = StubDocuments([address: days(["one", "two", "three"])])
    var pages: [String] = []
    for _ in 0..<2 {
      let feed = try FeedSource.url(address).feed(
        isRemembered: isRemembered, documents: documents, clock: { [today] in today.start },
        read: { _ in [] })
      for ordinal in 18_428...18_430 {
        let day = try await feed.day(.day(DayKey(ordinal: ordinal)), policy: .http)
        for story in day.stories {
          pages += [try await feed.page(of: story, policy: .onlyIfCached)?.html ?? ""]
        }
        await documents.answer(address, with: days(["one", "2", "3"]))
      }
    }

    #expect(
      pages == ["one"] + (isRemembered ? ["2", "3"] : ["two", "three"]) + ["one", "2", "3"])
    #expect(await documents.requests.count == (isRemembered ? 6 : 2))
    #expect(await documents.unconditional == 0)
  }
}
