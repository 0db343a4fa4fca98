import Foundation
import Testing

@testable import ImageFeeds
@testable import ThumbnailServer
@testable import TestSupport

/// The reader as users have it: `imgcache prefetch`, `imgcache serve`, a browser.
@Suite(.serialized, .needsBrowser)
struct `The reader of imgcache serve` {
  @Test func `the days of the sample are shown, refreshed and read`() async throws {
    let served = try await ServeProgram.sample(days: 3)
    defer { served.child.stop() }
    let page = try await BrowserPage(features: ["prefers-reduced-motion": "reduce"])
    try await page.go(to: served.url("/"))
    try await page.wait(until: "document.documentElement.classList.contains('ready')")

    // Every picture in sight is there.
    try await page.wait(
      until: """
        [...document.querySelectorAll('.slide img, .row img')].length > 8
          && [...document.querySelectorAll('.slide img')].every((image) => image.naturalWidth > 0)
        """)
    try await page.expect(number: "document.querySelectorAll('.slide').length", 7)
    for count in 2...3 {
      try await page.value("document.querySelector('#page-today').scrollTo(0, 1e9)")
      try await page.wait(until: "document.querySelectorAll('.day').length >= \(count)")
    }
    #expect(try await page.layoutShifts() == "")

    // A refresh asks the origin and tells how far it is.
    try await page.tap("#refresh")
    try await page.wait(
      until: "document.querySelector('.hud .panel').textContent.includes('已更新')")

    // A story's page comes from the cache, with its pictures and no script but ours.
    try await page.value("document.querySelector('.row .open').click()")
    try await page.wait(
      until: "location.pathname.includes('/stories/') && document.images.length >= 4")
    try await page.value("window.scrollTo(0, document.body.scrollHeight)")
    try await page.wait(until: "[...document.images].every((image) => image.naturalWidth > 0)")
    try await page.expect(
      text: "[...document.scripts].map(({ src }) => new URL(src).pathname).join()",
      "/reader/story.js")
    // Its facts, its picture's credit, and pictures as wide as the column.
    try await page.expect(
      text: "document.querySelector('.facts time').textContent", "今天")
    try await page.expect(
      text: "document.querySelector('figcaption').textContent", "图片：样例 / CC0")
    try await page.expect(
      text: "document.querySelector('article p img').getAttribute('width')", "720")

    #expect(page.faults() == [])
    #expect(page.requests().filter { !$0.hasPrefix(served.url("/")) } == [])
    try await page.close()
  }

  @Test func `of several feeds stories have the name, and one is shown alone`() async throws {
    let (cache, origin) = (try Scratch(), try FeedOrigin(images: ["a", "b", "c"]))
    defer { origin.stop() }
    for (path, title, names) in [("/one", "One & 1", ["a", "b"]), ("/two", "两", ["c"])] {
      let items = names.map { name in
        "<item><guid>\(name)</guid><title>title of \(name)</title><pubDate>2020-06-17</pubDate>"
          + "<description>text &lt;img src=\"\(origin.image(name))\"&gt;</description></item>"
      }.joined()
      let channel =
        "<channel><title>\(title.replacing("&", with: "&amp;"))</title>\(items)</channel>"
      origin.origin[path] = [.whole(Array("<rss>\(channel)</rss>".utf8))]
      _ = try await Tool.prefetch(cache, ["--feed", origin.url(path)])
    }
    let served = try await ServeProgram(["--offline"], scratch: cache)
    defer { served.child.stop() }
    let two = "feed=" + QueryPairs.encoded(origin.url("/two"))
    let list = try await served.exchange("GET", "/days").object()
    let day = try await served.exchange("GET", "/days/latest?\(two)").object()
    let found = try await served.exchange("GET", "/days?q=title&\(two)").object()
    let none = try await served.exchange("GET", "/days/latest?feed=none")

    #expect(
      (list["feeds"] as? [[String: Any]])?.map { $0["title"] as? String } == ["One & 1", "两"])
    #expect(((list["days"] as? [[String: Any]])?.first?["feeds"] as? [Any])?.count == 2)
    let stories = day["stories"] as? [[String: Any]]
    #expect(stories?.map { $0["title"] as? String } == ["title of c"])
    #expect((stories?.first?["feed"] as? [String: Any])?["title"] as? String == "两")
    #expect((found["stories"] as? [Any])?.count == 1)
    #expect(none.status == 404)

