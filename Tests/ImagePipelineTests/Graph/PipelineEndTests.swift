import HTTPTypes
import Testing

@testable import CachePolicies
@testable import ImageModel
@testable import ImagePipeline
@testable import LoadScheduling
@testable import TestSupport

private let url = "http://test.invalid/a.jpg"

@Suite struct `The end of a pipeline` {
  @Test func `waits for the loads in progress`() async throws {
    let gate = Gate()
    let fixture = try PipelineFixture(StubFetcher(heldAt: gate))
    let pipeline = fixture.pipeline

    let load = Task { try await pipeline.data(for: ImageRequest(url: url)) }
    await gate.arrivals(1)
    let end = Task { await pipeline.close() }
    let late = await imageError {
      while true { _ = try await pipeline.storedFileAfterLoading(url + "?late") }
    }
    gate.open()
    let response = try await load.value
    await end.value

    #expect(response.byteCount == SampleImages.photo.count)
    #expect(late?.code == .invalidated)
    #expect(pipeline.executor.hasEnded)
    #expect(await imageError { try await pipeline.onOwnThreads {} }?.code == .invalidated)
  }

  @Test func `after an invalidation has no work left running`() async throws {
    let gate = Gate()
    let fixture = try PipelineFixture(
      StubFetcher { _ in
        // Answers only after the load was cancelled.
        await gate.wait()
        throw CancellationError()
      })
    let pipeline = fixture.pipeline

    let load = Task { try await pipeline.data(for: ImageRequest(url: url)) }
    await gate.arrivals(1)
    pipeline.invalidate()
    await imageError { try await load.value }
    let hasEnded = Locked(false)
    let end = Task {
      await pipeline.close()
      hasEnded.withLock { $0 = true }
    }
    #expect(!hasEnded.withLock { $0 } && !pipeline.executor.hasEnded)
    gate.open()
    await end.value

    #expect(pipeline.executor.hasEnded)
  }

  @Test(arguments: [true, false])
  func `after its time, or with its caller's cancellation, ends hanging loads`(
    isCancelled: Bool
  ) async throws {
    let gate = Gate()
    let fixture = try PipelineFixture(
      StubFetcher { request in
        // Goes on though it was cancelled.
        await gate.wait()
        return StubFetcher.response(request.url, SampleImages.photo)
      }
    ) { $0.queueClock.sleep = { _ in if isCancelled { try await Gate().waitUnlessCancelled() } } }
    let pipeline = fixture.pipeline
    let load = Task { try await pipeline.data(for: ImageRequest(url: url)) }
    await gate.arrivals(1)

    let end = Task { await pipeline.close(within: .seconds(5)) }
    if isCancelled { end.cancel() }
    let failure = await imageError { try await load.value }
    gate.open()
    await end.value

    #expect(failure?.code == .invalidated)
    await Condition.until { pipeline.executor.hasEnded }
  }

  @Test func `comes when its last reference is released`() async throws {
    var fixture: PipelineFixture? = try PipelineFixture()
    _ = try await fixture?.pipeline.data(for: ImageRequest(url: url))
    let executor = try #require(fixture?.pipeline.executor)

    fixture = nil

    await Condition.until { executor.hasEnded }
  }
}

extension ImagePipeline {
  /// Fails once the pipeline ends; returns without a load before.
  fileprivate func storedFileAfterLoading(_ url: String) async throws {
    let request = with(ImageRequest(url: url)) { $0.cache.policy = .onlyIfCached }
    do {
      _ = try await data(for: request)
    } catch let error as ImageError where error.code == .notCached {}
  }
}

@Suite struct `Disk hit counts` {
  @Test func `have one hit for each result read, and none for a result just made`() async throws {
    let fixture = try PipelineFixture(
      StubFetcher(fields: [.cacheControl: "max-age=60"]),
      onDisk: true)
    let cache = try #require(fixture.cache)
    var request = ImageRequest(url: url)
    request.thumbnail = ThumbnailRecipe(size: PixelSize(width: 8, height: 8))
    request.storage.rule = .both

    let made = try await fixture.pipeline.data(for: request)
    let afterMaking = await cache.statistics().total
    let read = try await fixture.pipeline.data(for: request)
    let afterReading = await cache.statistics().total

    #expect(made.isNew && made.path != nil)
    #expect(read.source == .disk && read.path == made.path)
    #expect(afterMaking[.diskHits] == nil)
    #expect(afterReading[.diskHits] == 1)
    #expect(afterReading[.diskMisses] == afterMaking[.diskMisses])
  }
}

@Suite struct `Work in the background` {
  private let work = BackgroundWork()
  private let gate = Gate()
  private let done = Locked<[String]>([])

  /// Starts work that ends when the gate opens, and is recorded then.
  private func start(_ name: String, for key: String) {
    work.start(for: MemoryKey(key)) { [gate, done] in
      await gate.wait()
      done.withLock { $0.append(name) }
    }
  }

  private var names: Set<String> { Set(done.withLock { $0 }) }

  @Test func `is done once for a key while it runs`() async {
    start("first", for: "a")
    start("second", for: "a")
    start("third", for: "b")
    let count = work.count

    gate.open()
    await work.finish()

    #expect(count == 2)
    #expect(names == ["first", "third"])
    #expect(work.count == 0)
  }

  @Test func `is cancelled with the task that waits for its end`() async {
    work.start(for: MemoryKey("a")) { [gate, done] in
      try? await gate.waitUnlessCancelled()
      done.withLock { $0.append(Task.isCancelled ? "cancelled" : "ended") }
    }
    await gate.arrivals(1)
    let waiter = Task { [work] in await work.finish() }
    waiter.cancel()
    await waiter.value

    #expect(names == ["cancelled"])
    #expect(work.count == 0)
  }
}
