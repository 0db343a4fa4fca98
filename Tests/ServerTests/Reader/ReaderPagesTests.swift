import Foundation
import ImageFeeds
import Testing

@testable import HTTPListening
@testable import ThumbnailServer

@Suite struct `The reader's files` {
  private let today = DayKey(ordinal: 20_697)

  private func html(_ day: DayDescription?, _ language: PageLanguage = .chinese) -> String {
    ReaderPage(day: day, today: today, language: language).html
  }

  private func story(
    _ title: String, url: String? = nil, page: String? = nil, picture: String? = nil
  ) -> DayDescription.Story {
    let thumbs = picture.map {
      ["list": DayDescription.Thumbnail(single: $0, double: nil, width: 75, height: 75)]
    }
    return DayDescription.Story(
      id: title, title: title, label: title, hint: title, url: url, multipic: false, page: page,
      images: thumbs.map { [.init(url: "", cached: true, image: "", thumbs: $0)] } ?? [])
  }

  @Test func `every file that a page or a script names is there`() throws {
    let assets = try ReaderAssets()
    let story = StoryPage(title: "a", url: "", header: nil, html: "")
    var texts = [html(nil), try ReaderStoryPage(page: story, language: .english).html { _ in nil }]
    for name in assets.names where !name.hasPrefix("loading") {
      texts.append(String(decoding: try #require(assets[name]).bytes, as: UTF8.self))
    }

    var named: Set<String> = []
    for text in texts {
      for match in text.matches(
        of: /(?:from '\.\/|import\('\.\/|["']\/reader\/|new URL\('|"src":")([a-z][a-z0-9.-]*)['"]/)
      {
        named.insert(String(match.1))
      }
    }

    #expect(named.count > 12)
    for name in named { #expect(assets[name] != nil, "\(name)") }
    #expect(assets["../app.js"] == nil)
    // Every file is used by a page or another file.
    #expect(named.isSuperset(of: assets.names))
  }

  @Test func `no page holds a script or a style, as its policy demands`() throws {
    let day = DayDescription(day: "20260901", stories: [story("a")], topStories: [story("b")])
    let page = html(day)

    #expect(!page.contains("style="))
    #expect(!page.contains("<style"))
    #expect(
      page.matches(of: /<script[^>]*>/).map { String($0.0) } == [
        #"<script type="module" src="/reader/start.js">"#
      ])
    #expect(page.matches(of: #/ on[a-z]+=/#).isEmpty)
    #expect(Answer.sitePolicy.hasPrefix("default-src 'none'"))
    #expect(!Answer.sitePolicy.contains("unsafe"))
  }

  @Test func `what a feed says is text, and where it leads is the web or here`() throws {
    let evil = "<script>alert('\"&')</script>"
    let day = DayDescription(
      day: "20260901",
      stories: [
        story(evil, url: "javascript:alert(1)"), story("b", url: "https://a.example/\"><script>"),
        story("c", url: "https://a.example/", page: "//evil.example/"),
        story("d", page: "/days/20260901/stories/1", picture: "/thumb?a=\"><script>"),
      ], topStories: [story(evil)])

    let page = html(day)

    #expect(!page.contains("<script>"))
    #expect(!page.contains("javascript:"))
    #expect(page.contains("&lt;script&gt;alert(&#39;&quot;&amp;&#39;)&lt;/script&gt;"))
    #expect(page.contains(#"href="/days/20260901/stories/1""#))
    #expect(!page.contains("//evil.example"))
  }

  @Test func `the first screen has twelve stories and its label by the server's day`() throws {
    let day = DayDescription(
      day: "\(today.previous)", stories: (0..<40).map { story("story \($0)") }, topStories: [])

    let page = html(day, .english)

    #expect(page.components(separatedBy: "role=\"listitem\"").count - 1 == 12)
    #expect(page.contains("<h2>Yesterday</h2>"))
    #expect(page.contains("data-today=\"\(today)\""))
    #expect(page.contains("without-banner"))
  }

  @Test(arguments: [
    (nil, nil, PageLanguage.chinese), ("lang=en", nil, .english), ("a=b&lang=zh", "en", .chinese),
    ("lang=xx", "en", .english), ("lang=", nil, .chinese),
  ])
  func `the language is the one that was chosen, else the browser's`(
    query: String?, field: String?, language: PageLanguage
  ) {
    #expect(PageLanguage(chosenBy: query) ?? PageLanguage(accepting: field) == language)
  }

  @Test(arguments: [true, false])
  func `a language that was chosen is kept from page to page`(isChosen: Bool) throws {
    let day = DayDescription(
      day: "20260901", stories: [story("a", page: "/days/20260901/stories/1")], topStories: [])
    let page = StoryPage(title: "a", url: "", header: nil, html: "")

    let list = ReaderPage(day: day, today: today, language: .english, isChosen: isChosen).html
    let text = try ReaderStoryPage(page: page, language: .english, isChosen: isChosen)
      .html { _ in nil }

    let query = isChosen ? "?lang=en" : ""
    #expect(list.contains("href=\"/days/20260901/stories/1\(query)\""))
    #expect(text.contains("<a class=\"back\" href=\"/\(query)\">"))
  }

  @Test func `a story's page holds its text, pictures from here, and only our script`() throws {
    let story = StoryPage(
      title: "a <b>", url: "https://a.example/s?a=1&b", header: "https://p.example/h.jpg",
      html: "<p onclick=x>t<img src='https://p.example/1.jpg'></p><script>evil()</script>")

    let page = try ReaderStoryPage(page: story, language: .english).html { url in
      PageImage(source: "/thumb?url=\(url.suffix(5))", width: 4, height: 3)
    }

    #expect(page.contains("<h1 dir=\"auto\">a &lt;b&gt;</h1>"))
    #expect(page.contains(#"<img class="header" src="/thumb?url=h.jpg""#))
    #expect(page.contains(#"<img src="/thumb?url=1.jpg" alt="" width="4" height="3""#))
    #expect(page.contains("href=\"https://a.example/s?a=1&amp;b\" rel=\"noopener noreferrer\""))
    #expect(
      page.matches(of: /<script[^>]*>/).map { String($0.0) } == [
        #"<script type="module" src="/reader/story.js">"#
      ])
    #expect(!page.contains("evil"))
    #expect(!page.contains("onclick"))
  }

  @Test func `a story is between those of its list that have pages`() throws {
    let stories = (0..<5).map { FeedStory(id: "\($0)", title: "story \($0)") }
    let day = FeedDay(day: today, stories: stories, topStories: [FeedStory(id: "9")])
    func beside(_ id: String) throws -> [String?] {
      let story = try #require((stories + day.topStories).first { $0.id == id })
      let entry = ReaderStoryPage.Entry(
        of: story, in: day, paged: ["0", "1", "3", "4", "9"], target: { "/\($0)" })
      return [entry.previous?.target, entry.next?.target]
    }

    #expect(try beside("0") == [nil, "/1"])
    #expect(try beside("1") == ["/0", "/3"])
    #expect(try beside("4") == ["/3", nil])
    #expect(try beside("9") == [nil, nil])
  }

  @Test func `a heading that repeats the title is left out, others stay`() throws {
    let title = "A <b> title"
    let story = StoryPage(
      title: title, url: "",
      html: """
        <h2 class="question-title">A &lt;b&gt; title</h2><h2 class="question-title"></h2>
        <h2 class="question-title">Another</h2><h2>A &lt;b&gt; title</h2>
        """)

    let page = try ReaderStoryPage(page: story, language: .english).html { _ in nil }

    #expect(page.components(separatedBy: "question-title").count == 2)
    #expect(page.contains(">Another</h2>"))
    #expect(page.contains("<h2>A &lt;b&gt; title</h2>"))
  }

  @Test func `titles have the language of their letters`() throws {
    var chinese = story("山", picture: "/thumb")
    chinese.lang = "zh-CN"
    let page = html(
      DayDescription(day: "20260901", stories: [chinese, story("b")], topStories: [chinese]),
      .english)
    let text = try ReaderStoryPage(
      page: StoryPage(title: "山", url: "", html: ""), language: .english
    ).html { _ in nil }

    #expect(page.contains("<span class=\"title\" lang=\"zh-CN\" dir=\"auto\">山"))
    #expect(page.contains("<strong lang=\"zh-CN\" dir=\"auto\">山"))
    #expect(page.contains("<span class=\"title\" dir=\"auto\">b"))
    #expect(text.contains("dir=\"auto\" lang=\"zh-CN\">\n"))
  }
}
