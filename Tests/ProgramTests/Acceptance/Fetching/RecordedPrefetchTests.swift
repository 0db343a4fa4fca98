import Foundation
import Testing
@testable import TestSupport

/// The main job on the recorded days, with the real program.
@Suite(
  .serialized, .needsFixtures, .needsProgram,
  .timeLimit(.minutes(15)))
struct `Prefetching recorded days` {
  private func prefetch(
    _ origin: ReplayOrigin, _ cache: Scratch, _ arguments: String...
  ) async throws -> PrefetchReport {
    try await Tool.prefetch(cache, ["--api", origin.origin] + arguments)
  }

  @Test(arguments: RecordedDays.names)
  func `a recorded day is stored completely, and a second run sends no request`(name: String)
    async throws
  {
    let day = String(name.prefix(8))
    let isLatest = !name.contains("before")
    let origin = try ReplayOrigin(latest: isLatest ? day : nil)
    defer { origin.stop() }
    let cache = try Scratch()
    let request = isLatest ? "latest" : day
    let next = Int(day).map { String($0 + 1) } ?? ""
    let expected = try origin.imageURLs(isLatest ? "latest" : "before/\(next)")
    try origin.clearLog()

    let first = try await prefetch(origin, cache, request)

    #expect(first.status == 0, "\(first.errors)")
    #expect(Set(first.urls) == expected)
    #expect(first.images.count == expected.count)
    #expect(first.images.allSatisfy { $0["status"] as? String == "ok" })
    #expect(first.summary["images"] as? Int == expected.count)
    #expect(first.summary["downloaded"] as? Int == expected.count)
    #expect(first.records("day").first?["day"] as? String == day)
    #expect(first.records("day").first?["images"] as? Int == expected.count)
    #expect(try Set(origin.imageRequests()) == expected)
    #expect(try origin.imageRequests().count == expected.count)

    let urls = expected.sorted()
    let files = try #require(try await Tool.paths(of: urls, in: cache))
    #expect(files.count == urls.count)
    for (url, file) in zip(urls, files) {
      let kept = try [UInt8](Data(contentsOf: URL(fileURLWithPath: file)))
      #expect(try kept == origin.get(url))
    }

    try origin.clearLog()
    let second = try await prefetch(origin, cache, request)
    #expect(second.status == 0, "\(second.errors)")
    #expect(second.summary["cached"] as? Int == expected.count)
    #expect(second.summary["requests"] as? Int == 0)
    #expect(try origin.imageRequests().isEmpty)
  }

  @Test(arguments: [("20170209", "20170210", 3), ("20200615", "20200616", 5)])
  func `neighbouring days share their top stories`(
    first: String, second: String, hits: Int
  ) async throws {
    let cache = try Scratch()
    let port = try ReservedPort()
    let origin = try ReplayOrigin(latest: first, port: port.number)
    defer { origin.stop() }
    #expect(try await prefetch(origin, cache, "latest").status == 0)
    origin.stop()
    let later = try ReplayOrigin(latest: second, port: port.number)
    defer { later.stop() }

    let outcome = try await prefetch(later, cache, "latest")

    #expect(outcome.status == 0, "\(outcome.errors)")
    let kept = outcome.images.filter { ["disk", "memory"].contains($0["source"] as? String) }
    #expect(kept.count == hits)
    #expect(outcome.summary["cached"] as? Int == hits)
    #expect(try later.imageRequests().count == outcome.images.count - hits)
    withExtendedLifetime(port) {}
  }

  @Test func `the top stories of a past day count when its latest was stored`() async throws {
    let cache = try Scratch()
    let origin = try ReplayOrigin(latest: "20160803")
    defer { origin.stop() }
    let latest = try await prefetch(origin, cache, "latest")
    try origin.clearLog()

    let past = try await prefetch(origin, cache, "20160803")

    #expect(past.images.count == latest.images.count)
    #expect(try origin.imageRequests().isEmpty)
  }

  @Test(arguments: 1...4)
  func `after kill -9 a new run completes without fetching again what was stored`(
    round: Int
  ) async throws {
    let faults = #"[{"match":"zhimg.com/","do":"drip","bytes":20000,"seconds":0.04}]"#
    let origin = try ReplayOrigin(latest: "20160322", faults: faults)
    defer { origin.stop() }
    let cache = try Scratch()
    let expected = try origin.imageURLs("latest")
    try origin.clearLog()

    let killed = try await Tool.imgcache.run(
      ["prefetch", "--json", "--api", origin.origin, "--cache-dir", cache / "cache"]
    ) {
      // A moment determined by the requests at the origin, at any point after them.
      let wanted = Int.random(in: 1...(expected.count - 2))
      await Condition.until { ((try? origin.imageRequests().count) ?? wanted) >= wanted }
    }
    let acknowledged = Set(PrefetchReport(killed).urls)
    try origin.clearLog()
    let resumed = try await prefetch(origin, cache, "latest")

    #expect(resumed.status == 0, "\(resumed.errors)")
    #expect(Set(resumed.urls) == expected)
    let again = try Set(origin.imageRequests())
    #expect(again.isDisjoint(with: acknowledged))
    #expect(resumed.summary["downloaded"] as? Int == again.count)
    let files = try #require(try await Tool.paths(of: expected.sorted(), in: cache))
    for (url, file) in zip(expected.sorted(), files) {
      let kept = try [UInt8](Data(contentsOf: URL(fileURLWithPath: file)))
      #expect(try kept == origin.get(url))
    }
  }

  @Test(arguments: ["latest", "20160803"])
  func `offline, a day is listed and its images are served`(request: String) async throws {
    let cache = try Scratch()
    let origin = try ReplayOrigin(latest: "20160803")
    defer { origin.stop() }
    let online = try await prefetch(origin, cache, "latest")
    origin.stop()

    let offline = try await prefetch(origin, cache, request, "--offline")

    #expect(offline.status == 0, "\(offline.errors)")
    #expect(Set(offline.urls) == Set(online.urls))
    #expect(offline.summary["cached"] as? Int == online.urls.count)
    #expect(offline.summary["requests"] as? Int == 0)
  }

  @Test func `the images inside a story's page are stored too`() async throws {
    let origin = try ReplayOrigin(latest: "20161217")
    defer { origin.stop() }
    let cache = try Scratch()

    let outcome = try await prefetch(origin, cache, "latest", "--bodies")

    // The page of one story is recorded; the others are reported missing, without further effect.
    let body = outcome.images.filter { $0["role"] as? String == "body" }
    #expect(outcome.status == 1)
    #expect(body.count == 4 && body.allSatisfy { $0["story_id"] as? String == "9064596" })
    #expect(outcome.failed.isEmpty)
    #expect(outcome.errors.contains("404"))
  }
}
