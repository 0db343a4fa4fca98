import Foundation

@testable import HTTPListening
@testable import ImageCodecs
@testable import ImageFeeds
@testable import ImageModel
@testable import SampleFeed
@testable import ThumbnailServer
@testable import TestSupport

/// A server of the reader whose days the test writes: the real page and files, pictures of one
/// colour, and every answer that may go wrong.
final class ReaderStub: Sendable {
  /// What the server is to do.
  struct Plan: Sendable {
    /// Newest first, by how many stories they have.
    var days = ReaderStub.plainDays
    /// In place of the newest day: a status and a body.
    var latest: (status: Int, body: String)?
    /// The page of every story; without one stories are said to have pages that are not there.
    var story: StoryPage?
    /// Whether stories lead to the web, having no pages here.
    var hasNoPages = false
    /// Days of which one picture is not cached.
    var incompleteDays: Set<String> = []
    /// The title of every story, in place of several.
    var title: String?
    /// Holds searches back until it opens.
    var search: Gate?
    /// Whether the page comes without a first screen.
    var hidesFirstScreen = false
    /// Pictures whose address contains one of these are not there.
    var deadPictures: [String] = []
    /// Holds the first picture of each day's list back until it opens; held all, they would take
    /// every connection that the browser makes.
    var pictures: Gate?
    /// What each picture is like, in Base64.
    var thumbHash: String?
    /// Holds the scripts back until it opens.
    var scripts: Gate?
    /// Holds a refresh after its first event until it opens.
    var refresh: Gate?
    /// Holds `GET /days/{day}` of any day but the newest until it opens.
    var older: Gate?
    /// The last event of a refresh.
    var ending =
      "event: done\ndata: {\"images\":5,\"revalidated\":5,\"downloaded\":0,\"failed\":0}\n\n"
    /// The answer to the request for a refresh.
    var refreshStatus = 202
    var refreshedAt = "2026-09-01T07:05:00Z"
  }

  private struct State {
    var plan: Plan
    var requests: [LoopbackRequest] = []
  }
  private let state: Locked<State>
  private let server: LoopbackServer
  private let first: Plan

  init(_ plan: Plan) throws {
    first = plan
    let state = Locked(State(plan: plan))
    self.state = state
    let assets = try ReaderAssets()
    let pictures = try Pictures()
    server = try LoopbackServer(rawHandler: { request, connection in
      let plan = state.withLock { state in
        state.requests.append(request)
        return state.plan
      }
      return Self.answer(request, connection, plan, assets, pictures)
    })
  }

  var address: String { server.origin + "/" }
  var origin: String { server.origin }
  var requests: [LoopbackRequest] { state.withLock { $0.requests } }
  func change(_ body: (inout Plan) -> Void) { state.withLock { body(&$0.plan) } }
  func count(_ path: String) -> Int { requests.filter { $0.path == path }.count }

  /// Ends it, and lets go of whatever it holds back: a test that fails must not wait for itself.
  func stop() {
    for plan in [first, state.withLock { $0.plan }] {
      for gate in [plan.pictures, plan.scripts, plan.refresh, plan.older, plan.search] {
        gate?.open()
      }
    }
    server.stop()
  }

  static let plainDays: [(day: String, stories: Int, topStories: Int)] = [
    ("20260901", 8, 5), ("20260831", 6, 0), ("20260830", 7, 0), ("20260829", 6, 0),
    ("20260828", 6, 0), ("20260827", 6, 0),
  ]

