import Foundation
import ImageModel
import Testing

@testable import ImageFeeds

@Suite struct `The encoding of a feed` {
  /// A feed with two items, of which the second has other letters.
  private func feed(_ declaration: String, _ title: [UInt8]) -> [UInt8] {
    Array("\(declaration)<rss><channel><item><guid>1</guid></item><item><title>".utf8) + title
      + Array("</title></item></channel></rss>".utf8)
  }

  private func contents(
    _ bytes: [UInt8], _ mediaType: String? = nil
  ) throws -> (titles: [String], warnings: [String]) {
    let contents = try FeedContents(reading: bytes, base: "", mediaType: mediaType)
    return (contents.items.map(\.story.title), contents.warnings)
  }

  /// A label, bytes and what browsers read.
  private static let texts: [(label: String, bytes: [UInt8], text: String)] = [
    ("gb2312", [0xE9, 0x46, 0xA2, 0xD9, 0xD6, 0xAA], "镕①知"), ("GBK", [0xE9, 0x46], "镕"),
    ("gb18030", [0x81, 0x30, 0x81, 0x30, 0xD6, 0xAA], "\u{80}知"),
    ("gb_2312-80", [0xE9, 0x46], "镕"),
    ("x-gbk", [0xD6, 0xAA, 0xBA, 0xF5], "知乎"), ("chinese", [0xD6, 0xAA], "知"),
    ("big5", [0xA4, 0xA4, 0xB9, 0xD8, 0xF9, 0xD8], "中壽裏"), ("Big5-HKSCS", [0xA4, 0xA4], "中"),
    ("shift_jis", [0x87, 0x40, 0xFB, 0xFC, 0xB1], "①髙ｱ"), ("Windows-31J", [0x87, 0x40], "①"),
    ("sjis", [0x93, 0xFA, 0x96, 0x7B], "日本"), ("euc-jp", [0xC6, 0xFC, 0xAD, 0xA1], "日①"),
    ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42], "日"),
    ("euc-kr", [0x8C, 0x63, 0xC7, 0xD1], "똠한"), ("ks_c_5601-1987", [0xC7, 0xD1], "한"),
    ("iso-8859-1", [0x80, 0x93, 0x97, 0x94, 0xE9], "€“—”é"), ("us-ascii", [0x92, 0xE9], "’é"),
    ("latin1", [0xE9], "é"), ("windows-1252", [0x99], "™"), ("iso-8859-15", [0xA4], "€"),
    ("iso-8859-9", [0x80, 0xFD], "€ı"), ("iso-8859-2", [0xB1, 0xEC], "ąě"),
    ("windows-1250", [0x9C, 0x9F], "śź"), ("cp1251", [0xCF, 0xF0, 0xE8], "При"),
    ("koi8-r", [0xF0, 0xD2, 0xC9], "При"), ("iso-8859-5", [0xBF, 0xE0, 0xD8], "При"),
    ("koi8-u", [0xA6], "і"), ("windows-1253", [0xC1, 0xE2], "Αβ"),
    ("iso-8859-7", [0xC1, 0xE2], "Αβ"), ("windows-1254", [0xDD], "İ"),
    ("windows-1255", [0xF9], "ש"), ("iso-8859-8-i", [0xF9], "ש"), ("windows-1256", [0xC7], "ا"),
    ("tis-620", [0xA1], "ก"), ("macintosh", [0x8E], "é"), ("ibm866", [0x8F, 0xE0, 0xA8], "При"),
    ("utf8", [0xC3, 0xA9], "é"), ("utf-16", [0xC3, 0xA9], "é"), ("UTF-16LE", [0xC3, 0xA9], "é"),
  ]

  @Test(arguments: texts)
  func `is that of the declaration, as browsers read it, else that of the response`(
    label: String, bytes: [UInt8], text: String
  ) throws {
    let (titles, warnings) = try contents(
      feed("<?xml version=\"1.0\" encoding=\"\(label)\"?>", bytes))

    #expect(titles == ["", text])
    #expect(warnings.isEmpty)
    for type in ["text/xml; charset=\(label)", "application/rss+xml;a=b ; CHARSET=\"\(label)\""] {
      #expect(try contents(feed("<?xml version='1.0'?>", bytes), type).titles == ["", text])
    }
    #expect(
      try contents(feed("<?xml encoding='\(label)'?>", bytes), "text/xml; charset=big5").titles
        == ["", text])
    // A byte that is none of it makes no difference to the other items.
    guard !bytes.contains(0x1B), !label.lowercased().hasPrefix("utf") else { return }
    for bad in [[0xFF], [0xFF, 0xFF], [0x00, 0x01]] as [[UInt8]] {
      let (titles, _) = try contents(feed("<?xml encoding='\(label)'?>", bad + bytes + bytes + bad))
      #expect(titles.count == 2 && titles[1].contains(text), "\(titles)")
    }
    let cut = try contents(feed("<?xml encoding='\(label)'?>", bytes + [0x81, 0x81, 0x81])).titles
    #expect(cut.count == 2 && cut[1].hasPrefix(text))
  }

  @Test(arguments: ["foo", "utf-7", "x-user-defined", "hz-gb-2312", "ISO-8859-99"])
  func `is a warning where it is unknown, and the feed is read`(label: String) throws {
    let (titles, warnings) = try contents(
      feed("<?xml version='1.0' encoding='\(label)'?>", Array("é知".utf8)))

    #expect(titles == ["", "é知"])
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains("is not known or not installed") == true)
    #expect(
      try contents(feed("<?xml encoding='\(label)'?>", [0xD6, 0xAA]), "text/xml; charset=gbk")
        .titles
        == ["", "知"])
  }

  @Test func `is UTF-8 where none is named, or windows-1252 where it cannot be`() throws {
    #expect(try contents(feed("", Array("é知".utf8))).titles == ["", "é知"])
    #expect(try contents(feed("", Array("é知é".utf8) + [0xE9])).titles == ["", "é知é\u{FFFD}"])
    let (titles, warnings) = try contents(feed("", [0x93, 0x63, 0x61, 0x66, 0xE9, 0x94]))
    #expect(titles == ["", "“café”"])
    #expect(warnings == ["the text is not UTF-8 and is read as windows-1252"])
  }

  @Test func `is UTF-8 where text of another was converted and still says so`() throws {
    let text = "知乎日报提供高质量资讯，阅读体验一流。"
    #expect(try contents(feed("<?xml encoding='euc-jp'?>", Array(text.utf8))).titles == ["", text])
  }

  private static let wide: [(mark: [UInt8], String.Encoding)] = [
    ([0xFF, 0xFE], .utf16LittleEndian), ([0xFE, 0xFF], .utf16BigEndian), ([], .utf16LittleEndian),
    ([], .utf16BigEndian), ([0xEF, 0xBB, 0xBF], .utf8),
    ([0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF], .utf8), ([0xFF, 0xFE, 0, 0], .utf32LittleEndian),
    ([0, 0, 0xFE, 0xFF], .utf32BigEndian), ([], .utf32LittleEndian), ([], .utf32BigEndian),
  ]

  @Test(arguments: wide)
  func `is what the first bytes tell, of every kind of feed`(
    mark: [UInt8], encoding: String.Encoding
  ) throws {
    let rss = "<?xml encoding='gbk'?><rss><channel><item><title>é😀</title></item></channel></rss>"
    for text in [rss, #"{"items":[{"id":1,"title":"é😀"}]}"#] {
      let bytes = mark + [UInt8](try #require(text.data(using: encoding)))
      #expect(try contents(bytes).titles == ["é😀"])
    }
    let list = mark + [UInt8](try #require("http://a/é.jpg\r\nhttp://a/2\n".data(using: encoding)))
    let urls = try FeedContents(reading: list, base: "").items.map { $0.story.images[0].url }
    #expect(urls == ["http://a/é.jpg", "http://a/2"])
  }

  @Test func `of JSON and lists is that of the response`() throws {
    let json = Array(#"{"items":[{"id":1,"title":""#.utf8) + [0xE9, 0x46] + Array(#""}]}"#.utf8)
    #expect(try contents(json, "application/json; charset=GB2312").titles == ["镕"])
    let list = try FeedContents(
      reading: Array("http://a/".utf8) + [0xE9], base: "", mediaType: "text/plain; charset=latin1")
    #expect(list.items[0].story.images[0].url == "http://a/é")
    #expect(
      try contents(Array(#"{"items":[{"id":1,"title":"<meta charset=gbk>é"}]}"#.utf8)).titles
        == ["<meta charset=gbk>é"])
  }

  @Test(arguments: [
    "\n \n", "Warning: mysql_connect() in /home/x.php on line 3\n",
    "<br />\n<b>Notice</b>: x<br />\n", "\u{FEFF}\n", "\u{0}", "a < b\n\n", "\u{1}\u{2}\n\u{B}",
  ])
  func `what precedes the XML costs nothing`(start: String) throws {
    let declared = feed("\(start)<?xml version='1.0' encoding='gbk'?>", [0xE9, 0x46])
    let feeds = start.hasPrefix("\u{FEFF}") ? [] : [declared]
    for feed in feeds + [feed(start, Array("镕".utf8))] {
      let (titles, warnings) = try contents(feed)
      #expect(titles == ["", "镕"])
      #expect(warnings.count == (start.contains(where: \.isLetter) ? 1 : 0))
    }
  }

  @Test func `control characters cost nothing`() throws {
    let characters = "\u{0}\u{1}\u{8}\u{B}\u{C}\u{1F}\u{FFFE}\u{FFFF}\u{0}"
    let rss = """
      <rss><channel><item><title>a\(characters)b</title><description><![CDATA[c\(characters)\
      <img src='http://a/1.jpg'>]]></description></item><item><guid>2</guid></item></channel></rss>
      """
    let items = try FeedContents(reading: Array(rss.utf8), base: "").items
    #expect(items.map(\.story.title) == ["a\u{FFFD}\u{FFFD}b", ""])
    #expect(items[0].story.images.map(\.url) == ["http://a/1.jpg"])
    let json =
      "{\"items\":[{\"id\":1,\"title\":\"a\u{1}\n\tb\",\"content_html\":\"c\\u0000<img src='http://a/1.jpg'>\"}]}"
    let story = try FeedContents(reading: Array(json.utf8), base: "").items[0].story
    #expect(story.title == "a  b")
    #expect(story.images.map(\.url) == ["http://a/1.jpg"])
  }

  @Test(arguments: [
    "<rss><channel/></rss>", "<rss/>", "<feed/>", #"{"items":[]}"#,
    "<rss><channel><title>x</title></channel></rss>",
  ])
  func `a feed without an item says so`(text: String) throws {
    #expect(try contents(Array(text.utf8)).warnings == ["the feed has no items"])
  }

  @Test func `dates that cannot be read are warnings, ten at most`() throws {
    let items = (1...12).map { "<item><title>T\($0)</title><pubDate>soon\n</pubDate></item>" }
      .joined()
    let feed = "<rss><channel>\(items)<item><guid>g</guid></item></channel></rss>"

    let warnings = try contents(Array(feed.utf8)).warnings

    #expect(warnings.count == 11)
    #expect(warnings[0] == #"the date "soon" of the item "T1" cannot be read"#)
    #expect(warnings[10] == "2 more dates cannot be read")
  }
}
