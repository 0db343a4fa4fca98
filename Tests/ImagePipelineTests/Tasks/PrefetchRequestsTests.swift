import Foundation
import HTTPTypes
import Testing

@testable import CachePolicies
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
  case .notKept: "not kept"
  case .skipped: "skipped"
  case .duplicate: "duplicate"
  case .failed(let error): "failed: \(error.code.rawValue)"
  }
}

@Suite struct `Prefetching requests` {
  /// Runs to the end and counts the outcomes.
  private func load(
    _ asked: [ImageRequest], _ fixture: PipelineFixture,
    _ destination: ImagePrefetcher.Destination = .disk
  ) async throws -> [String: Int] {
    var words: [String: Int] = [:]
    let prefetcher = ImagePrefetcher(
      fixture.pipeline, destination: destination, maximumInFlight: 4)
    try await prefetcher.load(asked) { _, outcome in words[word(outcome), default: 0] += 1 }
    return words
  }

  @Test func `duplicate requests are loaded once`() async throws {
    let fixture = try PipelineFixture(
      StubFetcher(fields: [.cacheControl: "no-store"]), onDisk: true)

    let words = try await load(requests([1, 2, 1, 1, 2, 3]), fixture)

    #expect(words == ["not kept": 3, "duplicate": 3])
    #expect(fixture.fetcher.count == 3)
  }

