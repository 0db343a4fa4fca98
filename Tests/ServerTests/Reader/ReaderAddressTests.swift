import Foundation
import Testing

@testable import HTTPListening
@testable import ImageFeeds
@testable import ImageModel
@testable import ThumbnailServer
@testable import TestSupport

@Suite(.needsBrowser) struct `The addresses of the reader`: ReaderVisiting {
  private typealias StubDays = `Days over HTTP`.StubDays

  private static let browser =
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"

  // MARK: The page or JSON

  @Test(
    arguments: [
      (browser, true), ("text/html", true), ("application/json;q=0.5, text/html", true),
      ("text/*", true), ("*/*", false), (nil, false), ("application/json", false),
      ("text/html, application/json", false), ("text/html;q=0.4, */*;q=0.5", false),
      ("text/html;q=0", false), ("image/*", false), ("", false), (";;q=,", false),
    ] as [(String?, Bool)])
  func `a client that prefers HTML gets the page, every other one JSON`(
    accept: String?, isPage: Bool
  ) async throws {
    let server = try await ServerFixture(serving: { $0.days = StubDays() })
    for path in ["/days", "/days/latest", "/days/20200616"] {
      let answer = try await server.get(path, accept.map { ["Accept: \($0)"] } ?? [])

      #expect(answer.status == 200)
      #expect(answer["content-type"]?.hasPrefix("text/html") == isPage, "\(path)")
      #expect(answer["vary"] == (isPage ? "Accept, Accept-Language" : "Accept"))
    }
  }

  @Test func `the page of a day and of the list of days has what it names, without a script`()
    async throws
  {
    let server = try await ServerFixture(serving: { $0.days = StubDays() })
    func page(_ path: String) async throws -> RawAnswer {
      try await server.get(path, ["Accept: \(Self.browser)", "Accept-Language: en"])
    }
    let (day, list) = (try await page("/days/20200616"), try await page("/days?lang=zh"))

    #expect(day.text.contains("data-day=\"20200616\""))
    #expect(day.text.contains("<title>Tuesday, June 16, 2020 · Daily reading</title>"))
    #expect(list.text.contains("data-shows=\"past\"") && !day.text.contains("data-shows"))
    #expect(list.text.contains("href=\"/days/20200614?lang=zh\""))
    #expect(
      list.text.matches(of: /href="[^"]*" aria-controls="page-past" aria-selected="true"/).count
        == 1)
    // What is absent is said, and the newest day is in its place; JSON has a problem.
    for (path, status, text) in [
      ("/days/20100101", 404, "day"), ("/days/20201399", 400, "day"), ("/days/x", 400, "day"),
      ("/days/latest?feed=none", 404, "day"), ("/days/20200616/stories/none", 404, "story"),
    ] {
      let (absent, problem) = (try await page(path), try await server.get(path))
      #expect(absent.status == 404, "\(path)")
      #expect(absent.text.contains("role=\"status\">This \(text) is not in the cache"), "\(path)")
      #expect(absent.text.contains("data-day=\"20200617\"") != path.contains("feed"), "\(path)")
      #expect(problem.status == status && problem["content-type"] == "application/problem+json")
      #expect(text == "story" || problem["vary"] == "Accept")
    }
    #expect(try await page("/days?feed=none").status == 404)
    for path in ["/days/", "/days/20200616/"] { #expect(try await page(path).status == 200) }
  }

  @Test func `tabs and days are opened by their addresses, and the way back leads through them`()
    async throws
  {
    try await reading(path: "days", allowsShift: true) { page, stub in
      try await page.expect(text: "$('[aria-selected=true]').id", "tab-past")
      try await page.wait(until: "$$('.past-day [aria-expanded]').length === 6")
      try await page.expect(value: "$('#page-today').inert", .bool(true))
      try await show("favourites", on: page)
      try await page.expect(text: "location.pathname + location.hash", "/#favourites")
      try await show("today", on: page)
      try await page.expect(text: "location.pathname", "/")
      try await page.value("$('#calendar').click()")
      try await page.wait(
        until: "$('#calendar-layer [data-day=\"20260901\"]').dataset.state === 'complete'")
      try await page.value("$('#calendar-layer .before').click()")
      try await page.wait(until: "$('#calendar-layer [data-day=\"20260831\"]')?.dataset.state")
      try await page.value("$('#calendar-layer [data-day=\"20260831\"]').click()")
      try await page.wait(until: "location.pathname === '/days/20260831'")
      try await page.wait(until: "$('.day').dataset.day === '20260831'")
      // Another tab in its place does not lose the day.
      try await show("past", on: page)
      try await page.expect(text: "location.pathname", "/days")
      try await show("today", on: page)
      try await page.expect(text: "location.pathname", "/days/20260831")
      try await page.value("history.back()")
      try await page.wait(
        until: "location.pathname === '/' && $('.day').dataset.day === '20260901'")
    }
    try await reading(path: "days/20260831/", allowsShift: true) { page, _ in
      try await page.expect(text: "$('.day').dataset.day", "20260831")
      try await page.expect(text: "location.pathname", "/days/20260831")
    }
    try await reading(path: "?lang=en#favourites", allowsShift: true) { page, _ in
      try await page.expect(text: "$('[aria-selected=true]').id", "tab-favourites")
      try await show("past", on: page)
      try await page.expect(text: "location.pathname + location.search", "/days?lang=en")
    }
  }

