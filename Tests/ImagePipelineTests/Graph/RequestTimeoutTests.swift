import Testing

@testable import ImageFetching
@testable import ImageModel
@testable import ImagePipeline
@testable import LoadScheduling
@testable import TestSupport

private let url = "http://test.invalid/a.jpg"

@Suite struct `The timeout of a request` {
  private let origin = Gate()
  private let alarm = Gate()
  private let asked = Locked<[Duration]>([])

  /// A pipeline with one place, whose origin answers once its gate opens, and whose timeouts pass
  /// once the alarm does.
  private func fixture() throws -> PipelineFixture {
    try PipelineFixture(StubFetcher(heldAt: origin)) { [asked, alarm] in
      $0.maximumFetches = 1
      $0.queueClock.sleep = { duration in
        asked.withLock { $0.append(duration) }
        try await alarm.waitUnlessCancelled()
      }
    }
  }

  private func request(_ url: String = url, timeout: Duration? = .seconds(5)) -> ImageRequest {
    with(ImageRequest(url: url)) { $0.network.timeout = timeout }
  }

  /// The ways to load an image.
  enum Way: CaseIterable {
    case image, data, thumbnails, file, task

    func load(_ request: ImageRequest, with pipeline: ImagePipeline) async throws {
      switch self {
      case .image: _ = try await pipeline.image(for: request)
      case .data: _ = try await pipeline.data(for: request)
      case .thumbnails:
        let recipe = ThumbnailRecipe(size: PixelSize(width: 8, height: 8))
        _ = try await pipeline.data(for: request, thumbnails: [recipe])
      case .file: _ = try await pipeline.file(for: request)
      case .task: _ = try await pipeline.task(for: request).response
      }
    }
  }

  @Test(arguments: Way.allCases) func `ends its fetch`(way: Way) async throws {
    let fixture = try fixture()
    let request = request()

    let load = Task { await imageError { try await way.load(request, with: fixture.pipeline) } }
    await origin.arrivals(1)
    alarm.open()

    let error = await load.value
    #expect(error?.code == .timedOut)
    #expect(error?.message == "\(url): not loaded within 5.0 seconds, ImageRequest.network.timeout")
    #expect(asked.withLock { $0 } == [.seconds(5)])
    await Condition.until { fixture.pipeline.activeLoadCount == 0 }
  }

  @Test func `ends its wait for a place`() async throws {
    let fixture = try fixture()
    let (pipeline, origin) = (fixture.pipeline, origin)
    let first = Task { try await pipeline.data(for: request(timeout: nil)) }
    await origin.arrivals(1)

    let second = Task { [self] in
      await imageError { try await pipeline.data(for: request("http://test.invalid/b.jpg")) }
    }
    await Condition.until { pipeline.queuedFetchCount == 1 }
    alarm.open()

    #expect(await second.value?.code == .timedOut)
    await Condition.until { pipeline.queuedFetchCount == 0 }
    origin.open()
    #expect(try await first.value.source == .network)
    #expect(fixture.fetcher.count == 1)
  }

  @Test func `is that of its caller alone`() async throws {
    let fixture = try fixture()
    let pipeline = fixture.pipeline
    let hasty = Task { await imageError { try await pipeline.image(for: request()) } }
    await origin.arrivals(1)
    let patient = Task { try await pipeline.image(for: request(timeout: nil)) }
    // Both wait for the image, and that for its original.
    await Condition.until { pipeline.graph.waitingCount == 3 }
    alarm.open()

    #expect(await hasty.value?.code == .timedOut)
    origin.open()
    #expect(try await patient.value.source == .network)
    #expect(fixture.fetcher.count == 1)
  }

  @Test func `costs a hit in memory nothing, and lengthens the time for a fetch`() async throws {
    let fixture = try PipelineFixture { [asked] in
      $0.queueClock.sleep = { duration in
        asked.withLock { $0.append(duration) }
        try await Task.sleep(for: .seconds(3600))
      }
    }

    _ = try await fixture.pipeline.image(for: request(timeout: .seconds(900)))
    _ = try await fixture.pipeline.image(for: request(timeout: .zero))
    _ = try await fixture.pipeline.image(for: request("http://test.invalid/b.jpg"))

    #expect(fixture.fetcher.requests.map(\.limits.totalTime) == [.seconds(900), .seconds(300)])
    #expect(!asked.withLock { $0.contains(.zero) })
  }

  @Test func `that does not pass leaves a cancellation as it is`() async throws {
    let fixture = try fixture()
    let request = request()
    let load = Task { try await fixture.pipeline.data(for: request) }
    await origin.arrivals(1)
    load.cancel()

    await #expect(throws: CancellationError.self) { try await load.value }
  }
}