  @Test func `a cached image is skipped`() async throws {
    let fixture = try PipelineFixture(StubFetcher(fields: fresh), onDisk: true)
    _ = try await load(requests([1, 2]), fixture)
    var grouped = requests([1])
    grouped[0].storage.groups = ["day:20200616"]

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
      }, onDisk: true)

    let words = try await load(requests([1, 2, 3]), fixture)

    #expect(words == ["loaded": 2, "failed: http_status": 1])
  }

  @Test func `into memory, an image is kept or the outcome says why not`() async throws {
    let fixture = try PipelineFixture(
      StubFetcher { request in
        let field = request.url.hasSuffix("2") ? "no-store" : "max-age=60"
        return StubFetcher.response(
          request.url, SampleImages.photo, fields: [.cacheControl: field])
      }
    ) { $0.clock = { Date(timeIntervalSince1970: 1_592_300_000) } }

    let first = try await load(requests([1, 2]), fixture, .memory)
    let again = try await load(requests([1]), fixture, .memory)

    #expect(first == ["loaded": 1, "not kept": 1])
    #expect(again == ["skipped": 1])
    #expect(fixture.pipeline.imageInMemory(for: requests([1])[0]) != nil)
  }

  @Test func `an image too large for memory is reported as not kept`() async throws {
    let fixture = try PipelineFixture(StubFetcher(fields: fresh)) {
      $0.sharedMemory = nil
      $0.memory = MemoryCacheConfiguration(maximumByteCount: 1000)
    }

    let prefetcher = ImagePrefetcher(fixture.pipeline)
    let reasons = Locked<[String]>([])
    try await prefetcher.load(requests([1])) { _, outcome in
      if case .notKept(let reason) = outcome { reasons.withLock { $0.append(reason) } }
    }

    #expect(prefetcher.destination == .memory)
    #expect(reasons.withLock { $0.first }?.contains("more than one image may take") == true)
  }

  @Test func `without the destination, nothing is fetched`() async throws {
    let fixture = try PipelineFixture {
      $0.sharedMemory = nil
      $0.memory = nil
    }

    #expect(try await load(requests([1]), fixture, .disk) == ["failed: store_failed": 1])
    #expect(try await load(requests([1]), fixture, .memory) == ["failed: store_failed": 1])
    #expect(fixture.fetcher.count == 0)
  }

  @Test func `a pause starts nothing more, and lets running loads finish`() async throws {
    let gate = Gate()
    let fixture = try PipelineFixture(StubFetcher(heldAt: gate))
    let prefetcher = ImagePrefetcher(fixture.pipeline, maximumInFlight: 2)
    let reported = Locked(0)
    let run = Task {
      try await prefetcher.load(requests([1, 2, 3, 4])) { _, _ in reported.withLock { $0 += 1 } }
    }
    await gate.arrivals(2)

    prefetcher.pause()
    gate.open()
    await Condition.until { fixture.pipeline.graph.activeCount == 0 }
    prefetcher.start(with: requests([5]))
    let asked = fixture.fetcher.count
    prefetcher.resume()
    try await run.value
    await Condition.until { prefetcher.startedCount == 0 }

    #expect(asked == 2)
    #expect(reported.withLock { $0 } == 4)
    #expect(fixture.fetcher.count == 5)
  }

  @Test(arguments: [true, false])
  func `a stop, or the cancellation of its caller, ends a run`(isStop: Bool) async throws {
    let gate = Gate()
    let fixture = try PipelineFixture(StubFetcher(heldAt: gate))
    let prefetcher = ImagePrefetcher(fixture.pipeline, maximumInFlight: 2)
    let run = Task { try await prefetcher.load(requests([1, 2, 3, 4])) { _, _ in } }
    await gate.arrivals(2)

    if isStop { prefetcher.stop() } else { run.cancel() }

    await #expect(throws: CancellationError.self) { try await run.value }
    #expect(fixture.fetcher.count == 2)
  }

  @Test(arguments: [true, false])
  func `a stop, or the cancellation of its caller, ends a paused run`(isStop: Bool) async throws {
    let fixture = try PipelineFixture()
    let prefetcher = ImagePrefetcher(fixture.pipeline)
    prefetcher.pause()
    let left = Locked(requests([1]))
    let items = AsyncStream<ImageRequest> { left.withLock { $0.popLast() } }
    let run = Task { try await prefetcher.load(items) { _, _ in } }
    // A stop ends the runs that have begun.
    await Condition.until { left.withLock { $0.isEmpty } }

    if isStop { prefetcher.stop() } else { run.cancel() }

    await #expect(throws: CancellationError.self) { try await run.value }
    #expect(fixture.fetcher.count == 0)
  }

  @Test func `what was started is loaded once, and what is stopped is not`() async throws {
    let gate = Gate()
    let fixture = try PipelineFixture(StubFetcher(heldAt: gate))
    let prefetcher = ImagePrefetcher(fixture.pipeline, maximumInFlight: 1)

    prefetcher.start(with: requests([1, 2, 3]))
    await gate.arrivals(1)
    prefetcher.start(with: requests([1, 3]))
    prefetcher.stop(with: requests([2]))
    #expect(prefetcher.startedCount == 2)
    gate.open()
    await Condition.until { prefetcher.startedCount == 0 }

    #expect(fixture.fetcher.requests.map(\.url) == requests([1, 3]).map(\.url))
  }

  @Test func `what was started ends with its prefetcher, and is cancelled when stopped`()
    async throws
  {
    let gate = Gate()
    let fixture = try PipelineFixture(StubFetcher(heldAt: gate), onDisk: true)
    var prefetcher: ImagePrefetcher? = ImagePrefetcher(fixture.pipeline, maximumInFlight: 2)
    prefetcher?.start(with: requests([1, 2]))
    await gate.arrivals(2)

    prefetcher?.stop(with: requests([1]))
    await Condition.until { fixture.pipeline.graph.activeCount == 1 }
    prefetcher = nil
    await Condition.until { fixture.pipeline.graph.activeCount == 0 }

    #expect(fixture.fetcher.count == 2)
  }

  @Test func `a request for a prefetched image joins its load, at its priority`() async throws {
    let gate = Gate()
    let order = Locked<[String]>([])
    let fixture = try PipelineFixture(
      StubFetcher { request in
        order.withLock { $0.append(String(request.url.suffix(1))) }
        await gate.wait()
        return StubFetcher.response(request.url, SampleImages.photo)
      }, onDisk: true
    ) {
      $0.maximumFetches = 1
      $0.reservedFetches = 0
    }
    let pipeline = fixture.pipeline
    let run = Task {
      try await ImagePrefetcher(pipeline, maximumInFlight: 4)
        .load(requests([1, 2, 3, 4])) { _, _ in }
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

    try await ImagePrefetcher(fixture.pipeline, maximumInFlight: 8).load(Array(many)) {
      _, outcome in
      reported += word(outcome) == "failed: host_not_allowed" ? 1 : 0
    }

    #expect(reported == count)
    #expect(fixture.pipeline.graph.activeCount == 0)
  }
}
