import HTTPTypes
import Testing

@testable import ImageModel
@testable import ImagePipeline
@testable import TestSupport

private let url = "http://test.invalid/a.jpg"
private let fresh: HTTPFields = [.cacheControl: "max-age=60"]

private func requests(_ names: [Int]) -> [ImageRequest] {
  names.map { ImageRequest(url: "\(url)?\($0)") }
}

private func word(_ outcome: ImagePrefetcher.Outcome) -> String {
  switch outcome {
  case .loaded: "loaded"
  case .skipped: "skipped"
  case .duplicate: "duplicate"
  case .failed(let error): "failed: \(error.code.rawValue)"
  }
}

@Suite struct `Prefetching requests` {
  /// Runs to the end and counts the outcomes.
  private func load(
    _ asked: [ImageRequest], _ fixture: PipelineFixture, maximumInFlight: Int = 4,
    control: PrefetchControl = PrefetchControl()
  ) async throws -> [String: Int] {
    var words: [String: Int] = [:]
    try await ImagePrefetcher(maximumInFlight: maximumInFlight)
      .load(asked, with: fixture.pipeline, control: control) { _, outcome in
        words[word(outcome), default: 0] += 1
      }
    return words
  }

  @Test func `duplicate requests are loaded once`() async throws {
    let fixture = try PipelineFixture(
      StubFetcher(fields: [.cacheControl: "no-store"]), onDisk: true)

    let words = try await load(requests([1, 2, 1, 1, 2, 3]), fixture)

    #expect(words == ["loaded": 3, "duplicate": 3])
    #expect(fixture.fetcher.count == 3)
  }

  @Test func `a cached image is skipped`() async throws {
    let fixture = try PipelineFixture(StubFetcher(fields: fresh), onDisk: true)
    _ = try await load(requests([1, 2]), fixture)
    var grouped = requests([1])
    grouped[0].groups = ["day:20200616"]

    let words = try await load(requests([2]) + grouped, fixture)

    #expect(words == ["skipped": 2])
    #expect(fixture.fetcher.count == 2)
    #expect(await fixture.cache?.groups(of: grouped[0].key) == ["day:20200616"])
  }

  @Test func `a failure is reported with its reason and stops nothing`() async throws {
    let fixture = try PipelineFixture(
      StubFetcher { request in
        if request.url.hasSuffix("2") { throw StubFetcher.failure(404) }
        return StubFetcher.response(request.url, SampleImages.photo)
      })

    let words = try await load(requests([1, 2, 3]), fixture)

    #expect(words == ["loaded": 2, "failed: http_status": 1])
  }

  @Test func `a pause lets running loads finish and starts none`() async throws {
    let gate = Gate()
    let fixture = try PipelineFixture(StubFetcher(heldAt: gate))
    let control = PrefetchControl()
    let reported = Locked(0)
    let pipeline = fixture.pipeline
    let run = Task {
      try await ImagePrefetcher(maximumInFlight: 2)
        .load(requests([1, 2, 3, 4]), with: pipeline, control: control) { _, _ in
          reported.withLock { $0 += 1 }
        }
    }
    await gate.arrivals(2)

    control.pause()
    gate.open()
    await Condition.until { pipeline.graph.activeCount == 0 }
    let asked = fixture.fetcher.count
    control.resume()
    try await run.value

    // The one that was taken from the list before the pause may have begun; none was taken after
    // it.
    #expect(asked <= 3)
    #expect(reported.withLock { $0 } == 4)
    #expect(fixture.fetcher.count == 4)
  }

  @Test func `a request for a prefetched image joins its load, at its priority`() async throws {
    let gate = Gate()
    let order = Locked<[String]>([])
    let fixture = try PipelineFixture(
      StubFetcher { request in
        order.withLock { $0.append(String(request.url.suffix(1))) }
        await gate.wait()
        return StubFetcher.response(request.url, SampleImages.photo)
      }
    ) {
      $0.maximumFetches = 1
      $0.reservedFetches = 0
    }
    let pipeline = fixture.pipeline
    let run = Task {
      try await ImagePrefetcher(maximumInFlight: 4)
        .load(requests([1, 2, 3, 4]), with: pipeline) { _, _ in }
    }
    await gate.arrivals(1)
    await Condition.until { pipeline.graph.queue.pendingCount >= 3 }
    let last = try #require(
      requests([1, 2, 3, 4]).last { !order.withLock { $0 }.contains($0.url) })

    let seen = pipeline.task(for: last)
    await Condition.until { pipeline.graph.waitingCount(forOriginalOf: last) >= 2 }
    gate.open()
    _ = try await seen.response
    try await run.value

    #expect(order.withLock { $0 }[1] == String(last.url.suffix(1)))
    #expect(fixture.fetcher.count == 4)
  }

  @Test(.isLong) func `a hundred thousand requests are reported each, and no state remains`()
    async throws
  {
    let fixture = try PipelineFixture(StubFetcher { _ in throw ImageError(.hostNotAllowed, "no") })
    let count = CampaignSize.isFull ? 100_000 : 5_000
    let many = (0..<count).lazy.map { ImageRequest(url: "\(url)?\($0)") }
    var reported = 0

    try await ImagePrefetcher(maximumInFlight: 8).load(Array(many), with: fixture.pipeline) {
      _, outcome in
      reported += word(outcome) == "failed: host_not_allowed" ? 1 : 0
    }

    #expect(reported == count)
    #expect(fixture.pipeline.graph.activeCount == 0)
  }
}