  private static func answer(
    _ request: LoopbackRequest, _ connection: LoopbackConnection, _ plan: Plan,
    _ assets: ReaderAssets, _ pictures: Pictures
  ) -> Bool {
    func send(_ response: LoopbackResponse) -> Bool {
      connection.send(response.wire(isHead: false, keepsAlive: true))
    }
    func json(_ text: String, status: Int = 200) -> Bool {
      send(
        LoopbackResponse(
          status: status, headers: [("Content-Type", "application/json")], body: Array(text.utf8)))
    }
    let parts = request.path.split(separator: "/").map(String.init)
    let chosen = PageLanguage(chosenBy: request.query)
    let language = chosen ?? PageLanguage(accepting: request["accept-language"])
    let isPage = parts.count < 3 && request["accept"]?.contains("text/html") == true
    switch (request.method, parts.first) {
    case ("GET", nil),
      ("GET", "days") where isPage:
      let first = plan.hidesFirstScreen ? nil : plan.days.first
      let day = first.flatMap { first -> DayDescription? in
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try? decoder.decode(
          DayDescription.self, from: Data(dayJSON(first, previous: nil, plan, limit: 12).utf8))
      }
      let today = DayKey(plan.days.first?.day ?? "20260901") ?? DayKey(ordinal: 0)
      let page = ReaderPage(
        day: day, pastDays: parts == ["days"] ? plan.days.compactMap { DayKey($0.day) } : nil,
        today: today, language: language, isChosen: chosen != nil)
      return send(wire(asset(page.html)))
    case ("GET", "reader"):
      if parts[1].hasSuffix(".js") { plan.scripts?.block() }
      guard let asset = assets[parts[1]] else { return json("{}", status: 404) }
      return send(wire(asset))
    case ("GET", "picture"):
      if request.target.contains("-s0?") { plan.pictures?.block() }
      guard !plan.deadPictures.contains(where: { request.target.contains($0) }) else {
        return json("{}", status: 404)
      }
      return send(
        LoopbackResponse(
          headers: [("Content-Type", "image/png"), ("Cache-Control", "max-age=60")],
          body: pictures.picture(for: request.path)))
    case ("GET", "stats"):
      return json(#"{"entries":1234,"bytes":56789,"memory":{"hits":10,"misses":2}}"#)
    case ("GET", "days") where parts.count == 1: return list(request, plan, json)
    case ("POST", "days"):
      let day = plan.days.first?.day ?? "latest"
      return json(#"{"events":"/days/\#(day)/events"}"#, status: plan.refreshStatus)
    case ("GET", "days") where parts.count == 3:
      connection.send(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
      )
      connection.send(
        "event: progress\ndata: {\"done\":2,\"total\":5,\"failed\":0,\"url\":\"x\"}\n\n")
      plan.refresh?.block()
      connection.send(plan.ending)
      return false
    case ("GET", "days") where parts.count == 4:
      let page = plan.story.flatMap { story in
        try? ReaderStoryPage(
          page: story, entry: entry(parts[1], Int(parts[3]) ?? 0), today: DayKey(ordinal: 20_697),
          language: language
        ).html { url in
          let width = url.contains("small") ? 120 : 720
          return PageImage(source: "/picture/story", width: width, height: width * 3 / 4)
        }
      }
      return page.map { send(wire(asset($0))) } ?? json("{}", status: 404)
    case ("GET", "days"): return days(parts[1], plan, json)
    default: return json("{}", status: 404)
    }
  }

  /// What a day tells of a story with others before and after it.
  private static func entry(_ day: String, _ number: Int) -> ReaderStoryPage.Entry {
    func neighbour(_ number: Int) -> ReaderStoryPage.Neighbour? {
      guard (0..<8).contains(number) else { return nil }
      return .init(
        title: "\(titles[number % titles.count]) \(number + 1)",
        target: "/days/\(day)/stories/\(number)")
    }
    return ReaderStoryPage.Entry(
      id: "\(day)s\(number)", day: DayKey(day) ?? DayKey(ordinal: 0), hint: "样例 · 1 分钟",
      previous: neighbour(number - 1), next: neighbour(number + 1))
  }

  private static func list(
    _ request: LoopbackRequest, _ plan: Plan, _ json: (String, Int) -> Bool
  ) -> Bool {
    let query = URLComponents(string: "http://a/?" + (request.query ?? ""))?.queryItems ?? []
    func value(_ name: String) -> String? { query.first { $0.name == name }?.value }
    if let text = value("q") { return search(text, plan, json) }
    let days = plan.days.filter { $0.day.hasPrefix(value("month") ?? "") }.map {
      """
      {"day":"\($0.day)","stories":\($0.stories),"top_stories":\($0.topStories),"images":\($0.stories),\
      "cached":\($0.stories - (plan.incompleteDays.contains($0.day) ? 1 : 0)),\
      "refreshed_at":"\(plan.refreshedAt)","href":"/days/\($0.day)"}
      """
    }
    return json("{\"days\":[\(days.joined(separator: ","))]}", 200)
  }

  private static func search(
    _ text: String, _ plan: Plan, _ json: (String, Int) -> Bool
  ) -> Bool {
    plan.search?.block()
    let found = plan.days.flatMap { day -> [[String: Any]] in
      let whole = dayJSON(day, previous: nil, plan, limit: .max)
      let object = try? JSONSerialization.jsonObject(with: Data(whole.utf8)) as? [String: Any]
      let stories = object?["stories"] as? [[String: Any]] ?? []
      return stories.filter { ($0["title"] as? String)?.contains(text) == true }
        .map { $0.merging(["day": day.day, "href": "/days/\(day.day)"]) { $1 } }
    }
    let answer: [String: Any] = ["complete": true, "stories": found]
    let data = (try? JSONSerialization.data(withJSONObject: answer)) ?? Data()
    return json(String(decoding: data, as: UTF8.self), 200)
  }

  private static func days(
    _ name: String, _ plan: Plan, _ json: (String, Int) -> Bool
  ) -> Bool {
    if name == "latest", let latest = plan.latest { return json(latest.body, latest.status) }
    guard let index = name == "latest" ? 0 : plan.days.firstIndex(where: { $0.day == name }),
      index < plan.days.count
    else { return json(#"{"title":"not cached"}"#, 404) }
    if index > 0 { plan.older?.block() }
    let previous = index + 1 < plan.days.count ? plan.days[index + 1].day : nil
    let next = index > 0 ? plan.days[index - 1].day : nil
    return json(dayJSON(plan.days[index], previous: previous, next: next, plan, limit: .max), 200)
  }

  private static func dayJSON(
    _ day: (day: String, stories: Int, topStories: Int), previous: String?, next: String? = nil,
    _ plan: Plan, limit: Int
  ) -> String {
    func image(_ name: String) -> String {
      let preset = { (name: String, path: String, width: Int, height: Int) in
        "\"\(name)\":{\"1x\":\"/picture/\(path)?s=1\",\"2x\":\"/picture/\(path)?s=2\",\"width\":\(width),\"height\":\(height)}"
      }
      return """
        {"url":"http://p.invalid/\(name)","cached":true,"width":150,"height":150,"format":"jpeg","bytes":5000,\
        "dominant_color":"#4a7b9d","thumb_hash":\(plan.thumbHash.map { "\"\($0)\"" } ?? "null"),"image":"/picture/\(name)","thumbs":{\
        \(preset("list", name, 75, 75)),\(preset("hero", name, 375, 280)),\(preset("page", name, 720, 0))}}
        """
    }
    func story(_ number: Int, _ kind: String) -> String {
      let title = plan.title ?? "\(titles[number % titles.count]) \(number + 1)"
      let images = number % 5 == 4 && kind == "s" ? "" : image("\(day.day)-\(kind)\(number % 200)")
      return """
        {"id":"\(day.day)\(kind)\(number)","title":"\(title)","label":"\(title)",\
        "lang":"zh-CN","hint":"样例 · \(number % 5 + 1) 分钟","url":"https://a.invalid/\(number)",\
        "page":\(plan.hasNoPages ? "null" : "\"/days/\(day.day)/stories/\(number)\""),\
        "hue":"#b0c4d8","multipic":\(number == 2),\
        "images":[\(images)]}
        """
    }
    let stories = (0..<min(day.stories, limit)).map { story($0, "s") }.joined(separator: ",")
    let tops = (0..<day.topStories).map { story($0, "t") }.joined(separator: ",")
    return """
      {"day":"\(day.day)","refreshed_at":"\(plan.refreshedAt)",\
      "previous":\(previous.map { "\"/days/\($0)\"" } ?? "null"),\
      "next":\(next.map { "\"/days/\($0)\"" } ?? "null"),\
      "stories":[\(stories)],"top_stories":[\(tops)],"warnings":[]}
      """
  }

  private static let titles = [
    "山为什么远看是蓝色的？", "一盏灯能照多远？", "云从哪里来？", "雾是低处的云吗？", "<b>&amp;\\r\\n</b> 一张图有多重？",
  ]

  private static func asset(_ html: String) -> ReaderAsset {
    ReaderAsset(mediaType: "text/html; charset=utf-8", bytes: Array(html.utf8))
  }

  private static func wire(_ asset: ReaderAsset) -> LoopbackResponse {
    LoopbackResponse(
      headers: [
        ("Content-Type", asset.mediaType), ("X-Content-Type-Options", "nosniff"),
        ("Content-Security-Policy", Answer.sitePolicy),
      ], body: asset.bytes)
  }

  /// A few pictures, told apart by the names of their addresses.
  private struct Pictures: Sendable {
    let all: [[UInt8]]

    init() throws {
      all = try (0..<7).map { number in
        var canvas = SampleCanvas(
          size: PixelSize(width: 320, height: 240), name: "/pictures/\(number)")
        return try ImageCodecs.encodePNG(canvas.landscape(grain: 0))
      }
    }

    func picture(for path: String) -> [UInt8] {
      all[path.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % all.count]
    }
  }
}
