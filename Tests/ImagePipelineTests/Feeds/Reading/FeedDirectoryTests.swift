import ImageModel
import Testing

@testable import ImageFeeds

/// Documents that name feeds: lists of subscriptions, and web pages.
@Suite struct `Documents that name feeds` {
  private let base = "https://site.example/blog/"

  private func urls(_ text: String) throws -> [String] {
    try #require(FeedContents(reading: Array(text.utf8), base: base).directory).urls
  }

  @Test func `the feeds of OPML are read in their order, from any folder, each once`() throws {
    let outlines = """
      <outline text="folder"><outline text="a" type="rss" xmlUrl=" https://a.example/feed "/>
      <outline text="deep"><outline text="b" xmlurl="https://b.example/"/></outline></outline>
      <outline text="again" xmlUrl="https://a.example/feed"/><outline text="no feed" url="https://c.example"/>
      <outline text="relative" xmlUrl="feed.xml"/><outline text="odd" xmlUrl="javascript:1"/>
      """
    let opml = "<opml version=\"2.0\"><head><title>t</title></head><body>\(outlines)</body></opml>"

    let expected = ["https://a.example/feed", "https://b.example/", base + "feed.xml"]
    #expect(try urls(opml) == expected)
    #expect(try urls("<?xml version=\"1.0\"?>\n<!-- c -->\n\(opml)") == expected)
  }

  @Test(arguments: [
    "<!DOCTYPE html><title>t</title><link rel=alternate type=application/rss+xml href=feed.xml>",
    "<html><head><base href='/blog/'><link REL='Home Alternate' href='feed.xml' type='Application/Atom+XML; charset=utf-8'></head><p>open",
    "<?xml version=\"1.0\"?><html xmlns=\"http://www.w3.org/1999/xhtml\"><head><link rel=\"alternate\" type=\"application/feed+json\" href=\"feed.xml\"/></head></html>",
    "\u{FEFF}\n <!doctype HTML>\n<head><link rel=alternate hreflang=de href=/de><link rel=alternate type=application/rss+xml href=feed.xml><link rel=alternate type=application/rss+xml href=comments.xml>",
  ]) func `a page names its first feed`(_ page: String) throws {
    #expect(try urls(page) == [base + "feed.xml"])
  }

  @Test(arguments: [
    ("<!doctype html><p>no feed</p>", "the response is an HTML page that names no feed"),
    ("<opml><body><outline text='a'/></body></opml>", "the OPML document names no feed"),
    ("<opml/>", "the OPML document names no feed"),
  ]) func `one that names none is refused`(_ text: String, _ message: String) {
    let error = #expect(throws: ImageError.self) { try urls(text) }
    #expect(error?.code == .notAFeed)
    #expect(error?.message == message)
  }

  @Test(arguments: [
    "<opml><body><outline text='A & B' xmlUrl='https://a.example/?a=1&b=2'/></body></opml>",
    "<opml><body><outline text='A' xmlUrl='https://a.example/?a=1&amp;b=2'><outline text='b'/>",
    "<opml><body><outline text=\"A <B>\" xmlUrl=\"https://a.example/?a=1&amp;b=2\"/></body></opml>",
  ]) func `the feeds of damaged OPML are read, and the damage is named`(_ text: String) throws {
    let directory = try #require(FeedContents(reading: Array(text.utf8), base: base).directory)

    #expect(directory.urls == ["https://a.example/?a=1&b=2"])
    #expect(directory.faults.first?.hasPrefix("the XML is damaged at line 1") == true)
  }

  @Test func `a hundred thousand outlines are bounded`() throws {
    let outlines = (0..<100_000).map { "<outline xmlUrl='https://a.example/\($0)'/>" }.joined()
    #expect(try urls("<opml><body>\(outlines)</body></opml>").count == FeedDirectory.maximumCount)
  }
}
