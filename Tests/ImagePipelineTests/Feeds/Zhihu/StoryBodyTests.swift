import Foundation
import ImageModel
import Testing

@testable import ImageFeeds
@testable import TestSupport

@Suite struct `Story bodies` {
  private let page = "https://daily.zhihu.com/story/9722986"

  private func urls(_ html: String) throws -> [String] {
    try StoryBody(html: html, base: page).imageURLs
  }

  @Test func `the data-src address of a lazy image wins over its placeholder`() throws {
    let urls = try urls(
      """
      <img src="data:image/svg+xml;utf8,<svg/>" data-actualsrc="https://a/2.jpg" data-original="https://a/1.jpg">
      <img src="https://a/4.jpg" data-actualsrc="https://a/3.jpg">
      <img data-original="data:image/gif;base64,R0" src="https://a/5.jpg">
      <img src="image/svg+xml;utf8,&lt;svg xmlns='x'>"><img src=""><img>
      <img src="/placeholder.gif" data-src="/x.jpg">
      """)

    #expect(
      urls == [
        "https://a/1.jpg", "https://a/3.jpg", "https://a/5.jpg",
        "https://daily.zhihu.com/x.jpg",
      ])
  }

  @Test func `entities are decoded, each address counts once, and trackers are skipped`() throws {
    let urls = try urls(
      """
      <p><IMG SRC='http://a/x.jpg?a=1&amp;b=2'><img src="http://a/x.jpg?a=1&#38;b=2"/>
      <img src="https://sugar.zhihu.com/track?vs=1"><img src="https://x/p.gif" width="1" height="1">
      <a href="http://a/no.jpg">no</a><script>"<img src='http://a/script.jpg'>"</script>
      <!-- <img src="http://a/comment.jpg"> --><noscript><img src="http://a/ns.jpg"></noscript>
      """)

    #expect(urls == ["http://a/x.jpg?a=1&b=2", "http://a/ns.jpg"])
  }

  @Test(arguments: [
    "<p>a<IMG src='http://a/x.jpg'></p>", "<i\0mg src='http://a/x.jpg'>",
    "<p>原油期货</p><amp-img alt='图' src='http://a/x.jpg'></amp-img>",
    "<FIGURE data-src='http://a/x.jpg'></figure>",
    "\(String(repeating: "知乎<p>", count: 1000))<img src='http://a/x.jpg'",
  ])
  func `any element that shows an image is found, however it is cacheURL`(html: String) throws {
    #expect(try urls(html) == ["http://a/x.jpg"])
    #expect(try urls("<p>images and figures</p>").isEmpty)
  }

  @Test(
    arguments: [
      ("//p.cn/a.jpg", "https://p.cn/a.jpg"), ("a.jpg", "https://daily.zhihu.com/story/a.jpg"),
      ("../a.jpg?x=../y", "https://daily.zhihu.com/a.jpg?x=../y"),
      ("/b/./c/../a.jpg", "https://daily.zhihu.com/b/a.jpg"),
      ("?n=1", "https://daily.zhihu.com/story/9722986?n=1"), (" http://a/b \n", "http://a/b"),
      ("http://a/wrap\n\tped.jpg", "http://a/wrapped.jpg"),
      ("/a\r\nb.jpg", "https://daily.zhihu.com/ab.jpg"),
      ("../../../a.jpg", "https://daily.zhihu.com/a.jpg"), ("http://a/图*.jpg", "http://a/图*.jpg"),
      ("", nil), ("#top", nil), ("http://", nil), ("javascript:alert(1)", nil),
      ("data:image/png;base64,AA", nil), ("file:///etc/passwd", nil), ("about:blank", nil),
    ] as [(String, String?)])
  func `relative addresses resolve against the page, absolute ones keep their spelling`(
    reference: String, expected: String?
  ) {
    #expect(WebURL.resolve(reference, against: page) == expected)
  }

  @Test(arguments: ["textarea", "title", "xmp", "iframe", "noembed", "noframes"])
  func `markup in an element of text names no images`(name: String) throws {
    let html =
      "<p><\(name)><img src=http://a/1.jpg><b></b></\(name)><img src=http://a/2.jpg></p>"

    #expect(try urls(html) == ["http://a/2.jpg"])
  }

  @Test func `malformed and endlessly nested HTML is parsed as far as possible`() throws {
    #expect(try urls("<div><p><img src=http://a/1.jpg <b></i><img src='http://a/2.jpg").count >= 1)
    #expect(try urls("").isEmpty && urls("no markup & nothing").isEmpty)
    #expect(try urls("\u{0}<img src='http://a/1.jpg'>").count <= 1)
    let deep = String(repeating: "<div>", count: 100_000) + "<img src='http://a/1.jpg'>"
    #expect(try urls(deep).count <= 1)
  }

  @Test(.needsFixtures, arguments: RecordedDays.detailNames)
  func `every image of the recorded pages is found`(name: String) throws {
    let page = try ZhihuDailyDecoding.story(
      from: SharedFixtures.bytes("zhihu/api/detail/\(name)"))
    let html = try #require(page.body)
    let pattern = /<img[^>]*\ssrc="([^"]*)"/

    let found = try urls(html)

    #expect(Set(found) == Set(html.matches(of: pattern).map { String($0.1) }))
  }
}

