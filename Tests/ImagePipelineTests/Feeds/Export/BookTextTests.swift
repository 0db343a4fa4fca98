import Foundation
import Testing

@testable import ImageFeeds

/// XHTML from HTML as pages of others have it.
@Suite struct `The text of a book` {
  private func xhtml(_ html: String) throws -> String {
    try BookText.xhtml(html, missing: "missing") { $0.hasPrefix("http://a/") ? "a.jpg" : nil }
  }

  @Test(
    arguments: [
      ("<p>a<p>b", "<p>a</p><p>b</p>"), ("<p>a<br>b</p><hr>c", "<p>a<br/>b</p><hr/>c"),
      ("<span><p>a</p>b</span>c", "<span></span><p>a</p>bc"),
      ("<h1><div>a</div></h1>", "<h2></h2><div>a</div>"),
      ("<section><header>a</header></section>", "<div><div>a</div></div>"),
      ("<a href='http://b/'><div>a</div></a>", #"<a href="http://b/"><div>a</div></a>"#),
      ("<p><a href='http://b/'>a<a href='http://c/'>b</a></a></p>", nil),
      ("<ul>a<li>b</li><p>c</p></ul>", "<ul><li>a</li><li>b</li><li><p>c</p></li></ul>"),
      ("<div><li>a</li></div>", "<div><div>a</div></div>"),
      ("<ul> <li>a</li> </ul>", "<ul><li>a</li></ul>"),
      (
        "<table><thead><tr><th colspan=2>a</th></tr></thead><tbody><tr><td>b</td></tr></tbody>",
        #"<table><tr><th colspan="2">a</th></tr><tr><td>b</td></tr></table>"#
      ),
      ("<table>a<tr>b<td>c</td></tr></table>", nil), ("<tr><td>a</td></tr>", nil),
      ("<table><tr><td><ul><tr><td>a</table>b", nil), ("<ul><li><table><li>a</ul>b", nil),
      ("<table><caption>a</caption><td>b</table>", nil), ("<dl><dd>a<dt>b</dl>", nil),
      ("<ruby>a<rp>(</rp><rt>b</rt><rp>)</rp></ruby>", "<span>a(<small>b</small>)</span>"),
      ("<time>yesterday</time>", "<span>yesterday</span>"),
      (
        #"<ol start=3><li value=4>a</ol><ul><li value=4>b</ul>"#,
        #"<ol start="3"><li value="4">a</li></ol><ul><li>b</li></ul>"#
      ),
      (#"<p lang="zh-CN">a</p><p lang="-">b</p>"#, #"<p lang="zh-CN">a</p><p>b</p>"#),
      ("<p id=x style=y onclick=z data-a=b>a</p>", "<p>a</p>"),
      ("<svg><p>a</p></svg><object>b</object><unknown>c</unknown>", nil),
    ] as [(String, String?)])
  func `elements nest as XHTML requires`(html: String, expected: String?) throws {
    let text = try xhtml(html)

    if let expected { #expect(text == expected) }
    #expect(try Markup.xml(Array("<div>\(text)</div>".utf8)).fault == nil, "\(text)")
    let pairs = text.matches(of: #/<(ul|ol)[^>]*><(?!li|/)/#)
    #expect(pairs.isEmpty)
  }

  @Test func `text is escaped, and what XML cannot have is left out`() throws {
    let text = try xhtml("a &lt;b&gt; &amp; \u{1}\u{FFFE}\u{FFFF}\u{B}c&#2;")

    #expect(text.contains("a &lt;b&gt; &amp; "))
    #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0xFFFE })
    #expect(try Markup.xml(Array("<p>\(text)</p>".utf8)).fault == nil)
  }

  @Test func `an image has the file of its address, else its alternative text`() throws {
    let text = try xhtml(
      #"<img src="http://a/1" alt="&quot;A&quot;"><img src="http://b/" alt="B"><img src="x">"#)

    #expect(
      text == #"<img src="a.jpg" alt="&quot;A&quot;"/><span class="missing">[B]</span>"#
        + #"<span class="missing">[missing]</span>"#)
  }

  @Test(
    arguments: [
      ("http://a/b c|d[e]%zz#f g#h", "http://a/b%20c%7Cd%5Be%5D%25zz#f%20g%23h"),
      ("https://例子.测试/路?查#节", "https://xn--fsqu00a.xn--0zwm56d/%E8%B7%AF?%E6%9F%A5#%E8%8A%82"),
      ("javascript:x", nil), ("/a", nil), ("http://a:99999/", nil), ("http://[x/", nil),
    ] as [(String, String?)])
  func `addresses are those of RFC 3986`(text: String, address: String?) {
    #expect(BookText.address(text) == address)
  }
}
