import Foundation
import ImageModel
import Testing

@testable import ImageFeeds

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
    ("//p.cn/a.jpg", "https://p.cn/a.jpg"), ("a.jpg", "https://daily.zhihu.com/story/a.jpg"),
    ("../a.jpg?x=../y", "https://daily.zhihu.com/a.jpg?x=../y"),
    ("/b/./c/../a.jpg", "https://daily.zhihu.com/b/a.jpg"),
    ("?n=1", "https://daily.zhihu.com/story/9722986?n=1"), (" http://a/b \n", "http://a/b"),
    ("../../../a.jpg", "https://daily.zhihu.com/a.jpg"),
    ("http://a/图*.jpg", "http://a/图*.jpg"),
  ])
  func `relative addresses resolve against the page, absolute ones keep their spelling`(
    reference: String, expected: String
  ) {
    #expect(WebURL.resolve(reference, against: page) == expected)
  }

  @Test(arguments: [
    "", "#top", "javascript:alert(1)", "data:image/png;base64,AA", "file:///etc/passwd", "http://",
    "about:blank",
  ])
  func `a reference that cannot be fetched resolves to nothing`(reference: String) {
    #expect(WebURL.resolve(reference, against: page) == nil)
  }

  @Test func `malformed HTML is parsed as far as possible`() throws {
    #expect(try urls("<div><p><img src=http://a/1.jpg <b></i><img src='http://a/2.jpg").count >= 1)
    #expect(try urls("").isEmpty)
    #expect(try urls("no markup & nothing").isEmpty)
    #expect(try urls("\u{0}<img src='http://a/1.jpg'>").count <= 1)
  }

  @Test func `endlessly nested HTML does no harm`() throws {
    let deep = String(repeating: "<div>", count: 100_000) + "<img src='http://a/1.jpg'>"

    #expect(try urls(deep).count <= 1)
  }

  @Test func `text in any script survives`() throws {
    #expect(try urls("<p>原油期货</p><img alt='图' src='http://a/图.jpg'>") == ["http://a/图.jpg"])
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
