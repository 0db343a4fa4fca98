import Foundation
import HTTPTypes
import Testing

@testable import CachePolicies
@testable import DiskCaching
@testable import ImageFetching
@testable import ImageModel
@testable import ImagePipeline
@testable import TestSupport

private let url = "http://test.invalid/a.png"

/// Answers without times, so that they are those of the pipeline's clock.
private func fetcher(_ fields: HTTPFields = [.cacheControl: "max-age=60"]) -> StubFetcher {
  StubFetcher { request in
    FetchedResponse(
      head: ResponseHead(url: request.url, status: 200, fields: fields),
      body: .bytes(SampleImages.photo))
  }
}

@Suite struct `Caches by request` {
  @Test func `have what was loaded until it is removed`() async throws {
    let fixture = try PipelineFixture(fetcher(), onDisk: true)
    let request: ImageRequest = "http://test.invalid/a.png"
    let cache = fixture.pipeline.cache

    #expect(await !cache.contains(request))
    _ = try await fixture.pipeline.image(for: request)
    #expect(await cache.contains(request))
    try await cache.remove(request)

    #expect(await !cache.contains(request))
    #expect(fixture.memory.count == 0)
  }

  @Test(arguments: [true, false])
  func `take bytes in place of a response`(isOnDisk: Bool) async throws {
    let fixture = try PipelineFixture(fetcher(), onDisk: isOnDisk)
    let pipeline = fixture.pipeline

    try await pipeline.store(SampleImages.photo, for: ImageRequest(url: url))
    let stored = try await pipeline.image(for: url)
    fixture.memory.removeAll()
    let later = try await pipeline.image(for: url)

    #expect(stored.source == .memory)
    #expect(later.source == (isOnDisk ? .disk : .network))
    #expect(later.freshness == (isOnDisk ? .fresh : .current))
    #expect(fixture.fetcher.count == (isOnDisk ? 0 : 1))
  }

  @Test func `take no bytes that are not an image, and none where nothing keeps them`()
    async throws
  {
    let fixture = try PipelineFixture(fetcher(), onDisk: true)
    let without = try PipelineFixture(fetcher()) {
      $0.sharedMemory = nil
      $0.memory = nil
    }

    let damaged = await imageError {
      try await fixture.pipeline.store([1, 2, 3], for: ImageRequest(url: url))
    }
    let homeless = await imageError {
      try await without.pipeline.store(SampleImages.photo, for: ImageRequest(url: url))
    }

    #expect(damaged?.code == .notAnImage)
    #expect(await !fixture.pipeline.cache.contains(ImageRequest(url: url)))
    // They say nothing of the origin.
    #expect(try await fixture.pipeline.image(for: url).source == .network)
    #expect(homeless?.code == .storeFailed && homeless?.url == url)
  }

  @Test func `take pixels into memory, and are emptied`() async throws {
    let fixture = try PipelineFixture(fetcher(), onDisk: true)
    let pipeline = fixture.pipeline
    let pixels = PixelBuffer(clear: PixelSize(width: 3, height: 2))

    #expect(pipeline.cache.store(pixels, for: ImageRequest(url: url)))
    let shown = try await pipeline.image(for: url)
    _ = try await pipeline.data(for: url)
    try await pipeline.cache.removeAll()

    #expect(shown.source == .memory && shown.image == pixels)
    #expect(await !pipeline.cache.contains(ImageRequest(url: url)))
  }

  @Test func `know an image by the key of its requests, whatever its URL`() async throws {
    let fixture = try PipelineFixture(
      fetcher([.cacheControl: "max-age=60", .eTag: "\"1\""]), onDisk: true)
    let pipeline = fixture.pipeline
    func signed(_ signature: Int) -> ImageRequest {
      with(ImageRequest(url: "\(url)?signature=\(signature)")) { $0.cache.key = "photo-1" }
    }

    _ = try await pipeline.image(for: signed(1))
    let again = try await pipeline.image(for: signed(2))
    fixture.memory.removeAll()
    let onDisk = try await pipeline.image(for: signed(3))
    fixture.clock.advance(by: 90)
    fixture.fetcher.become { request in
      StubFetcher.response(
        request.url, [], status: request.headers[.ifNoneMatch] == "\"1\"" ? 304 : 500,
        at: fixture.clock.now)
    }
    let revalidated = try await pipeline.image(for: signed(4))
    try await pipeline.cache.remove(signed(5))

    #expect([again.source, onDisk.source, revalidated.source] == [.memory, .disk, .revalidated])
    #expect(fixture.fetcher.requests.map { $0.url.last } == ["1", "4"])
    #expect(await !pipeline.cache.contains(signed(1)))
  }

