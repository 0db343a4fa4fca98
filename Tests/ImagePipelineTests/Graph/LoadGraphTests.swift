import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import ImagePipeline
@testable import LoadScheduling
@testable import TestSupport

private let url = "http://test.invalid/a.jpg"

private func request(
  _ steps: [any ImageProcessing] = [], thumbnail: PixelSize? = nil,
  priority: LoadPriority = .normal
) -> ImageRequest {
  var request = ImageRequest(url: url)
  request.processors = steps
  request.thumbnail = thumbnail.map { ThumbnailRecipe(size: $0) }
  request.priority = priority
  return request
}

@Suite struct `Coalesced requests` {
  /// Starts loads, waits until all hang on one fetch, then lets it go on.
  private func load(_ requests: [ImageRequest], _ fixture: PipelineFixture, _ gate: Gate)
    async throws -> [ImageResponse]
  {
    let pipeline = fixture.pipeline
    let tasks = requests.map { asked in Task { try await pipeline.image(for: asked) } }
    let nodes = nodes(of: requests, fixture)
    // Each caller waits for an image, each step for the one before it, the first ones for the
    // original.
    await Condition.until { pipeline.graph.waitingCount >= requests.count + nodes.count }
    await gate.arrivals(1)
    gate.open()
    var responses: [ImageResponse] = []
    for task in tasks { responses.append(try await task.value) }
    return responses
  }

  /// What has to be made, each thing once.
  private func nodes(of requests: [ImageRequest], _ fixture: PipelineFixture) -> Set<PixelsIdentity>
  {
    var nodes: Set<PixelsIdentity> = []
    for asked in requests {
      for count in 0...asked.processors.count {
        let isLast = count == asked.processors.count
        nodes.insert(
          PixelsIdentity(
            original: ResolvedRequest(asked, fixture.pipeline.configuration, epoch: 0).originalKey,
            thumbnail: asked.thumbnail,
            steps: asked.processing.prefix(count),
            storesResult: isLast && asked.storesResult && fixture.cache != nil))
      }
    }
    return nodes
  }

  @Test func `equal ones share one download, one decode and one run of each step`() async throws {
    let gate = Gate()
    let fixture = try PipelineFixture(StubFetcher(heldAt: gate))
    let (first, second) = (CountingStep("first"), CountingStep("second"))

    let responses = try await load(
      Array(repeating: request([first, second]), count: 20), fixture, gate)

    #expect(responses.count == 20)
    #expect(fixture.fetcher.count == 1)
    #expect(first.count == 1 && second.count == 1)
    let shared = try #require(responses.first?.steps.filter { $0.stage == .decode })
    #expect(shared.count == 1)
  }

  @Test func `processor chains with a common prefix share it`() async throws {
    let gate = Gate()
    let fixture = try PipelineFixture(StubFetcher(heldAt: gate))
    let (first, left, right) = (
      CountingStep("first"), CountingStep("left"), CountingStep("right")
    )

    _ = try await load(
      [request([first, left]), request([first, right]), request([first]), request()], fixture, gate)

    #expect(fixture.fetcher.count == 1)
    #expect([first, left, right].map(\.count) == [1, 1, 1])
  }

  @Test(arguments: [true, false])
  func `a thumbnail and the full size share one download`(isSmallFirst: Bool) async throws {
    let gate = Gate()
    let fixture = try PipelineFixture(StubFetcher(heldAt: gate), onDisk: true)
    let (small, full) = (request(thumbnail: PixelSize(width: 16, height: 12)), request())

    let responses = try await load(isSmallFirst ? [small, full] : [full, small], fixture, gate)

    #expect(fixture.fetcher.count == 1)
    #expect(Set(responses.map(\.image.size.width)) == [16, 64])
    // Whichever came first, the original is stored, and nothing else.
    #expect(await fixture.cache?.list().map(\.key) == [.original(url: url)])
  }

  @Test func `prefetching leaves the reserved fetches to other requests`() async throws {
    let gate = Gate()
    let fixture = try PipelineFixture(StubFetcher(heldAt: gate)) {
      $0.maximumFetches = 3
      $0.maximumFetchesPerHost = 3
      $0.reservedFetches = 1
    }
    let pipeline = fixture.pipeline
    let quiet = (0..<4).map { index in
      let request = with(ImageRequest(url: "\(url)?\(index)")) { $0.priority = .prefetch }
      return pipeline.task(for: request)
    }
    await gate.arrivals(2)
    await Condition.until { pipeline.graph.queue.pendingCount >= 2 }

    let seen = pipeline.task(for: request())
    await gate.arrivals(3)

    #expect(fixture.fetcher.requests.last?.url == url)
    gate.open()
    for task in quiet + [seen] { _ = try await task.response }
  }
}
