import ImageModel
import Testing

@testable import ImageFeeds
@testable import TestSupport

@Suite struct `A story's page` {
  private func clean(_ html: String, base: String = "https://a.example/s/1") throws -> String {
    try HTMLSanitizer(base: base) { PageImage(source: "/image?url=" + $0) }.sanitized(html)
  }

  @Test func `text, links and images stay`() throws {
    let html = try clean(
      """
      <div class="content evil"><h2>T &amp; U</h2><p>a<br>b <a href="/c?d=1&amp;e">c</a></p>
      <img class="avatar" src="https://p.example/1.jpg" alt="x" onerror="alert(1)"></div>
      """)

    #expect(html.contains("<div class=\"content\"><h2>T &amp; U</h2><p>a<br>b "))
    #expect(
      html.contains(
        "<a href=\"https://a.example/c?d=1&amp;e\" rel=\"noopener noreferrer nofollow\" target=\"_blank\">c</a>"
      ))
    #expect(
      html.contains(
        "<img src=\"/image?url=https://p.example/1.jpg\" alt=\"x\" class=\"avatar\" loading=\"lazy\" decoding=\"async\">"
      ))
    #expect(!html.contains("evil"))
    #expect(!html.contains("onerror"))
  }

  /// Each would run or load something if any of it were kept unchanged.
  static let hostile = [
    "<script>evil()</script>", "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "<scr<script>ipt>evil()</script>", "<img src=x onerror=evil()>",
    "<img src='javascript:evil()'>", "<img src=\"data:text/html,evil\">",
    "<svg onload=evil()><p>evil</p></svg>", "<svg><script>evil()</script></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=evil()></style></mglyph></table></mtext></math>",
    "<iframe src=//evil.example></iframe>", "<iframe srcdoc='<script>evil()</script>'></iframe>",
    "<object data=evil.swf></object>", "<embed src=evil.swf>", "<base href=//evil.example/>",
    "<meta http-equiv=refresh content='0;url=//evil.example'>",
    "<link rel=stylesheet href=//evil.example>", "<style>@import '//evil.example'</style>",
    "<p style=\"background:url(//evil.example)\">x</p>",
    "<form action=//evil.example><input name=evil></form>",
    "<button formaction=//evil.example>evil</button>", "<a href=javascript:evil()>x</a>",
    "<a href=\" java\tscript:evil()\">x</a>", "<a href='&#106;avascript:evil()'>x</a>",
    "<a href=\"vbscript:evil\">x</a>", "<a href='data:text/html,evil'>x</a>",
    "<a onclick=evil() href=#>x</a>",
    "<video src=//evil.example/v poster=//evil.example/p></video>", "<audio src=//evil.example/a>",
    "<details ontoggle=evil()>x</details>",
    "<noscript><p title=\"</noscript><img src=x onerror=evil()>\"></noscript>",
    "<template><script>evil()</script></template>", "<textarea><script>evil()</script></textarea>",
    "<title><script>evil()</script></title>", "<xmp><script>evil()</script></xmp>",
    "<noembed><img src=x onerror=evil()></noembed>", "<plaintext><script>evil()</script>",
    "<!--><script>evil()</script>-->", "<![CDATA[<script>evil()</script>]]>", "<?php evil() ?>",
    "<p id=location name=evil>x</p>", "<body onload=evil()>x</body>",
    "<frameset><frame src=//evil.example></frameset>",
    "<table background=//evil.example><tr><td>x</td></tr></table>",
    "<p dir='\"><script>evil()</script>'>x</p>", "<p lang='\" onclick=evil()'>x</p>",
    "<o:p onclick=evil()>x</o:p>", "<x:script>evil()</x:script>",
    "<img srcset='//evil.example 2x'>", "<picture><source srcset=//evil.example></picture>",
    "<q cite=//evil.example>x</q>",
    "<img usemap=#m src=x><map name=m><area href=javascript:evil()></map>",
    "<marquee onstart=evil()>x</marquee>", "<input autofocus onfocus=evil()>",
    "<dialog open>evil</dialog>",
  ]

  @Test(arguments: hostile)
  func `no script runs, nothing is loaded, and a third pass changes nothing`(html: String) throws {
    let written = try clean("<p>before</p>\(html)<p>after</p>", base: "https://a.example/")

    try expectHarmless(written)
    #expect(written.contains("before"))
    let sanitizer = HTMLSanitizer(base: "https://a.example/s/1") { _ in nil }
    // The parser puts bare text into a paragraph the first time.
    let twice = try sanitizer.sanitized(try sanitizer.sanitized(html))
    #expect(try sanitizer.sanitized(twice) == twice)
  }

  private static func image(_ name: String) -> String {
    #"<img src="/image?url=https://p.example/\#(name)" alt="" loading="lazy" decoding="async">"#
  }

  @Test(arguments: [
    (
      "<p>&lt;script&gt;evil()&lt;/script&gt; &amp;lt; \"'</p>",
      "<p>&lt;script&gt;evil()&lt;/script&gt; &amp;lt; &quot;&#39;</p>"
    ),
    ("<blink>a<font color=red>b</font></blink>", "ab"),
    (
      "<p>a<picture><source srcset='https://p.example/1.webp'>"
        + "<source srcset='https://p.example/1.avif'><img src='https://p.example/1.jpg'></picture>b</p>",
      "<p>a\(image("1.jpg"))b</p>"
    ),
    (
      "<figure data-srcset='https://p.example/1 1x'><img src='blank.gif'><figcaption>c</figcaption>"
        + "</figure>", "<figure>\(image("1"))<figcaption>c</figcaption></figure>"
    ),
    (
      "<p><img src='data:image/png;base64,\(SamplePixels.png)' data-src='https://p.example/1'></p>",
      "<p>\(image("1"))</p>"
    ),
  ])
  func `text stays, and an image is shown once`(html: String, cleaned: String) throws {
    #expect(try clean(html) == cleaned)
  }

  @Test(arguments: HTMLAllowance.removedVoids.sorted())
  func `removing a void element leaves the elements around it`(name: String) throws {
    let html = try clean("<div><p>before</p><\(name) src=x><p>after</p></div><p>last</p>")

    #expect(html == "<div><p>before</p><p>after</p></div><p>last</p>")
  }

  @Test func `lazily loaded images are found; counters and missing images are not shown`() throws {
    let html = try HTMLSanitizer(base: "https://a.example/") { url in
      url.hasSuffix("gone.jpg")
        ? nil : PageImage(source: "/t?\"<", doubleSource: "/t2", width: 3, height: 4)
    }.sanitized(
      """
      <img src="data:image/svg+xml;utf8,x" data-original="https://p.example/a.jpg"><img src="gone.jpg">
      <img src="https://sugar.zhihu.com/track" ><img src="https://p.example/1.gif" width=1 height=1>
      """)

    #expect(
      html.trimmingWhiteSpace()
        == "<img src=\"/t?&quot;&lt;\" srcset=\"/t2 2x\" alt=\"\" width=\"3\" height=\"4\" loading=\"lazy\" decoding=\"async\">"
    )
  }

  @Test(arguments: [
    ("png", SamplePixels.png), ("gif", SamplePixels.gif), ("jpeg", SamplePixels.png),
    ("PNG;charset=x", SamplePixels.png),
  ])
  func `an embedded image stays with its text`(type: String, data: String) throws {
    let html = try clean("<p>a<img alt='A &quot;b' src=' data:image/\(type);base64,\(data) '>b</p>")

    let format = data == SamplePixels.gif ? "gif" : "png"
    #expect(
      html == "<p>a<img src=\"data:image/\(format);base64,\(data)\" alt=\"A &quot;b\" width=\"10\" "
        + "height=\"10\" loading=\"lazy\" decoding=\"async\">b</p>")
    #expect(try clean(html) == html)
  }

  @Test(arguments: [
    "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7",
    "data:image/gif;base64,R0lGODlhAwACAIAAAP///wAAACH5BAEAAAAALAAAAAADAAIAAAIChF8AOw==",
    "data:image/svg+xml;base64,PHN2Zy8+", "data:image/svg+xml,<svg onload=evil()>",
    "data:text/html;base64,PHNjcmlwdD4=", "data:image/png;base64,PHNjcmlwdD4=", "data:image/png,x",
    "data:image/png;base64,", "data:,", "data:image/png;base64,AAAA\" onload=evil()",
    "data:image/png;base64," + String(repeating: "A", count: 3 << 20),
  ])
  func `what only keeps a place, runs or is too large is not shown`(source: String) throws {
    #expect(try clean("<p>a<img src='\(source)'>b</p>") == "<p>ab</p>")
  }

  @Test func `tables and lists keep their structure, with numeric attributes in range`() throws {
    let html = try clean(
      "<table><tr><td colspan=2 rowspan=99999999>a</td></tr></table><ol start=3 type=a><li value=x>b</li></ol>"
    )

    #expect(html.contains("<td colspan=\"2\">a</td>"))
    #expect(html.contains("<ol start=\"3\"><li>b</li></ol>"))
  }

  @Test(arguments: [101, 200, 200_000]) func `deep nesting is cut`(depth: Int) throws {
    let html = try clean(
      String(repeating: "<div>", count: depth) + "deep" + String(repeating: "</div>", count: depth))

    let opened = html.components(of: "<div>")
    #expect(opened == HTMLSanitizer.maximumDepth)
    #expect(opened == html.components(of: "</div>"))
    // The parser itself stops at some depth.
    #expect(html.contains("deep") || depth > 200)
  }

  @Test func `HTML above the size limit is refused, HTML at the limit is parsed`() throws {
    let limit = HTMLSanitizer.maximumByteCount

    #expect(throws: ImageError.self) { try clean(String(repeating: "<", count: limit + 1)) }
    let html = try clean(String(repeating: "&", count: limit))

    #expect(html.utf8.count <= 6 * limit)
  }

  @Test func `an endless attribute and an endless URL end at a limit`() throws {
    let long = String(repeating: "x", count: 1 << 20)

    let html = try clean("<a href=\"https://a.example/\(long)\" title=\"\(long)\">t</a>")

    #expect(html.utf8.count < 1000)
  }

  @Test func `arbitrary bytes give harmless text`() throws {
    var random = SplitMix64(seed: 8)
    let pieces =
      Self.hostile + [
        "<", ">", "\"", "'", "/", "=", "\u{0}", "<!--", "]]>", "&#x", "\u{202E}", "<p ", "<a href=",
      ]

    for _ in 0..<400 {
      let html = (0..<12).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }.joined()
      try expectHarmless(try clean(html))
    }
  }

  /// Checks sanitized HTML with an independent reader: only tags of the expected shape, and in
  /// them only allowed addresses or links.
  private func expectHarmless(_ html: String) throws {
    let tag =
      #/<(?:/?[a-z0-9]+|a(?: title="[^"<>]*")?|a(?: (?:class|dir|lang|title)="[^"<>]*")* href="https?://[^"<>]*" rel="noopener noreferrer nofollow" target="_blank"|[a-z0-9]+(?: (?:class|dir|lang|title|colspan|rowspan|start|value)="[^"<>]*")+|img src="/[^"<>]*"(?: srcset="[^"<>]*")? alt="[^"<>]*"(?: width="\d+" height="\d+")?(?: class="[a-z -]+")? loading="lazy" decoding="async")>/#
    var rest = html[...]
    while let start = rest.firstIndex(of: "<") {
      let match = try #require(rest[start...].prefixMatch(of: tag), "\(rest[start...].prefix(80))")
      rest = rest[match.range.upperBound...]
    }
    let forbidden = HTMLAllowance.removed.union(HTMLAllowance.removedVoids)
    var found: Set<String> = []
    try Markup.readHTML(html) { step in
      if case .opens(let element) = step, forbidden.contains(element.name) {
        found.insert(element.name)
      }
    }
    // The parser itself puts a head around some pieces; nothing else may come back.
    #expect(found.isSubset(of: ["head"]))
  }
}

/// Images of ten pixels a side in Base64.
private enum SamplePixels {
  static let png =
    "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAAAAACoWZBhAAAADklEQVR4nGNogAMG2jMBvwQyARyn8w0AAAAASUVORK5CYII="
  static let gif =
    "R0lGODlhCgAKAIAAAAAAAP///ywAAAAACgAKAAACOUSIECFChAgRIkSIECFChAgRIkSIECFChAgRIkSIECFChAgRIkSIECFChAgRIkSIECFChAgRIkSIFAA7"
}

extension String {
  fileprivate func components(of piece: String) -> Int {
    split(separator: piece, omittingEmptySubsequences: false).count - 1
  }
}
