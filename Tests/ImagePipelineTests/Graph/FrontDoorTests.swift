import Foundation
import HTTPTypes
import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import ImagePipeline
@testable import TestSupport

private let url = "http://test.invalid/a.jpg"
private let fresh: HTTPFields = [.cacheControl: "max-age=60"]

@Suite struct `Requests to a pipeline` {
  @Test func `a response has its tier, its freshness and the time of each stage`() async throws {
    let fixture = try PipelineFixture(StubFetcher(fields: fresh), onDisk: true)
    var request = ImageRequest(url: url)

    let first = try await fixture.pipeline.image(for: request)
    request.cache.keepsInMemory = false
    let second = try await fixture.pipeline.image(for: request)

    #expect(first.source == .network && first.freshness == .current)
    #expect(first.image.size == PixelSize(width: 64, height: 48))
    #expect(first.steps.map(\.stage) == [.disk, .wait, .fetch, .decode, .store])
    #expect(first.elapsed(in: .decode) != nil && first.elapsed(in: .process) == nil)
    #expect(second.source == .memory && second.freshness == .fresh && second.steps.isEmpty)
  }

  @Test func `an image on disk is promoted to memory unless the request forbids it`() async throws {
    let fixture = try PipelineFixture(StubFetcher(fields: fresh), onDisk: true)
    var request = ImageRequest(url: url)
    _ = try await fixture.pipeline.data(for: request)

    request.cache.keepsInMemory = false
    let first = try await fixture.pipeline.image(for: request)
    #expect(fixture.memory.count == 0)
    request.cache.keepsInMemory = true
    let second = try await fixture.pipeline.image(for: request)
    let third = try await fixture.pipeline.image(for: request)

    #expect([first, second, third].map(\.source) == [.disk, .disk, .memory])
    #expect(fixture.fetcher.count == 1)
  }

  @Test func `memory serves an image only while it is fresh`() async throws {
    let fixture = try PipelineFixture(StubFetcher(fields: fresh))
    var request = ImageRequest(url: url)
    _ = try await fixture.pipeline.image(for: request)

    fixture.clock.advance(by: 59)
    #expect(fixture.pipeline.imageInMemory(for: request) != nil)
    fixture.clock.advance(by: 2)
    #expect(fixture.pipeline.imageInMemory(for: request) == nil)
    request.cache.policy = .forever
    #expect(fixture.pipeline.imageInMemory(for: request) != nil)
    request.cache.policy = .reload
    #expect(fixture.pipeline.imageInMemory(for: request) == nil)
  }

  @Test func `a memory hit completes on the caller's thread`() async throws {
    let fixture = try PipelineFixture(StubFetcher(fields: fresh))
    let request = ImageRequest(url: url)
    _ = try await fixture.pipeline.image(for: request)

    // An actor whose executor records every job: an extra hop would be a second one.
    let executor = CountingExecutor()
    let caller = CallingActor(executor)
    let source = try await caller.source(of: request, fixture.pipeline)

    #expect(source == .memory)
    #expect(executor.count == 1)
  }

  @Test func `the automatic rule stores the original, or the result of processing`() async throws {
    let fixture = try PipelineFixture(StubFetcher(fields: fresh), onDisk: true)
    let cache = try #require(fixture.cache)
    var small = ImageRequest(url: url)
    small.thumbnail = ThumbnailRecipe(size: PixelSize(width: 16, height: 16))
    small.cache.keepsInMemory = false

    _ = try await fixture.pipeline.image(for: small)
    let afterSmall = await cache.list().map(\.key)
    let again = try await fixture.pipeline.image(for: small)
    _ = try await fixture.pipeline.image(for: ImageRequest(url: url))

    #expect(afterSmall == [.variant(source: url, recipe: small.resultIdentity)])
    #expect(again.source == .disk && again.image.size == PixelSize(width: 16, height: 16))
    #expect(await cache.record(for: .original(url: url)) != nil)
    #expect(fixture.fetcher.count == 2)
  }

  @Test(arguments: [
    (StorageRule.original, true, false), (.result, false, true), (.both, true, true),
    (.none, false, false),
  ])
  func `the storage rule decides what is written to disk`(
    rule: StorageRule, original: Bool, result: Bool
  ) async throws {
    let fixture = try PipelineFixture(StubFetcher(fields: fresh), onDisk: true)
    let cache = try #require(fixture.cache)
    var request = ImageRequest(url: url)
    request.processors = [RoundCorners(.pixels(4))]
    request.storage.rule = rule

    _ = try await fixture.pipeline.image(for: request)

    let record = await cache.record(for: .original(url: url))
    #expect((record != nil) == original)
    // Named by the bytes of the original if that is stored, else by its URL.
    let key = CacheKey.variant(
      source: record?.content.map { "\($0.hash)" } ?? url, recipe: request.resultIdentity)
    #expect(await cache.holds(key) == result)
  }

