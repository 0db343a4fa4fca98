import Foundation
import Testing

@testable import ImageModel
@testable import TestSupport

/// An archive that `prefetch` fills does not evict itself.
@Suite(.needsProgram, .timeLimit(.minutes(15)))
struct `An archive of prefetch` {
  private func count(_ cache: Scratch) async throws -> Int {
    try await Tool.run(["ls", "--json"], cache: cache).objects()
      .count { ($0["url"] as? String)?.hasSuffix(".png") == true }
  }

  private func stats(_ cache: Scratch) async throws -> [String: Any] {
    try #require(try await Tool.run(["stats", "--json"], cache: cache).objects().first)
  }

  @Test func `keeps all its images, whatever the limit`() async throws {
    let cache = try Scratch()
    for count in [40, 60] {
      let origin = try ListOrigin(count: count)
      defer { origin.stop() }
      let report = try await Tool.prefetch(cache, ["--feed", origin.feed, "--max-size", "300KiB"])
      #expect(report.status == 0 && report.errors.isEmpty, "\(report.errors)")
      #expect(report.summary["evicted"] as? Int == 0)
      #expect(report.summary["evicted_bytes"] as? Int == 0)
    }
    let collected = try await Tool.run(["gc", "--max-size", "300KiB", "--json"], cache: cache)

    #expect(try collected.objects().first?["evicted"] as? Int == 0)
    #expect(try await count(cache) == 100)
    let stats = try await stats(cache)
    #expect(stats["kept"] as? Int == 100 && stats["kept_bytes"] as? Int == 100 * 4_096)
    #expect(try await Tool.run(["rm", "today"], cache: cache).status == 0)
    #expect(try await count(cache) == 0)
    #expect(try await self.stats(cache)["kept"] as? Int == 0)
  }

  @Test func `without --no-keep alone is evicted, which the run reports`() async throws {
    let cache = try Scratch()
    let arguments = ["--max-size", "450KiB", "--no-keep"]
    let first = try ListOrigin(count: 20)
    let second = try ListOrigin(count: 20)
    let before = try await Tool.prefetch(cache, ["--feed", first.feed] + arguments)
    let after = try await Tool.prefetch(cache, ["--feed", second.feed] + arguments)

    #expect(before.status == 0 && after.status == 0, "\(before.errors)\(after.errors)")
    let evicted = try #require(after.summary["evicted"] as? Int)
    #expect(evicted > 0)
    #expect(after.summary["evicted_bytes"] as? Int ?? 0 > 0)
    #expect(
      after.errors.contains("evicted \(evicted) ") && after.errors.contains("--max-size"),
      "\(after.errors)")
    #expect(try await count(cache) == 40 - evicted)
    // All of the run itself.
    #expect(try await Tool.paths(of: second.urls, in: cache)?.count == 20)
    let quiet = try await Tool.run(
      [
        "get", first.urls[0], "-o", cache / "a.png", "--quiet", "--allow-private-network",
        "--max-size", "300KiB",
      ], cache: cache)
    #expect(quiet.status == 0 && quiet.errors.isEmpty, "\(quiet.errors)")
  }

  @Test func `stops before the disk is full, and loses nothing`() async throws {
    let cache = try Scratch()
    let first = try ListOrigin(count: 5)
    let second = try ListOrigin(count: 60)
    defer { second.stop() }
    _ = try await Tool.prefetch(cache, ["--feed", first.feed])

    let full = try await Tool.prefetch(
      cache, ["--feed", second.feed, "--min-free", "1000TiB", "--concurrency", "2"])
    let got = try await Tool.run(
      ["get", second.urls[0], "-o", cache / "a.png", "--min-free", "1000TiB"], cache: cache)

    #expect(full.status == 2 && got.status == 2)
    for text in [full.errors, got.errors] { #expect(text.contains("--min-free"), "\(text)") }
    #expect(full.errorCodes.allSatisfy { $0 == "disk_full" })
    // Not all sixty are fetched to be thrown away.
    #expect(second.pictureRequests.count < 30)
    #expect(full.records.last?["event"] as? String == "summary")
    #expect(try await Tool.paths(of: first.urls, in: cache)?.count == 5)
    let report = try await Tool.prefetch(cache, ["--feed", second.feed])
    #expect(report.status == 0 && report.urls.count == 60)
  }
}