  @Test(arguments: ["no-store", "max-age=5", "no-cache"])
  func `keep a response for the lifetime of its request`(control: String) async throws {
    let fixture = try PipelineFixture(fetcher([.cacheControl: control]), onDisk: true)
    let request = with(ImageRequest(url: url)) { $0.cache.lifetime = .seconds(600) }

    _ = try await fixture.pipeline.image(for: request)
    fixture.clock.advance(by: 500)
    let fresh = try await fixture.pipeline.image(for: request)
    fixture.clock.advance(by: 200)
    let stale = try await fixture.pipeline.image(for: request)

    #expect(fresh.source == .memory)
    #expect(stale.source == .network)
    #expect(fixture.fetcher.count == 2)
  }
}

@Suite struct `Pipelines of one configuration` {
  @Test func `have a memory each, unless one was passed to both`() async throws {
    var configuration = ImagePipeline.Configuration(fetcher: fetcher())
    configuration.clock = { Date(timeIntervalSince1970: 1e9) }
    let one = try ImagePipeline(configuration)
    let other = try ImagePipeline(configuration)
    _ = try await one.image(for: url)

    configuration.sharedMemory = MemoryCache<DecodedImage>()
    let first = try ImagePipeline(configuration)
    let second = try ImagePipeline(configuration)
    _ = try await first.image(for: url)

    #expect(one.imageInMemory(for: ImageRequest(url: url)) != nil)
    #expect(other.imageInMemory(for: ImageRequest(url: url)) == nil)
    #expect(second.imageInMemory(for: ImageRequest(url: url)) != nil)
  }

  @Test func `keep an image of 12 megapixels in the memory of this machine`() {
    let memory = MemoryCache<DecodedImage>()
    let size = PixelSize(width: 4000, height: 3000)

    let isKept = memory.insert(
      DecodedImage(pixels: PixelBuffer(clear: size)), for: MemoryKey("large"),
      byteCount: 4 * size.pixelCount)

    #expect(isKept == (MemoryReading.current().limitByteCount ?? .max >= 384 << 20))
  }
}

@Suite struct `Addresses of requests` {
  @Test func `are text, Foundation's URLs or literals`() async throws {
    let fixture = try PipelineFixture(fetcher(), onDisk: true)
    let pipeline = fixture.pipeline
    let address = try #require(URL(string: url))

    let images = [
      try await pipeline.image(for: url), try await pipeline.image(for: address),
      try await pipeline.image(for: "http://test.invalid/a.png"),
      try await pipeline.task(for: address).response, try await pipeline.task(for: url).response,
    ]
    let files = [try await pipeline.file(for: url), try await pipeline.file(for: address)]
    let bytes = [try await pipeline.data(for: url), try await pipeline.data(for: address)]
    for events in [pipeline.events(for: url), pipeline.events(for: address)] {
      for await event in events { if case .failure(let error, _) = event { throw error } }
    }

    #expect(Set(images.map(\.url)) == [url])
    #expect(Set(files).count == 1 && bytes.allSatisfy { $0.byteCount > 0 })
    #expect(fixture.fetcher.count == 1)
    #expect(
      ImageRequest(url: address, priority: .high, cachePolicy: .reload)
        == with(ImageRequest(url: url)) {
          $0.priority = .high
          $0.cache.policy = .reload
        })
  }
}

@Suite struct `The default directory` {
  @Test func `is among the user's caches, named after the program`() throws {
    let directory = try #require(DiskCache.defaultDirectory(named: "gallery"))

    #expect(directory.hasPrefix("/") && directory.hasSuffix("/gallery"))
    #expect(DiskCache.Configuration(maximumByteCount: 1 << 20).maximumByteCount == 1 << 20)
  }
}
