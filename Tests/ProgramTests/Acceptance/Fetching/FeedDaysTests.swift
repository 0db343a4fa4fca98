import Foundation
import Testing

@testable import DiskCaching
@testable import ImageFeeds
@testable import ImageModel
@testable import SampleFeed
@testable import ThumbnailServer
@testable import imgcache
@testable import TestSupport

/// Days that several feeds gave, and items of many days in one feed, from `prefetch` to `serve`.
@Suite(.serialized, .needsProgram, .timeLimit(.minutes(15)))
struct `Days of feeds` {
  private func served(_ day: [String: Any]) -> [String] {
    (day["stories"] as? [[String: Any]] ?? []).flatMap { story in
      (story["images"] as? [[String: Any]] ?? []).compactMap { $0["url"] as? String }
    }
  }

  @Test func `a second feed on the same day hides nothing of the first`() async throws {
    let origin = try FeedOrigin(images: ["a", "b", "c", "d"])
    let (cache, out) = (try Scratch(), try Scratch())
    let feeds = [
      origin.list("/one.txt", ["a", "b"]), origin.list("/two.txt", ["c", "b"]),
      origin.rss("/three.xml", [("d", "2020-06-16")]),
    ]

    let first = try await Tool.prefetch(cache, ["--feed", feeds[0]])
    _ = try await Tool.prefetch(cache, ["--feed", feeds[1], "--feed", feeds[2]])
    let day = try #require((first.summary["days"] as? [String])?.first)
    let sheet = try await Tool.run(
      ["sheet", day, "--offline", "--json", "-o", out / "day.png"], cache: cache)
    let program = try await ServeProgram(["--offline"], scratch: cache)
    let list = try await program.exchange("GET", "/days").object()
    let latest = try await program.exchange("GET", "/days/latest").object()
    let page = try await program.exchange("GET", "/")
    _ = try await program.stop()
    let refreshed = PrefetchReport(try await Tool.run(["refresh", day, "--json"], cache: cache))
    // The feeds need not be named again.
    let exported = try await Tool.prefetch(cache, [day, "--offline", "--export", out.path])

    #expect(exported.status == 0, "\(exported.errors)")
    #expect(Set(exported.urls) == Set(["a", "b", "c"].map { origin.image($0) }))
    #expect(sheet.status == 0, "\(sheet.errors)")
    #expect(try sheet.objects().first?["images"] as? Int == 3)
    #expect(
      (list["days"] as? [[String: Any]])?.map { $0["day"] as? String } == [day, "20200616"])
    #expect(latest["day"] as? String == day)
    #expect(Set(served(latest)) == Set(["a", "b", "c"].map { origin.image($0) }))
    #expect(
      (latest["stories"] as? [[String: Any]])?.compactMap { $0["id"] as? String }
        == ["list", "list-2"])
    #expect(page.text.contains(QueryPairs.encoded(origin.image("c"))))
    #expect(refreshed.status == 0, "\(refreshed.errors)")
    #expect(Set(refreshed.urls) == Set(["a", "b", "c"].map { origin.image($0) }))
    #expect(refreshed.images.count == 3)
    #expect(refreshed.records("refresh").first?["last_success"] as? String != nil)
  }

  @Test func `an unreachable base fails no day that another one gives`() async throws {
    let (gone, origin) = (try FeedOrigin(images: []), try FeedOrigin(images: ["a", "b"]))
    defer { origin.stop() }
    let (cache, out) = (try Scratch(), try Scratch())
    for (base, name) in [(gone, "a"), (origin, "b")] {
      base.origin["/api/4/news/before/20200616"] = [
        .whole(
          Array(
            #"{"date":"20200615","stories":[{"id":1,"title":"t","images":["\#(origin.image(name))"]}]}"#
              .utf8))
      ]
      _ = try await Tool.prefetch(
        cache, ["20200615", "--allow-private-network", "--api", base.url("/api/4/")])
    }
    gone.stop()

    let arguments = ["--retries", "0", "--allow-private-network", "--json"]
    let refreshed = PrefetchReport(
      try await Tool.run(["refresh", "20200615"] + arguments, cache: cache))
    let sheet = try await Tool.run(
      ["sheet", "20200615", "--offline", "--json", "-o", out / "day.png"], cache: cache)
    origin.stop()
    let failed = PrefetchReport(
      try await Tool.run(["refresh", "20200615"] + arguments, cache: cache))

    #expect(refreshed.status == 0, "\(refreshed.errors)")
    #expect(refreshed.records("refresh").first?["last_success"] as? String != nil)
    #expect(try sheet.objects().first?["images"] as? Int == 2, "\(sheet.errors)")
    #expect(failed.status == 1)
  }

  @Test func `processes that fetch one feed at once lose no item of each other`() async throws {
    let origin = try FeedOrigin(images: [])
    defer { origin.stop() }
    let (runs, count) = (6, Locked(0))
    origin.origin["/feed.xml"] = [
      .custom { _, connection in
        // Each answer has items of its own.
        let number = count.withLock {
          $0 += 1
          return $0
        }
        let items = (0..<40).map {
          "<item><guid>\(number)-\($0)</guid><pubDate>20 Nov 2026</pubDate></item>"
            + "<item><guid>u\(number)-\($0)</guid></item>"
        }
        let text = "<rss><channel>\(items.joined())</channel></rss>"
        return connection.send(
          LoopbackResponse(body: Array(text.utf8)).wire(isHead: false, keepsAlive: true))
      }
    ]
    let cache = try Scratch()

    try await withThrowingTaskGroup { group in
      for _ in 0..<runs {
        group.addTask {
          let report = try await Tool.prefetch(cache, ["--feed", origin.url("/feed.xml")])
          #expect(report.status == 0, "\(report.errors)")
        }
      }
      try await group.waitForAll()
    }
    let kept = try await Tool.prefetch(cache, ["20261120", "--offline"])

    #expect(kept.records("day").first?["stories"] as? Int == runs * 40)
  }

  @Test func `an index knows the URLs that days and their pages name`() async throws {
    let origin = try FeedOrigin(images: ["a", "b"])
    defer { origin.stop() }
    let cache = try Scratch()
    let image = origin.image("a")
    origin.origin["/api/4/news/before/20200616"] = [
      .whole(
        Array(#"{"date":"20200615","stories":[{"id":1,"title":"t","images":["\#(image)"]}]}"#.utf8))
    ]
    origin.origin["/api/4/news/1"] = [
      .whole(Array(#"{"id":1,"title":"t","body":"<img src='\#(origin.image("b"))'>"}"#.utf8))
    ]
    let feed = ["--api", origin.url("/api/4/")]
    let fetched = try await Tool.prefetch(cache, ["20200615", "--bodies"] + feed)
    // Its records of days stay.
    let disk = try DiskCache(DiskCache.Configuration(directory: cache / "cache"))
    _ = try disk.core.remove(matching: .all)

    let program = try await ServeProgram(feed + ["--allow-private-network"], scratch: cache)
    var statuses: [Int] = []
    for name in ["a", "b", "c"] {
      let url = QueryPairs.encoded(origin.image(name))
      statuses.append(try await program.exchange("GET", "/image?url=\(url)").status)
    }
    _ = try await program.stop()

    #expect(fetched.status == 0, "\(fetched.errors)")
    #expect(statuses == [200, 200, 403])
  }

  @Test func `the index of named URLs has another version after a change alone`() async throws {
    let scratch = try Scratch()
    let disk = try DiskCache(DiskCache.Configuration(directory: scratch / "cache"))
    let key = try #require(DayKey("20200617"))

    for (name, isNew) in [("a", true), ("a", false), ("b", true)] {
      let version = await NamedURLs.version(in: disk)
      try await NamedURLs.add([key: [ExactString("http://x.invalid/\(name)")]], in: disk)
      #expect(await (NamedURLs.version(in: disk) != version) == isNew)
    }
    #expect(await NamedURLs.rows(in: disk)[key].map(NamedURLs.digests)?.count == 2)
  }
}
