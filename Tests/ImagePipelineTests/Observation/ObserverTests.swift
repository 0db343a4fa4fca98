import CoreMetrics
import Logging
import Testing

@testable import CachePolicies
@testable import ImageCodecs
@testable import ImageModel
@testable import ImagePipeline
@testable import TestSupport

private let url = "http://test.invalid/a.jpg"

@Suite struct `Observers` {
  @Test
  func `the log has successes at debug, failures at notice level, and metadata`() async throws {
    let lines = Locked<[(level: Logger.Level, text: String, facts: Logger.Metadata)]>([])
    let logger = Logger(label: "test") { _ in
      KeepingLog { level, text, facts in lines.withLock { $0.append((level, text, facts)) } }
    }
    let fixture = try PipelineFixture() { $0.observers = [LogObserver(logger)] }

    _ = try await fixture.pipeline.data(for: ImageRequest(url: url))
    fixture.fetcher.become { _ in throw StubFetcher.failure(404) }
    await imageError { try await fixture.pipeline.data(for: ImageRequest(url: url + "?2")) }

    let kept = lines.withLock { $0 }
    #expect(kept.map(\.level) == [.debug, .notice])
    #expect(kept[0].text.contains("network, current") && kept[1].text.contains("http_status"))
    #expect(kept[0].facts["source"] == "network")
    #expect(kept[1].facts["error"] == "http_status")
  }

  @Test func `metrics count requests by tier and outcome, and time stages`() async throws {
    let factory = KeepingMetrics()
    let fixture = try PipelineFixture(
      StubFetcher(fields: [.cacheControl: "max-age=60"])
    ) {
      $0.observers = [MetricsObserver(factory)]
    }

    for _ in 0..<3 { _ = try await fixture.pipeline.image(for: ImageRequest(url: url)) }
    fixture.fetcher.become { _ in throw ImageError(.timedOut, "slow") }
    await imageError { try await fixture.pipeline.image(for: ImageRequest(url: url + "?2")) }

    let loads = "imgcache_loads_total"
    #expect(factory[loads, "tier=network", "outcome=ok"] == 1)
    #expect(factory[loads, "tier=memory", "outcome=ok"] == 2)
    #expect(factory[loads, "tier=none", "outcome=failed", "error=timeout"] == 1)
    #expect(factory["imgcache_stage_duration_seconds", "stage=fetch"] == 2)
    #expect(factory["imgcache_stage_duration_seconds", "stage=decode"] == 1)
    #expect(factory["imgcache_load_duration_seconds", "tier=memory"] == 2)
  }

  @Test
  func `thumbnails and documents are reported, and a document is not an image`() async throws {
    let (observer, factory) = (RecordingObserver(), KeepingMetrics())
    let fixture = try PipelineFixture(
      StubFetcher(fields: [.cacheControl: "max-age=60"]),
      onDisk: true
    ) { $0.observers = [observer, MetricsObserver(factory)] }
    let small = ThumbnailRecipe(size: PixelSize(width: 8, height: 8))
    var impossible = small
    impossible.frame = 7

    let response = try await fixture.pipeline.data(
      for: ImageRequest(url: url), thumbnails: [small, impossible])
    var options = DocumentOptions()
    _ = try await fixture.pipeline.document(at: url + ".json", options: options)
    options.isOffline = true
    _ = try await fixture.pipeline.document(at: url + ".json", options: options)

    let images = observer.traces.filter { !$0.isDocument }
    let documents = observer.traces.filter(\.isDocument)
    let variants = images.map { try? $0.result.get().variant }
    #expect(variants == [nil, small.identity])
    #expect(try images.last?.result.get().byteCount == response.thumbnails[0].get().byteCount)
    #expect(documents.map { try? $0.result.get().source } == [.network, .disk])
    #expect(documents.allSatisfy { $0.request.url == url + ".json" })
    #expect(
      images.compactMap { CacheTraceLine($0, at: .now)?.key } == [url, "\(url)#\(small.identity)"])
    #expect(documents.allSatisfy { CacheTraceLine($0, at: .now) == nil })
    #expect(factory["imgcache_documents_total", "tier=network", "outcome=ok"] == 1)
    #expect(factory["imgcache_documents_total", "tier=disk", "outcome=ok"] == 1)
    #expect(factory["imgcache_loads_total", "tier=network", "outcome=ok"] == 2)
  }
}

/// Hands on every line.
private struct KeepingLog: LogHandler {
  let keep: @Sendable (Logger.Level, String, Logger.Metadata) -> Void
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  init(keep: @escaping @Sendable (Logger.Level, String, Logger.Metadata) -> Void) {
    self.keep = keep
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { keep(event.level, event.message.description, event.metadata ?? [:]) }
}

/// Counts calls by label and dimensions.
private final class KeepingMetrics: MetricsFactory {
  private let counts = Locked<[String: Int]>([:])

  subscript(label: String, dimensions: String...) -> Int {
    counts.withLock { $0[label + dimensions.joined(separator: ",")] ?? 0 }
  }

  private func entry(_ label: String, _ dimensions: [(String, String)]) -> Entry {
    let name = label + dimensions.map { "\($0)=\($1)" }.joined(separator: ",")
    return Entry { [counts] count in counts.withLock { $0[name, default: 0] += count } }
  }

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    entry(label, dimensions)
  }
  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    entry(label, dimensions)
  }
  func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler { entry(label, dimensions) }
  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}

  private final class Entry: CounterHandler, TimerHandler, RecorderHandler {
    private let add: @Sendable (Int) -> Void

    init(add: @escaping @Sendable (Int) -> Void) { self.add = add }

    func increment(by amount: Int64) { add(Int(amount)) }
    func record(_ value: Int64) { add(1) }
    func record(_ value: Double) { add(1) }
    func recordNanoseconds(_ duration: Int64) { add(1) }
    func reset() {}
  }
}
