import Foundation
import Testing

@testable import TestSupport

/// `prefetch --every`: a process that stays, as in a container.
@Suite(.serialized, .needsProgram, .timeLimit(.minutes(10)))
final class `Repeated prefetches`: Sendable {
  private let cache: Scratch
  private let origin: FeedOrigin

  init() throws {
    cache = try Scratch()
    origin = try FeedOrigin(images: ["a", "b"])
  }

  deinit { origin.stop() }

  private func start(_ arguments: [String]) throws -> ChildProcess {
    try Tool.imgcache.start(
      ["prefetch", "--json", "--allow-private-network", "--cache-dir", cache / "cache"] + arguments,
      writingTo: cache)
  }

  private func summaries() -> [[String: Any]] {
    let report = PrefetchReport(
      Tool.Outcome(
        status: 0, output: (try? cache.text(of: "output")) ?? "",
        errors: (try? cache.text(of: "errors")) ?? ""))
    return report.records("summary")
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `it runs again and again, and a signal between runs ends it with 0`(signal: Int32)
    async throws
  {
    let feed = origin.rss("/feed", [("a", "2020-06-17")])
    let child = try start(["--feed", feed, "--every", "1s"])
    await Condition.until { self.summaries().count >= 1 }
    // What the feed has by then is fetched by a later run.
    _ = origin.rss("/feed", [("b", "2020-06-18"), ("a", "2020-06-17")])
    await Condition.until { self.origin.imageRequests.contains("/b.png") }
    await Condition.until { self.summaries().count >= 2 }
    // Between two runs: one takes milliseconds, the wait a second.
    let count = summaries().count
    await Condition.until { self.summaries().count > count }
    child.signal(signal)

    #expect(try await child.end() == 0)
    #expect(summaries().allSatisfy { $0["failed"] as? Int == 0 })
    #expect(summaries().last?["cached"] as? Int == 2)
  }

  @Test func `a run that fails is reported, and the next one tries again`() async throws {
    let child = try start(["--feed", origin.url("/feed"), "--every", "1s", "--retries", "0"])
    await Condition.until { self.summaries().count >= 1 }
    _ = origin.rss("/feed", [("a", "2020-06-17")])
    await Condition.until { self.origin.imageRequests.contains("/a.png") }
    let count = summaries().count
    await Condition.until { self.summaries().count > count }
    child.signal(SIGTERM)

    #expect(try await child.end() == 0)
    #expect(try cache.text(of: "errors").contains("answered 404"))
    #expect(try await Tool.run(["ls"], cache: cache).output.contains("/a.png"))
  }

  @Test func `a cache that cannot be opened yet does not end it`() async throws {
    let feed = origin.rss("/feed", [("a", "2020-06-17")])
    try Data("no folder".utf8).write(to: URL(filePath: cache / "cache"))
    let child = try start(["--feed", feed, "--every", "1s"])
    await Condition.until { ((try? self.cache.text(of: "errors")) ?? "").contains("error:") }
    try FileManager.default.removeItem(atPath: cache / "cache")
    await Condition.until { self.summaries().count >= 1 }
    child.signal(SIGTERM)

    #expect(try await child.end() == 0)
  }

  @Test func `a signal in a run ends it as without the option`() async throws {
    let gate = Gate()
    let origin = try ListOrigin(count: 12, holding: gate)
    defer {
      gate.open()
      origin.stop()
    }
    let child = try start(["--feed", origin.feed, "--every", "1h"])
    await gate.arrivals(3)
    child.signal(SIGTERM)

    #expect(try await child.end() == 143)
  }

  @Test(arguments: [
    (["--every", "0s"], "positive"), (["--every", "1x"], "unit"),
    (["--feed", "-", "--every", "1h"], "standard input"),
    (["--every", "1h", "--export", "~/a"], "shell"),
  ]) func `misuse ends it at once`(_ arguments: [String], _ reason: String) async throws {
    let outcome = try await Tool.run(["prefetch"] + arguments, cache: cache)
    #expect(outcome.status == 64 && outcome.errors.contains(reason), "\(outcome.errors)")
  }
}