  @Test func `a search in the address is opened`() async throws {
    try await reading(path: "days?q=%E4%BA%91", allowsShift: true) { page, _ in
      try await page.wait(until: "$('#search-layer').open && $$('.hit').length > 0")
      try await page.expect(text: "$('#search-layer input').value", "云")
      try await page.expect(text: "location.pathname + location.search", "/days")
      try await page.value("$('#search-layer .close').click()")
      try await page.wait(until: "!$('#search-layer').open")
    }
  }

  // MARK: Below a path

  @Test func `every route is below the path prefix, and every link leads there`() async throws {
    let log = Locked<[String]>([])
    let keys = [SigningKey(name: "k", secret: [1, 2, 3])]
    let origin = try FaultyOrigin([
      "/a.jpg": [.whole(SampleImages.widePhoto, fields: ["Cache-Control: max-age=1000"])]
    ])
    let server = try await ServerFixture(serving: {
      $0.days = StubDays(origin: origin.url(""))
      $0.signingKeys = keys
      $0.pathPrefix = "/img/"
      $0.accessLog = AccessLog.Configuration { line in log.withLock { $0.append(line) } }
    })

    for path in ["/img", "/img/", "/img?lang=en", "/img/healthz", "/img/reader/app.js"] {
      #expect(try await server.get(path).status == 200, "\(path)")
    }
    for path in ["/", "/healthz", "/days", "/imgs/", "/im", "/img//img/", "//img/", "/IMG/"] {
      #expect(try await server.get(path).status == 404, "\(path)")
    }
    let list = try await server.get("/img/days").object()
    let day = try await server.get("/img/days/20200616").object()
    let begun = try await server.exchange("POST", "/img/days/latest/refresh")
    #expect(((list["days"] as? [[String: Any]])?[1])?["href"] as? String == "/img/days/20200616")
    #expect(day["next"] as? String == "/img/days/20200617")
    #expect(begun["location"] == "/img/days/latest/events")
    // A proxy in front may ask for another host.
    let fields = ["Origin: https://pages.example", "Sec-Fetch-Site: same-origin"]
    let proxied = try await server.exchange("POST", "/img/days/20200614/refresh", fields)
    #expect(proxied.status == 202)

    let page = try await server.get("/img/")
    let named = page.text.matches(of: /(?:href|src)="(\/[^"]*)"/).map { String($0.1) }
    #expect(named.count > 8)
    for target in named {
      #expect(target.hasPrefix("/img/"))
      let target = target.replacing("&amp;", with: "&").prefix { $0 != "#" }
      #expect(try await server.get(String(target)).status == 200, "\(target)")
    }
    // The signature is that of the whole path.
    let thumb = try #require(named.first { $0.contains("/thumb?") }).replacing("&amp;", with: "&")
    #expect(URLSigner(keys: keys).judge(try QueryPairs(target: thumb), now: 0) == .good(until: nil))
    #expect(try await server.get(thumb)["cache-status"] == "imgcache; hit; detail=memory")
    #expect(log.withLock { $0.contains { $0.contains("\"GET /img/thumb?") } })
    #expect(log.withLock { $0.contains { $0.contains("\"GET /healthz\" 404") } })
    #expect(server.parts.metrics.requests.statuses(of: ThumbnailRoute.reader)[200] ?? 0 > 3)
    #expect(
      try await server.get("/img/reader/worker.js")["service-worker-allowed"] == "/img/")
  }
}
