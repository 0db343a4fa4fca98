import Foundation
import Testing

@testable import HTTPListening
@testable import ImageFeeds
@testable import ImageModel
@testable import ThumbnailServer
@testable import TestSupport

@Suite struct `Days over HTTP` {
  /// Two days; their refresh continues when a gate opens.
  final class StubDays: DayProviding {
    let gate = Gate()
    /// Refreshes that finished.
    let finished = Locked(0)
    let fails = Locked(false)
    /// Known days that were removed.
    let removed = Locked<[DayKey?]>([])
    let origin: String
    init(origin: String = "http://127.0.0.1:9") { self.origin = origin }

    static let newer = DayKey("20200617")
    static let older = DayKey("20200616")

    static let oldest = DayKey("20200614")

    func keptDays() async throws -> [DayKey] {
      [Self.newer, Self.older, Self.oldest].compactMap(\.self)
    }

    func day(_ day: DayKey) async throws -> FeedDay? {
      guard try await keptDays().contains(day), !removed.withLock({ $0.contains(day) }) else {
        return nil
      }
      var story = FeedStory(id: "7", title: "A \"title\"\n二")
      story.images = [
        FeedImage(url: origin + "/a.jpg?x=1&y=2", role: .story, storyID: "7", index: 0)
      ]
      story.hue = "aabbcc"
      story.isMultipic = true
      return FeedDay(day: day, stories: [story], topStories: [story])
    }

    func names(_ url: String) async -> Bool { url.hasPrefix(origin + "/a.jpg") }
    func lastRefresh(of day: DayKey) async -> String? { "2020-06-17T00:00:00Z" }

    func refresh(
      _ query: DayQuery, progress: @escaping @Sendable (RefreshProgress) -> Void
    ) async throws -> RefreshProgress {
      var now = RefreshProgress()
      now.total = 2
      now.day = query == .latest ? Self.newer : nil
      now.revalidated = 1
      now.url = origin + "/a.jpg"
      progress(now)
      await withTaskCancellationHandler {
        await gate.wait()
      } onCancel: {
        gate.open()
      }
      try Task.checkCancellation()
      if fails.withLock({ $0 }) { throw ImageError(.timedOut, "the origin at 10.0.0.1 is late") }
      now.downloaded = 1
      finished.withLock { $0 += 1 }
      return now
    }
  }

  private func server(_ days: StubDays = StubDays(), keys: [SigningKey] = []) async throws
    -> ServerFixture
  {
    try await ServerFixture(serving: {
      $0.days = days
      $0.signingKeys = keys
      $0.allowedHosts = HostAllowList()
    })
  }

  @Test func `days are listed, and a day has ready links for every image`() async throws {
    let server = try await server()

    let list = try await server.get("/days").object()
    let latest = try await server.get("/days/latest")
    let older = try await server.get("/days/20200616").object()
    let tag = try #require(latest["etag"])
    let again = try await server.get("/days/latest", ["If-None-Match: \(tag)"])

    let days = try #require(list["days"] as? [[String: Any]])
    #expect(days.map { $0["day"] as? String } == ["20200617", "20200616", "20200614"])
    #expect(days[0]["href"] as? String == "/days/20200617")
    #expect(days[0]["images"] as? Int == 1)
    let day = try latest.object()
    #expect(latest["content-type"] == "application/json")
    #expect(day["previous"] as? String == "/days/20200616")
    #expect(older["previous"] as? String == "/days/20200614")
    #expect(older["next"] as? String == "/days/20200617")
    let story = try #require((day["stories"] as? [[String: Any]])?.first)
    #expect(story["hue"] as? String == "#aabbcc" && story["multipic"] as? Bool == true)
    #expect((story["images"] as? [Any])?.count == 1)
    #expect(again.status == 304)
  }