  @Test func `a local file is read where allowed, and not written to the cache`() async throws {
    let scratch = try Scratch()
    let path = scratch / "a picture.jpg"
    try Data(SampleImages.photo).write(to: URL(fileURLWithPath: path))
    let open = try PipelineFixture(StubFetcher(returning: []), in: scratch) {
      $0.readsLocalFiles = true
    }
    let closed = try PipelineFixture(StubFetcher { throw ImageError(.unsupportedScheme, $0.url) })

    for name in [path, "file://" + path.replacing(" ", with: "%20")] {
      let request = with(ImageRequest(url: name)) { $0.processors = [RoundCorners(.pixels(4))] }
      let response = try await open.pipeline.image(for: request)
      #expect(response.image.size == PixelSize(width: 64, height: 48))
    }
    let refused = await imageError {
      try await closed.pipeline.image(for: ImageRequest(url: "file://" + path))
    }

    #expect(await open.cache?.list().isEmpty == true)
    #expect(open.fetcher.count == 0)
    #expect(refused?.code == .unsupportedScheme)
  }

  @Test func `an invalidated pipeline ends every load with a typed error`() async throws {
    let gate = Gate()
    let fetcher = StubFetcher { _ in
      try await gate.waitUnlessCancelled()
      throw CancellationError()
    }
    let pipeline = try PipelineFixture(fetcher).pipeline
    let one = Task { try await pipeline.image(for: ImageRequest(url: url)) }
    let two = Task { try await pipeline.data(for: ImageRequest(url: url + "?2")) }
    let three = pipeline.task(for: ImageRequest(url: url + "?3"))
    await gate.arrivals(3)

    pipeline.invalidate()

    await imageError { try await one.value }
    await imageError { try await two.value }
    await imageError { try await three.response }
    let late = await imageError { try await pipeline.image(for: ImageRequest(url: url)) }
    #expect(late?.code == .invalidated)
    #expect(pipeline.graph.activeCount == 0)
  }

  @Test func `a finished load is released`() async throws {
    let fixture = try PipelineFixture()
    weak var released: ImageTask?

    do {
      let task = fixture.pipeline.task(for: ImageRequest(url: url))
      released = task
      _ = try await task.response
      #expect(released != nil)
    }

    #expect(released == nil)
    #expect(fixture.pipeline.graph.activeCount == 0)
  }

  @Test func `a request hook rewrites or refuses a fetch, and can be cancelled`() async throws {
    let gate = Gate()
    let fixture = try PipelineFixture() {
      $0.prepare = { request in
        var request = request
        if request.url.hasSuffix("refused") { throw ImageError(.hostNotAllowed, "not this one") }
        if request.url.hasSuffix("slow") { try await gate.waitUnlessCancelled() }
        request.url += "?signed"
        return request
      }
    }
    let pipeline = fixture.pipeline

    let response = try await pipeline.data(for: ImageRequest(url: url))
    let refusal = await imageError {
      try await pipeline.data(for: ImageRequest(url: "http://test.invalid/refused"))
    }
    let slow = Task { try await pipeline.data(for: ImageRequest(url: "http://test.invalid/slow")) }
    await gate.arrivals(1)
    slow.cancel()
    await #expect(throws: CancellationError.self) { try await slow.value }

    #expect(response.url == url)
    #expect(refusal?.code == .hostNotAllowed)
    #expect(fixture.fetcher.requests.map(\.url) == [url + "?signed"])
  }

  @Test func `a key rule maps two spellings to one image, and alternates reach the fetcher`()
    async throws
  {
    let fixture = try PipelineFixture(StubFetcher(fields: fresh), onDisk: true) {
      $0.hostRules.cacheURL = { String($0.prefix { $0 != "?" }) }
    }
    let request = with(ImageRequest(url: url + "?source=1")) {
      $0.network.alternates = [url + "?other"]
    }

    _ = try await fixture.pipeline.data(for: request)
    let second = try await fixture.pipeline.data(for: ImageRequest(url: url + "?source=2"))

    #expect(second.source == .disk)
    #expect(fixture.fetcher.requests.map(\.url) == [url + "?source=1"])
    #expect(fixture.fetcher.requests.map(\.alternates) == [[url + "?other"]])
  }

  @Test func `a host can have its own cache policy`() async throws {
    let fixture = try PipelineFixture(onDisk: true) {
      $0.hostPolicies = ["test.invalid": .forever, "*.example.org": .onlyIfCached]
    }

    _ = try await fixture.pipeline.data(for: ImageRequest(url: url))
    fixture.clock.advance(by: 1e6)
    let second = try await fixture.pipeline.data(for: ImageRequest(url: url))
    let error = await imageError {
      try await fixture.pipeline.data(for: ImageRequest(url: "http://a.b.example.org/x.jpg"))
    }

    #expect(second.source == .disk)
    #expect(error?.code == .notCached)
    #expect(fixture.fetcher.count == 1)
  }
}

/// Runs jobs one after the other on a queue of its own and counts them.
private final class CountingExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "counting")
  private let counted = Locked(0)
  var count: Int { counted.withLock { $0 } }

  func enqueue(_ job: consuming ExecutorJob) {
    counted.withLock { $0 += 1 }
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }
}

private actor CallingActor {
  private let executor: CountingExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ executor: CountingExecutor) { self.executor = executor }

  func source(of request: ImageRequest, _ pipeline: ImagePipeline) async throws -> LoadSource {
    try await pipeline.image(for: request).source
  }
}