    let page = try await BrowserPage(features: ["prefers-reduced-motion": "reduce"])
    try await page.go(to: served.url("/"))
    try await page.wait(until: "document.documentElement.classList.contains('ready')")
    try await page.expect(
      text:
        "[...document.querySelectorAll('.row .hint')].map((hint) => hint.textContent).sort().join()",
      "One & 1,One & 1,两")
    #expect(try await page.layoutShifts() == "")
    try await page.tap("#tab-past")
    try await page.wait(until: "document.querySelectorAll('.feed-choice option').length === 3")
    try await page.value(
      """
      (() => {
        const choice = document.querySelector('.feed-choice select');
        choice.value = '\(origin.url("/two"))';
        choice.dispatchEvent(new Event('change'));
      })()
      """)
    try await page.wait(
      until: "location.search !== '' && document.documentElement.classList.contains('ready')")
    try await page.expect(text: "document.querySelector('#bar h1').textContent", "两")
    try await page.expect(number: "document.querySelectorAll('.row').length", 1)
    try await page.expect(number: "document.querySelectorAll('.row .hint').length", 0)
    #expect(page.faults() == [])
    try await page.close()
  }

  @Test(arguments: [("", SIGKILL), ("/img/daily", SIGSTOP)])
  func `what was opened is read when the server has gone or hangs`(
    prefix: String, signal: Int32
  ) async throws {
    let served = try await ServeProgram.sample(
      days: 2, prefix.isEmpty ? [] : ["--path-prefix", prefix])
    // A stopped one takes no other signal.
    defer { served.child.signal(SIGKILL) }
    let page = try await BrowserPage(
      features: ["prefers-reduced-motion": "reduce"], allowsWorker: true)
    func open(_ path: String) async throws {
      try await page.go(to: served.url(prefix + path))
      try await page.wait(until: "document.querySelector('.ready, article')")
    }
    /// Waits until the browser has a copy of something.
    func kept(_ address: String) async throws {
      try await page.expect(
        value: """
          (async () => {
            for (let attempt = 0; attempt < 2000; attempt += 1) {
              if (await caches.match(\(address), { ignoreVary: true })) return true;
              await new Promise((resolve) => { setTimeout(resolve, 10); });
            }
            return false;
          })()
          """, .bool(true))
    }

    try await open("/")
    try await page.expect(
      text:
        "fetch(document.querySelector('[rel=manifest]').href).then((it) => it.json()).then((it) => it.scope)",
      "../")
    try await kept("location.href")
    try await kept("'\(prefix)/days/latest'")
    try await kept("'\(prefix)/reader/viewer.js'")
    let story = try await page.text("document.querySelector('.row .open').pathname")
    try await page.value("document.querySelector('.row .open').click()")
    try await page.wait(
      until: "location.pathname === '\(story)' && document.images[0]?.naturalWidth > 0")
    let title = try await page.text("document.title")
    try await kept("location.href")
    try await kept("document.images[0].currentSrc")
    #expect(page.faults() == [])
    served.child.signal(signal)

    // No day but the newest was opened; the page is the same.
    try await open("/days/latest")
    try await page.wait(
      until: """
        document.querySelectorAll('.row').length > 3
          && [...document.querySelectorAll('.slide img')].some((image) => image.naturalWidth > 0)
        """)
    try await page.value("document.querySelector('.row .open').click()")
    try await page.wait(until: "location.pathname === '\(story)'")
    try await page.wait(until: "document.title === '\(title)'")
    try await page.wait(until: "document.images[0].naturalWidth > 0")
    try await page.close()
  }
}