  @Test(
    arguments: [
      ([StubDays.newer], "20200616", "/days/20200614", nil),
      ([StubDays.older], "20200617", "/days/20200614", nil),
      ([StubDays.oldest], "20200617", "/days/20200616", nil),
      ([StubDays.newer, StubDays.older], "20200614", nil, nil),
      ([], "20200617", "/days/20200616", nil),
    ] as [([DayKey?], String, String?, String?)])
  func `a removed day is skipped`(
    removed: [DayKey?], latest: String, previous: String?, next: String?
  ) async throws {
    let days = StubDays()
    days.removed.withLock { $0 = removed }
    let server = try await server(days)

    let newest = try await server.get("/days/latest").object()
    let page = try await server.get("/")
    let oldest = try await server.get("/days/20200614")

    #expect(newest["day"] as? String == latest)
    #expect(newest["previous"] as? String == previous && newest["next"] as? String == next)
    #expect(page.text.contains("data-day=\"\(latest)\""))
    if removed.contains(StubDays.oldest) {
      #expect(oldest.status == 404)
    } else {
      let after = removed.contains(StubDays.older) ? StubDays.newer : StubDays.older
      let target = removed.contains(after) ? nil : after.map { "/days/\($0)" }
      #expect(try oldest.object()["next"] as? String == target)
    }
  }

  @Test func `a story is found by words of its title, whatever their case and width`() async throws
  {
    let days = StubDays()
    days.removed.withLock { $0 = [StubDays.older] }
    let server = try await server(days)
    func find(_ text: String, _ more: String = "") async throws -> [String: Any] {
      try await server.get("/days?q=\(QueryPairs.encoded(text))\(more)").object()
    }

    for text in ["title", "ＴＩＴＬＥ", "二", "  二  a ", "\"Title\""] {
      let found = try await find(text)
      let stories = try #require(found["stories"] as? [[String: Any]])
      // Of three days one was removed; a story of several days is one.
      #expect(stories.map { $0["day"] as? String } == ["20200617"], "\(text)")
      #expect(stories.first?["href"] as? String == "/days/20200617")
      #expect(stories.first?["title"] as? String == "A \"title\"\n二")
      #expect((stories.first?["images"] as? [Any])?.count == 1)
      #expect(found["complete"] as? Bool == true)
    }
    for text in [".*", "[a", "title x", "%", "\\", "三"] {
      #expect((try await find(text)["stories"] as? [Any])?.isEmpty == true, "\(text)")
    }
    let brief = try await server.get("/days?brief=1").object()
    #expect((brief["days"] as? [Any])?.count == 3)
  }

  @Test func `the days of a month are listed with their counts`() async throws {
    let server = try await server()
    for (month, isKept) in [("202006", true), ("202007", false), ("201906", false)] {
      let answer = try await server.get("/days?month=\(month)").object()

      let days = try #require(answer["days"] as? [[String: Any]])
      #expect(days.isEmpty != isKept)
      #expect(days.allSatisfy { ($0["day"] as? String)?.hasPrefix(month) == true })
      #expect(days.allSatisfy { $0["images"] is Int && $0["cached"] is Int })
    }
  }

  @Test func `a malformed month, search or day is refused`() async throws {
    let server = try await server()
    let queries =
      ["", "2020", "202013", "20200617", "2020-6", "xxxxxx"].map { "month=" + $0 } + [
        "q=", "q=%20%E3%80%80", "q=a&limit=0", "q=a&limit=101", "q=a&limit=x", "q=a&q=b", "q=%",
        "q=%FF", "q=%00", "q=" + String(repeating: "a", count: 201),
        "q=" + String(repeating: "a", count: 5000), "limit=0", "brief=2", "brief=",
      ]
    for query in queries {
      #expect(try await server.get("/days?\(query)").status == 400, "\(query)")
    }
    for day in ["20209999", "x", "2020-06-16", "..", "202006160"] {
      #expect([400, 404].contains(try await server.get("/days/\(day)").status), "\(day)")
    }
    #expect(try await server.get("/days/20100101").status == 404)
  }

