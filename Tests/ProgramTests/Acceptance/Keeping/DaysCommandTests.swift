import Foundation
import Testing

@testable import TestSupport

/// `days`, `ls --feed`, the filters of `prefetch` and its time zone, as scripts use them.
@Suite(.serialized, .needsProgram, .timeLimit(.minutes(10)))
final class `The days command` {
  private let cache: Scratch
  private let origin: FeedOrigin

  init() throws {
    cache = try Scratch()
    origin = try FeedOrigin(images: ["a", "b", "c"])
  }

  deinit { origin.stop() }

  private func feed(_ path: String, titled title: String, _ items: [(name: String, date: String)])
    -> String
  {
    let text = items.map { name, date in
      "<item><guid>\(name)</guid><title>title of \(name)</title><pubDate>\(date)</pubDate>"
        + "<enclosure type=\"image/png\" url=\"\(origin.image(name))\"/></item>"
    }.joined()
    origin.origin[path] = [
      .whole(Array("<rss><channel><title>\(title)</title>\(text)</channel></rss>".utf8))
    ]
    return origin.url(path)
  }

  @Test func `it lists each day with its feeds and what is missing`() async throws {
    let one = feed("/one", titled: "One", [("a", "2020-06-17"), ("gone", "2020-06-17")])
    let two = feed("/two", titled: "两", [("b", "2020-06-17"), ("c", "2020-06-16")])
    _ = try await Tool.prefetch(cache, ["--feed", one, "--feed", two, "--exclude", "*/c.png"])
    _ = try await Tool.run(["pin", "20200616"], cache: cache)

    let days = try await Tool.run(["days", "--json"], cache: cache).objects()
    let table = try await Tool.run(["days"], cache: cache)
    let missing = try await Tool.run(["days", "--missing"], cache: cache)
    let missingObjects = try await Tool.run(["days", "--missing", "--json"], cache: cache).objects()

    #expect(days.map { $0["day"] as? String } == ["20200617", "20200616"])
    #expect(
      days[0]["feeds"] as? [[String: String]] == [
        ["title": "One", "url": one], ["title": "两", "url": two],
      ])
    #expect(days.map { $0["stories"] as? Int } == [3, 1])
    #expect(days.map { $0["images"] as? Int } == [3, 0])
    #expect(days.map { $0["missing"] as? Int } == [1, 0])
    #expect(days.map { $0["skipped"] as? Int } == [0, 1])
    #expect(days.map { $0["kept"] as? Bool } == [true, true])
    #expect(days.map { $0["pinned"] as? Bool } == [false, true])
    #expect(days[0]["bytes"] as? Int ?? 0 > 0 && days[1]["bytes"] as? Int == 0)
    let lines = table.output.split(separator: "\n")
    #expect(lines.count == 3 && lines[0].hasPrefix("DAY") && lines[1].hasSuffix("One, 两"))
    #expect(missing.output == "20200617\thttp_status 404\t\(origin.image("gone"))\n")
    #expect(missing.status == 0)
    #expect(missingObjects.map { $0["url"] as? String } == [origin.image("gone")])
    let error = missingObjects[0]["error"] as? [String: Any]
    #expect(error?["code"] as? String == "http_status" && error?["status"] as? Int == 404)
  }

  @Test func `a day of texts alone is pinned and removed like others`() async throws {
    origin.origin["/text"] = [
      .whole(
        Array(
          """
          <rss><channel><item><guid>t</guid><title>t</title><pubDate>2020-06-17</pubDate>\
          <description>only text</description></item></channel></rss>
          """.utf8))
    ]
    _ = try await Tool.prefetch(cache, ["--feed", origin.url("/text")])

    let pinned = try await Tool.run(["pin", "20200617", "--json"], cache: cache)
    let dry = try await Tool.run(["rm", "20200617", "--dry-run"], cache: cache)
    let removed = try await Tool.run(["rm", "20200617", "--json"], cache: cache)
    let left = try await Tool.run(["days"], cache: cache)
    let again = try await Tool.run(["rm", "20200617"], cache: cache)
    let absent = try await Tool.run(["pin", "20200617", "--json"], cache: cache)

    #expect(pinned.status == 0)
    #expect(try pinned.objects().first?["pinned"] as? Bool == true)
    #expect(dry.status == 0 && dry.errors.contains("1 day without images would be removed"))
    #expect(removed.status == 0)
    #expect(try removed.objects().first?["days"] as? [String] == ["20200617"])
    #expect(left.output.isEmpty)
    #expect(again.status == 1)
    let failed = try absent.objects().first
    #expect(absent.status == 1 && failed?["status"] as? String == "failed")
    #expect(failed?["pinned"] == nil)
  }

  @Test func `an empty cache has no days, and one that is absent is said to be so`() async throws {
    _ = try await Tool.prefetch(cache, ["--sample", "--dry-run"])
    let empty = try await Tool.run(["days"], cache: cache)
    let absent = try await Tool.imgcache.run(["days", "--cache-dir", cache / "none"])

    #expect(empty.status == 0 && empty.output.isEmpty)
    #expect(absent.status == 0 && absent.errors.contains("no cache in"))
  }

  @Test func `ls lists the images of a feed, by its title or address`() async throws {
    let one = feed("/one", titled: "One", [("a", "2020-06-17"), ("b", "2020-06-17")])
    let two = feed("/two", titled: "Two", [("b", "2020-06-17"), ("c", "2020-06-16")])
    _ = try await Tool.prefetch(cache, ["--feed", one, "--feed", two])

    func urls(_ arguments: String...) async throws -> Set<String> {
      let rows = try await Tool.run(["ls", "--json"] + arguments, cache: cache).objects()
      return Set(rows.compactMap { $0["url"] as? String })
    }
    let row = try await Tool.run(["ls", "--json", "--feed", "two"], cache: cache).objects()
      .first { $0["url"] as? String == origin.image("b") }

    #expect(try await urls("--feed", "ONE") == [origin.image("a"), origin.image("b")])
    #expect(try await urls("--feed", "/two") == [origin.image("b"), origin.image("c")])
    #expect(try await urls("--feed", "two", "--day", "20200616") == [origin.image("c")])
    #expect(try await urls("--feed", "three").isEmpty)
    #expect(
      row?["feeds"] as? [[String: String]] == [
        ["title": "One", "url": one], ["title": "Two", "url": two],
      ])
  }

  @Test func `what a filter leaves out is counted, and not an error`() async throws {
    let one = feed("/one", titled: "One", [("a", "2020-06-17"), ("b", "2020-06-17")])

    let report = try await Tool.prefetch(
      cache, ["--feed", one, "--only", "title of *", "--exclude", "*of b"])
    let small = try await Tool.prefetch(cache, ["--feed", one, "--min-size", "9x9"])
    let text = try await Tool.run(["prefetch", "--feed", one, "--min-bytes", "1MiB"], cache: cache)

    #expect(report.status == 0 && report.summary["skipped"] as? Int == 1)
    #expect(report.summary["images"] as? Int == 1)
    #expect(
      report.images.map { $0["status"] as? String }.sorted { $0 ?? "" < $1 ?? "" } == [
        "ok", "skipped",
      ])
    #expect(small.summary["skipped"] as? Int == 2 && small.status == 0)
    #expect(text.output.contains("2 left out"))
  }

  @Test func `items are filed under the days of the time zone, where they stay`() async throws {
    let one = feed("/one", titled: "One", [("a", "Tue, 10 Nov 2020 23:30:00 -0500")])
    func day(_ zone: String?) async throws -> [String] {
      let report = try await Tool.prefetch(
        cache, ["--feed", one] + (zone.map { ["--time-zone", $0] } ?? []))
      return report.summary["days"] as? [String] ?? []
    }

    let newYork = try await day("America/New_York")
    let shanghai = try await day("Asia/Shanghai")
    let fresh = try Scratch()
    var tool = Tool.imgcache
    tool.environment["TZ"] = "Asia/Shanghai"
    let machine = try await tool.run(
      [
        "prefetch", "--json", "--allow-private-network", "--feed", one, "--cache-dir",
        fresh / "cache",
      ])
    let unknown = try await Tool.run(["prefetch", "--time-zone", "Mars/Base"], cache: cache)

    #expect(newYork == ["20201110"] && shanghai == newYork)
    #expect(try machine.objects().last?["days"] as? [String] == ["20201111"])
    #expect(unknown.status == 64 && unknown.errors.contains("not a time zone of this machine"))
  }
}
