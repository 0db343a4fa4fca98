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

  /// Whether the cache has the bytes of the origin for each URL; returns the paths of its files.
  @discardableResult
  private func expectWhole(
    _ urls: [String], of origin: ReplayOrigin, in cache: Scratch
  ) async throws -> [String] {
    let files = try #require(try await Tool.paths(of: urls, in: cache))
    #expect(files.count == urls.count)
    for (url, file) in zip(urls, files) {
      #expect(try [UInt8](Data(contentsOf: URL(fileURLWithPath: file))) == origin.get(url))
    }
    return files
  }

  @Test(arguments: RecordedDays.names)
  func `a recorded day is stored and exported completely, and a second run sends no request`(
    name: String
  ) async throws {
    let day = String(name.prefix(8))
    let isLatest = !name.contains("before")
    let origin = try ReplayOrigin(latest: isLatest ? day : nil)
    defer { origin.stop() }
    let (cache, out) = (try Scratch(), try Scratch())
    let request = isLatest ? "latest" : day
    let next = Int(day).map { String($0 + 1) } ?? ""
    let expected = try origin.imageURLs(isLatest ? "latest" : "before/\(next)")
    try origin.clearLog()

    let first = try await prefetch(origin, cache, request, "--export", out.path)

    #expect(first.status == 0, "\(first.errors)")
    #expect(Set(first.urls) == expected && first.images.count == expected.count)
    #expect(first.images.allSatisfy { $0["status"] as? String == "ok" })
    #expect(first.summary["images"] as? Int == expected.count)
    #expect(first.summary["downloaded"] as? Int == expected.count)
    #expect(first.records("day").first?["day"] as? String == day)
    #expect(first.records("day").first?["images"] as? Int == expected.count)
    let requests = try origin.imageRequests()
    #expect(Set(requests) == expected && requests.count == expected.count)

    let index = try JSONSerialization.jsonObject(with: Data(out.bytes(of: "\(day)/index.json")))
    let images = try #require((index as? [String: Any])?["images"] as? [[String: Any]])
    let files = try await expectWhole(
      images.compactMap { $0["url"] as? String }, of: origin, in: cache)
    #expect(images.count == expected.count)
    for (image, file) in zip(images, files) {
      let exported = try #require(image["file"] as? String)
      #expect(
        try Data(out.bytes(of: "\(day)/\(exported)")) == Data(contentsOf: URL(filePath: file)))
    }

    try origin.clearLog()
    let second = try await prefetch(origin, cache, request)
    #expect(second.status == 0, "\(second.errors)")
    #expect(second.summary["cached"] as? Int == expected.count)
    #expect(second.summary["requests"] as? Int == 0)
    #expect(try origin.imageRequests().isEmpty)
  }

  @Test func `a stored latest has the top stories of its day later, and offline`() async throws {
    let cache = try Scratch()
    let origin = try ReplayOrigin(latest: "20160803")
    defer { origin.stop() }
    let latest = try await prefetch(origin, cache, "latest")
    try origin.clearLog()

    let past = try await prefetch(origin, cache, "20160803")
    #expect(past.images.count == latest.images.count)
    #expect(try origin.imageRequests().isEmpty)

    origin.stop()
    for request in ["latest", "20160803"] {
      let offline = try await prefetch(origin, cache, request, "--offline")
      #expect(offline.status == 0, "\(offline.errors)")
      #expect(Set(offline.urls) == Set(latest.urls))
      #expect(offline.summary["cached"] as? Int == latest.urls.count)
      #expect(offline.summary["requests"] as? Int == 0)
    }
  }

  @Test(arguments: 1...(CampaignSize.isFull ? 4 : 2))
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
    try await expectWhole(expected.sorted(), of: origin, in: cache)
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