  @Test func `the images of days may be fetched, other URLs of their hosts not`() async throws {
    let origin = try FaultyOrigin(["/a.jpg": [.whole(SampleImages.widePhoto)]])
    let server = try await server(StubDays(origin: origin.url("")))

    let named = QueryPairs.encoded(origin.url("/a.jpg"))
    let other = QueryPairs.encoded(origin.url("/b.jpg"))

    #expect(try await server.get("/thumb?url=\(named)&w=9").status == 200)
    #expect(try await server.get("/thumb?url=\(other)&w=9").status == 403)
  }

  @Test func `links are signed where the server requires signatures`() async throws {
    let keys = [SigningKey(name: "k", secret: [1, 2, 3])]
    let server = try await server(StubDays(), keys: keys)

    let answer = try await server.get("/days/latest")
    let links = answer.text.matches(of: /"(\/(?:thumb|image)\?[^"]*)"/).map { String($0.1) }

    #expect(links.count >= 8)
    for link in links {
      let verdict = URLSigner(keys: keys).judge(try QueryPairs(target: link), now: 0)
      #expect(verdict == .good(until: nil), "\(link)")
    }
  }

  @Test func `an offline server refreshes nothing`() async throws {
    let days = StubDays()
    let server = try await ServerFixture(serving: {
      $0.days = days
      $0.isOffline = true
    })

    let refused = try await server.exchange("POST", "/days/latest/refresh")
    let events = try await server.get("/days/latest/events")

    #expect(refused.status == 403)
    #expect(try refused.object()["code"] as? String == "offline")
    #expect(events.status == 404)
  }

  @Test func `a day is refreshed once, however it is spelled`() async throws {
    let days = StubDays()
    let refreshes = DayRefreshes(days: days) {}

    try refreshes.start(.latest, named: "latest")
    let events = try #require(refreshes.events(named: "latest")).stream
    for await case .progress(let progress) in events where progress.day != nil { break }

    #expect(throws: Problem.self) { try refreshes.start(.latest, named: "20200617") }
    #expect(refreshes.events(named: "20200617") != nil)
    #expect(refreshes.events(named: "20200616") == nil)
    #expect(refreshes.cut() == 1)
    await refreshes.finish()
  }

  @Test func `a refresh streams its progress, and a second request joins it`() async throws {
    let days = StubDays()
    let server = try await server(days)

    let none = try await server.get("/days/latest/events")
    let begun = try await server.exchange("POST", "/days/latest/refresh")
    let second = try await server.exchange("POST", "/days/latest/refresh")
    let watcher = try server.client(
      "GET /days/latest/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    let beginning = try await OffPool.run { watcher.read(until: "jpg\"}\n\n") }
    days.gate.open()
    let events = try RawAnswer(
      Array(beginning.utf8) + (try await OffPool.run { watcher.readBytesToEnd() }))
    let late = try await server.get("/days/latest/events")
    let plain = try await server.talk("GET /days/latest/events HTTP/1.0\r\n\r\n")
    let head = try await server.exchange("HEAD", "/days/latest/events")

    #expect(none.status == 404)
    #expect(begun.status == 202)
    #expect(begun["location"] == "/days/latest/events")
    #expect(second.status == 409)
    #expect(events["content-type"] == "text/event-stream")
    #expect(events["cache-control"] == "no-store")
    #expect(
      events.text.hasPrefix(
        "event: progress\ndata: {\"done\":1,\"failed\":0,\"total\":2,\"url\":\"http://127.0.0.1:9/a.jpg\"}\n\n"
      ))
    let end =
      "event: done\ndata: {\"cached\":0,\"downloaded\":1,\"failed\":0,\"images\":2,\"revalidated\":1}\n\n"
    #expect(events.text.hasSuffix(end))
    #expect(late.text == end)
    #expect(!plain.lowercased().contains("transfer-encoding"))
    #expect(plain.contains("Connection: close\r\n") && plain.hasSuffix("\r\n\r\n" + end))
    #expect(head["content-type"] == "text/event-stream")
    #expect(head["content-length"] == nil)
    #expect(head.body.isEmpty)
    #expect(try await server.exchange("POST", "/days/latest/refresh").status == 202)
  }

  @Test func `at most 16 days are refreshed at once, and further requests get 503`() async throws {
    let days = StubDays()
    let server = try await server(days)

    var begun: [RawAnswer] = []
    for day in 20_200_601...20_200_617 {
      begun.append(try await server.exchange("POST", "/days/\(day)/refresh"))
    }
    days.gate.open()
    let events = try await server.get("/days/20200601/events")
    let freed = try await server.exchange("POST", "/days/20200601/refresh")

    #expect(begun.map(\.status) == Array(repeating: 202, count: 16) + [503])
    #expect(begun.last?["retry-after"] != nil)
    #expect(events.text.hasSuffix("\"images\":2,\"revalidated\":1}\n\n"))
    #expect(freed.status == 202)
  }

  @Test func `a failed refresh gives its reason without internal details`() async throws {
    let days = StubDays()
    days.fails.withLock { $0 = true }
    days.gate.open()
    let server = try await server(days)

    _ = try await server.exchange("POST", "/days/20200616/refresh")
    let events = try await server.get("/days/20200616/events")

    #expect(
      events.text.hasSuffix(
        "event: failed\ndata: {\"code\":\"timeout\",\"message\":\"The origin took too long.\"}\n\n")
    )
    #expect(!events.text.contains("10.0.0.1"))
  }

  @Test func `only same-origin pages and programs may start a refresh`() async throws {
    let days = StubDays()
    days.gate.open()
    let server = try await server(days)
    for (field, mayStart) in [
      ("Origin: http://evil.example", false), ("Origin: null", false),
      ("Sec-Fetch-Site: cross-site", false), ("Sec-Fetch-Site: same-site", false),
      ("Origin: http://localhost", true), ("Origin: HTTP://LOCALHOST", true),
      ("Sec-Fetch-Site: same-origin", true), ("X: 1", true),
      ("Origin: http://localhost.evil.example", false), ("Origin: http://localhost:81", false),
    ] {
      let status = try await server.exchange("POST", "/days/latest/refresh", [field]).status
      // The one before may still be running.
      #expect((mayStart ? [202, 409] : [403]).contains(status), "\(field): \(status)")
    }
  }

  @Test(arguments: [true, false])
  func `a running refresh is finished before the server stops, watched or not`(
    isWatched: Bool
  ) async throws {
    let days = StubDays()
    let server = try await server(days)
    _ = try await server.exchange("POST", "/days/latest/refresh")
    let watcher = try RawClient(port: server.port)
    if isWatched {
      watcher.send("GET /days/latest/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
      _ = try await OffPool.run { watcher.read(until: "jpg\"}\n\n") }
    } else {
      await days.gate.arrivals(1)
    }

    async let ending = server.stop()
    await server.until { (try? RawClient(port: server.port)) == nil }
    days.gate.open()
    let rest = try await OffPool.run { watcher.readToEnd() }

    #expect(try await ending == .drained)
    #expect(days.finished.withLock { $0 } == 1)
    #expect(rest.contains("event: done") == isWatched)
  }

  @Test(arguments: [true, false])
  func `a refresh that exceeds its deadline is cancelled, and its watchers are notified`(
    isWatched: Bool
  ) async throws {
    let days = StubDays()
    let server = try await ServerFixture(serving: {
      $0.days = days
      $0.listener.drainTime = .milliseconds(50)
    })
    _ = try await server.exchange("POST", "/days/latest/refresh")
    let watcher =
      isWatched
      ? try server.client("GET /days/latest/events HTTP/1.1\r\nHost: localhost\r\n\r\n") : nil
    _ = try await OffPool.run { watcher?.read(until: "jpg\"}\n\n") }
    await days.gate.arrivals(1)

    let ending = try await server.stop()
    let rest = try await OffPool.run { watcher?.readToEnd() }

    #expect(ending == .cut)
    #expect(days.finished.withLock { $0 } == 0)
    if let rest {
      #expect(rest.contains("event: failed\ndata: {\"code\":\"stopped\""))
      #expect(rest.hasSuffix("0\r\n\r\n"))
    }
  }
}
