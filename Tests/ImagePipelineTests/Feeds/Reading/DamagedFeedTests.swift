import ImageModel
import Testing

@testable import ImageFeeds
@testable import TestSupport

@Suite(.timeLimit(.minutes(2))) struct `Feeds with markup in their texts` {
  private func contents(_ text: String) throws -> FeedContents {
    try FeedContents(reading: Array(text.utf8), base: "https://a/feed")
  }

  private static let pieces = [
    "a <br> b", "<p>a<p>b", "<a href=x>y", "<b><i>x</b></i>", "</p>", "<p", "<br></br></br>",
    "a < b",
    "<!-- a -- b", "<!-- <item> -->", "<img src=a.jpg>", "<hr/><hr>", "<li>a<li>b", "&nbsp;&foo;&",
    "<p title=\"a>b\">", "<p title='it's'>", "<script>if (a < b && c) {}</script>", "]]>",
    "<![CDATA[a]]> <br>", "<![CDATA[<p>]]></p>", "<?php echo 1 ?>", "<svg><path d='M0 0'></svg>",
    "<video controls autoplay><source src=v.mp4></video>", "<a b=1 b=2>", "<1>", "<>", "</>", "<é>",
    "<o:p></o:p>", "<div><div><span>", "<![if x]>y<![endif]>", "<p \u{1}>", "<summary><b>",
    "<table><tr><td>1<td>2</table>", "<input disabled>", "<iframe src=x allowfullscreen></iframe>",
  ]

  /// A feed of twenty items, of which the third has a piece of markup in the text of a tag.
  private func feed(_ piece: String, in tag: String = "description", isAtom: Bool = false) -> String
  {
    let element = String(tag.prefix { $0 != " " })
    let items = (1...20).map { number in
      let text =
        number == 3
        ? "<\(tag)>\(piece)<img src='3.jpg' alt=x>end</\(element)>"
        : "<\(element)\(isAtom ? " type='html'" : "")>&lt;img src=\"\(number).jpg\"&gt;</\(element)>"
      let start = "<title>\(number)</title>\(text)"
      return isAtom
        ? "<entry>\(start)<link href='https://a/p/'/><id>g\(number)</id></entry>"
        : "<item>\(start)<link>https://a/p/</link><guid>g\(number)</guid></item>"
    }.joined()
    return isAtom
      ? "<feed xmlns='http://www.w3.org/2005/Atom'>\(items)</feed>"
      : """
      <?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/">
      <channel><title>t</title>\(items)</channel></rss>
      """
  }

  @Test(arguments: pieces)
  func `lose no item and no image`(piece: String) throws {
    let isHidden = piece.hasPrefix("<!-- a") || piece == "<p" || piece.hasPrefix("<p title='it")
    for tag in [
      "description", "content:encoded", "content", "content type='html'", "content type=\"xhtml\"",
      "summary type='html'",
    ] where !(tag.hasPrefix("summary") && piece.contains("summary")) {
      let isAtom = tag.hasPrefix("summary") || tag.hasPrefix("content") && !tag.contains(":")
      let items = try contents(feed(piece, in: tag, isAtom: isAtom)).items

      #expect(items.map(\.story.id) == (1...20).map { "g\($0)" }, "\(tag)")
      for (number, item) in items.enumerated() where number != 2 || !isHidden {
        #expect(item.story.images.last?.url == "https://a/p/\(number + 1).jpg", "\(tag)")
      }
      guard !isAtom else { continue }
      #expect(items.allSatisfy { $0.story.link == "https://a/p/" }, "\(tag)")
      #expect(items.map(\.story.title) == (1...20).map { "\($0)" }, "\(tag)")
      #expect(items[2].page?.html.contains("end") == true, "\(tag)")
    }
  }

  @Test(arguments: [
    "<title>A <b>bold</b> & <i>x</title>", "<title>A <b>bold</b> &amp; <i>x</i></title>",
    "<title>A bold &#38; x<br></title>",
  ])
  func `have titles without markup`(title: String) throws {
    let items = try contents(
      "<rss><channel><item>\(title)<link>http://a/1</link></item><item/></channel></rss>"
    ).items

    #expect(items.map(\.story.title) == ["A bold & x", ""])
    #expect(items[0].story.link == "http://a/1")
  }

  @Test(arguments: [
    "<category>x", "<author><name>x", "<p>", "<enclosure url='x.jpg' type='image/jpeg'>",
    "</author>", "<title>x", "<description>x &lt;p", "</b></i>", "<a:b c='1'>", "<link/>&",
    "<x y=\"1>", "<x y=1>", "<!-- -- -->", "<![CDATA[", "<?x", "<description>x<item",
    "</channel >x", "<",
  ])
  func `that end elsewhere lose no other item`(piece: String) throws {
    let items = (1...20).map { number in
      "<item><guid isPermaLink='false'>g\(number)</guid>\(number == 3 ? piece : "")</item>"
    }
    let read = try contents("<rss><channel>\(items.joined())</channel></rss>").items

    let ids = Set(read.map(\.story.id))
    let expected = piece.contains("</channel") ? 3 : 20
    #expect(ids.count >= expected, "\(ids.count)")
  }

  @Test func `an element without quotes and end is an enclosure all the same`() throws {
    let items = try contents(
      """
      <rss><channel><item><enclosure url=http://a/1.jpg?a=1&b=2 type=image/jpeg/><title>a</title></item>
      <item><enclosure url="http://a/2.jpg" type=image/jpeg length=><title>b</title></item></channel></rss>
      """
    ).items

    #expect(items.map(\.story.title) == ["a", "b"])
    #expect(
      items.flatMap { $0.story.images.map(\.url) } == ["http://a/1.jpg?a=1&b=2", "http://a/2.jpg"])
  }

  @Test func `a repaired feed says so, and one without an item is an error`() throws {
    #expect(
      try contents(feed("<br>")).warnings
        == ["the XML is damaged at line 2; what can be read is used"])
    let error = #expect(throws: ImageError.self) { try contents("<rss><channel><title>a & b") }
    #expect(error?.code == .notAFeed)
    #expect(error?.message == "the XML is damaged at line 1, and no item can be read")
  }

  @Test(arguments: [
    "<item>", "<item><guid>g3", "<item><guid>g3</guid><pubDate>Mon", "<item><description>x &lt;p",
    "<item><description><![CDATA[<p>x",
    "<item><guid>g3</guid><pubDate>Mon, 2 Nov 2026 10:00:00 GMT</pu",
    "<item><enclosure url='http://a/3.jpg", "<item><x><y>",
  ])
  func `without their end have no item that is read in part`(end: String) throws {
    let items = (1...2).map { "<item><guid>g\($0)</guid></item>" }.joined()

    let cut = try contents("<rss><channel>\(items)\(end)")
    let whole = try contents("<rss><channel>\(items)<item><guid>g3</guid></channel></rss>")

    #expect(cut.items.map(\.story.id) == ["g1", "g2"])
    #expect(
      cut.warnings == ["the XML ends within an item, which is left out; what can be read is used"])
    #expect(whole.items.map(\.story.id) == ["g1", "g2", "g3"])
  }

  @Test(arguments: [
    "<rss><channel><item><guid>1</guid><enclosure url='/a.jpg' type='image/jpeg'/></item></channel></rss>",
    "<rss><channel><item><guid>1</guid><description>&lt;img src='a.jpg'></description></item></channel></rss>",
    #"{"items":[{"id":"1","image":"/i/a.jpg"},{"id":"2"},{"id":"3","image":"data:image/png;base64,AA"}]}"#,
  ])
  func `of files warn of images that have no base`(text: String) throws {
    let contents = try FeedContents(reading: Array(text.utf8), base: "feed.xml")

    #expect(contents.warnings.contains { $0.contains("the images of 1 of ") }, "\(contents)")
    #expect(try self.contents(text).warnings.allSatisfy { !$0.contains("relative") })
  }

  @Test func `of files with unfinished tags or data addresses are read in linear time`() throws {
    let tags =
      String(repeating: "&lt;img ", count: 100_000) + "&lt;img src='data:image/png;base64,AA'"
    let text =
      "<rss><channel><item><guid>1</guid><description>\(tags)</description></item></channel></rss>"

    let contents = try FeedContents(reading: Array(text.utf8), base: "feed.xml")

    #expect(contents.items.count == 1)
    #expect(contents.warnings == [])
  }

  @Test(
    .isLong,
    arguments: [
      "<description>", "<![CDATA[", "<!--", "<?x", "<title><b>", "<description><![CDATA[<p>",
      "<a b=c ", "<a b=<", "<a b='", "</", "<description></descriptio", "&", "<item>", "]]>",
      "<item><title>", "<description><![CDATA[]]><![CDATA[", "<x><description><b></x>",
    ])
  func `damage of any kind takes linear time`(piece: String) {
    let text = "<rss><channel>" + String(repeating: piece, count: 150_000 / piece.utf8.count)

    _ = try? contents(text)
    _ = try? contents(text + "]]></title></description>--></item>")
  }

  @Test func `random damage does no harm`() throws {
    var random = SystemRandomNumberGenerator()
    let whole = Array(feed("<br><p>x<![CDATA[y]]>").utf8)
    for _ in 0..<200 {
      var bytes = whole
      for _ in 0..<4 {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        bytes[index] = "<>&\"'/=]! \u{0}x".utf8.randomElement(using: &random) ?? 0
      }
      _ = try? FeedContents(reading: bytes, base: "https://a/")
    }
  }

  // MARK: XHTML, bases and links

  @Test(arguments: [
    "<description><p>a<br/><img src='1.jpg'/>b</p></description>",
    "<description><div xmlns='http://www.w3.org/1999/xhtml'><p>a<br/><img src='1.jpg'/>b</p></div></description>",
    "<body xmlns='http://www.w3.org/1999/xhtml'><p>a<br/><img src='1.jpg'/>b</p></body>",
    "<xhtml:body xmlns:xhtml='http://www.w3.org/1999/xhtml'><xhtml:p>a<xhtml:br/><xhtml:img src='1.jpg'/>b</xhtml:p></xhtml:body>",
    "<content:encoded><p>a<br/><img src='1.jpg'/>b</p></content:encoded>",
  ])
  func `XHTML is a text of RSS`(text: String) throws {
    let item = try #require(
      try contents("<rss><channel><item><link>http://a/p/</link>\(text)</item></channel></rss>")
        .items.first)

    #expect(item.story.images.map(\.url) == ["http://a/p/1.jpg"])
    #expect(
      item.page?.html.contains(#"<p>a<br><img src="1.jpg">b</p>"#) == true,
      "\(item.page?.html ?? "")")
  }

  @Test(arguments: [
    ("<rss xml:base='http://b/x/'><channel><item><description>T</description></item></channel></rss>"),
    ("<rss><channel xml:base='http://b/x/'><item><description>T</description></item></channel></rss>"),
    ("<rss><channel><item xml:base='http://b/x/'><link>y</link><description>T</description></item></channel></rss>"),
    ("<rss xml:base='http://b/'><channel><item><description xml:base='x/'>T</description></item></channel></rss>"),
    ("<rss><channel><link>http://c/</link><item><guid>http://b/x/y</guid><description>T</description></item></channel></rss>"),
    ("<rss><channel><item><guid isPermaLink='TRUE'>http://b/x/</guid><description>T</description></item></channel></rss>"),
    ("<feed><entry><content type='html' xml:base='http://b/x/'>T</content></entry></feed>"),
    ("<feed xml:base='http://b/'><entry><link href='z'/><summary type='html' xml:base='x/'>T</summary></entry></feed>"),
    ("<feed><entry><content type='xhtml'><div xml:base='http://b/x/'><img src='i.jpg'/></div></content></entry></feed>"),
  ])
  func `addresses refer to the base that is declared`(feed: String) throws {
    let item = try #require(
      try contents(feed.replacing(">T<", with: ">&lt;img src='i.jpg'&gt;<")).items.first)

    #expect(item.story.images.map(\.url) == ["http://b/x/i.jpg"])
    #expect(item.page.flatMap { WebURL.resolve("i.jpg", against: $0.url) } == "http://b/x/i.jpg")
  }

  @Test(arguments: [
    ("<guid>http://b/1</guid>", "http://b/1"),
    ("<guid isPermaLink='true'>http://b/1</guid>", "http://b/1"),
    ("<guid isPermaLink='false'>http://b/1</guid>", nil), ("<guid>tag:b,1</guid>", nil),
    ("<guid>http://b/1</guid><link>http://b/2</link>", "http://b/2"),
    ("<guid>http://b/1</guid><link></link>", "http://b/1"),
    ("<atom:link rel='self' href='http://b/3'/><guid>http://b/1</guid>", "http://b/1"),
    ("<link href='http://b/3'/>", "http://b/3"), ("<guid>1</guid>", nil),
  ])
  func `an identifier that is a URL is the link of an item without one`(
    elements: String, link: String?
  ) throws {
    let items = try contents("<rss><channel><item>\(elements)</item></channel></rss>").items

    #expect(items.first?.story.link == link)
  }

  @Test func `items of all channels are read`() throws {
    #expect(
      try contents("<rss><channel><item/></channel><channel><item/></channel><item/></rss>").items
        .count == 3)
  }
}