@Suite struct `Images that are loaded late` {
  private func urls(_ html: String) throws -> [String] {
    try StoryBody(html: html, base: "https://a/p/").imageURLs
  }

  private static let placeholders = [
    "", "src='data:image/gif;base64,R0lGODlhAQABAAAAACw='", "src=/img/blank.gif?x", "src=1x1.png",
    "src='//cdn/assets/spacer.gif'", "src=loading.gif", "src='lazy_placeholder.gif'", "src=''",
    "src='image/svg+xml;utf8,&lt;svg/>'", "srcset='blank.gif 1x' src=blank.gif",
  ]

  private static let names = [
    "data-lazyload", "data-orig-file", "data-large-file", "nitro-lazy-src", "lazy-src",
    "data-pagespeed-lazy-src", "data-src", "data-lazy-src", "data-original", "data-actualsrc",
    "data-cfsrc", "data-ezsrc", "data-litespeed-src", "data-anything", "data-lazy", "data-img-url",
    "data-flickity-lazyload", "data-full-url",
  ]

  @Test(arguments: placeholders.map { ($0, "data-src") } + names.map { ("src=1x1.png", $0) })
  func `are in any attribute, where the source is none`(source: String, name: String) throws {
    #expect(
      try urls("<img \(source) alt='/x/no.jpg' class=a \(name)='/1.jpg'>") == ["https://a/1.jpg"])
    #expect(
      try urls("<picture><source \(name)='/1.jpg'><img \(source)></picture>") == ["https://a/1.jpg"]
    )
  }

  @Test(arguments: [
    "data-srcset", "data-lazy-srcset", "nitro-lazy-srcset", "data-pagespeed-lazy-srcset",
    "data-litespeed-srcset", "data-original-set",
  ])
  func `are the largest of a set`(name: String) throws {
    for source in Self.placeholders {
      #expect(
        try urls("<img \(source) \(name)='1.jpg 100w, 2.jpg 800w'>") == ["https://a/p/2.jpg"])
    }
    #expect(
      try urls("<figure \(name)='1.jpg 100w, 2.jpg 800w'><img src=blank.gif></figure><img src=3>")
        == ["https://a/p/2.jpg", "https://a/p/3"])
  }

  @Test(arguments: [
    "<img src=1.jpg data-lazy=true>", "<img src=1.jpg data-lazyload='1' data-src=''>",
    "<img src=1.jpg data-anything=/2.jpg>", "<img src=1.jpg data-orig-file=/2.jpg>",
    "<img src=1.jpg alt=/2.jpg data-permalink='/3.jpg/'>", "<figure><img src=1.jpg></figure>",
    "<figure data-src=1.jpg></figure>", "<figure class=x data-lazy=true><img src=1.jpg></figure>",
    "<figure data-src=1.jpg><p>x</p></figure>", "<img src=blank.gif><img src=1.jpg>",
    "<img src=1.jpg><img src='data:image/png;base64,AAAA'>",
    "<img src=t.gif width=1 height=1><img src=1.jpg>",
    "<img src=t.gif width=1 height=1 data-src=1.jpg>",
    "<img src=/real.png height='1px' width='1' srcset='/r.png 2x' data-srcset='1.jpg 2x'>",
  ])
  func `are not where the source is one`(html: String) throws {
    #expect(try urls(html) == ["https://a/p/1.jpg"])
  }

  @Test func `are not placeholders, but a picture may be called like one`() throws {
    #expect(try urls("<img src=/a/blank.gif><img src=spacer.png><img src=1x1.gif?x>").isEmpty)
    #expect(
      try urls("<img src=loading-dock.jpg><img src=grey-wolf.jpg><img src=lazy.jpg>").count == 3)
  }
}
