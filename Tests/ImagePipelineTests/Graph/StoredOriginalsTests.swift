import Foundation
import HTTPTypes
import Testing

@testable import DiskCaching
@testable import ImageFetching
@testable import ImageModel
@testable import ImagePipeline
@testable import TestSupport

private let url = "http://test.invalid/a.jpg"

/// Answers with a picture at the clock's time; a URL with `missing` in it is not found.
private func fixture(
  _ fields: HTTPFields, observer: RecordingObserver? = nil
) throws -> (PipelineFixture, Locked<Date>) {
  let now = Locked(Date(timeIntervalSince1970: 1_592_300_000))
  let fixture = try PipelineFixture(
    StubFetcher { request in
      if request.url.contains("missing") { throw StubFetcher.failure(404) }
      return StubFetcher.response(
        request.url, SampleImages.photo, fields: fields, at: now.withLock { $0 })
    }, onDisk: true
  ) {
    $0.clock = { now.withLock { $0 } }
    if let observer { $0.observers = [observer] }
  }
  return (fixture, now)
}

@Suite struct `Originals on disk, looked for together` {
  @Test func `come as files, in the order of their requests`() async throws {
    let (fixture, _) = try fixture([.cacheControl: "max-age=60"])
    let requests = (0..<100).map { ImageRequest(url: "\(url)?\($0)") }
    for request in requests where request.url.hasSuffix("7") {
      _ = try await fixture.pipeline.data(for: request)
    }

    let found = try await fixture.pipeline.stored(requests)

    #expect(found.count == 100)
    for (request, response) in zip(requests, found) {
      #expect((response != nil) == request.url.hasSuffix("7"))
      guard let response else { continue }
      #expect(response.url == request.url)
      #expect(try response.bytes() == SampleImages.photo)
      #expect(response.source == .disk)
      #expect(response.format == .jpeg)
    }
    #expect(fixture.fetcher.count == 10)
  }

  @Test(arguments: [CachePolicy.http, .forever, .onlyIfCached, .revalidate, .reload])
  func `are those that a load would not ask the origin for`(_ policy: CachePolicy) async throws {
    let (fixture, now) = try fixture([.cacheControl: "max-age=60", .eTag: "\"1\""])
    var request = ImageRequest(url: url)
    request.cache.policy = policy
    _ = try await fixture.pipeline.data(for: ImageRequest(url: url))
    let asks = policy == .revalidate || policy == .reload

    #expect((try await fixture.pipeline.stored([request])[0] == nil) == asks)
    now.withLock { $0 += 90 }
    let isStale = policy == .http || asks
    #expect((try await fixture.pipeline.stored([request])[0] == nil) == isStale)
    #expect(fixture.fetcher.count == 1)
  }

  @Test func `do not include what is damaged, absent at the origin, or made of an original`()
    async throws
  {
    let (fixture, _) = try fixture([.cacheControl: "max-age=60"])
    let whole = ImageRequest(url: url)
    let missing = ImageRequest(url: url + "?missing")
    var thumbnail = whole
    thumbnail.thumbnail = ThumbnailRecipe(size: PixelSize(width: 8, height: 8))
    let path = try #require(try await fixture.pipeline.data(for: whole).path)
    _ = try? await fixture.pipeline.data(for: missing)
    _ = try await fixture.pipeline.data(for: thumbnail)
    #expect(
      try await fixture.pipeline.stored([whole, missing, thumbnail]).map { $0 != nil }
        == [true, false, false])

    try Data(SampleImages.photo.reversed()).write(to: URL(filePath: path + "-new"))
    #expect(rename(path + "-new", path) == 0)

    #expect(try await fixture.pipeline.stored([whole])[0] == nil)
    #expect(try await fixture.pipeline.data(for: whole).source == .network)
  }

  @Test func `get the groups and the retention of their requests, and are observed`() async throws {
    let observer = RecordingObserver()
    let (fixture, _) = try fixture([.cacheControl: "max-age=60"], observer: observer)
    var request = ImageRequest(url: url)
    _ = try await fixture.pipeline.data(for: request)
    request.storage.groups = ["day:20200616"]
    request.storage.retention = .pinned

    let found = try await fixture.pipeline.stored([request, ImageRequest(url: url + "?other")])

    #expect(found.map { $0 != nil } == [true, false])
    #expect(await fixture.cache?.groups(of: request.key) == ["day:20200616"])
    #expect(observer.words.suffix(3) == ["started", "disk", "finished"])
    #expect(observer.traces.map(\.request.url) == [url, url])
  }

  @Test func `are refused by a pipeline that has ended`() async throws {
    let (fixture, _) = try fixture([:])
    await fixture.pipeline.close()

    let error = await #expect(throws: ImageError.self) {
      _ = try await fixture.pipeline.stored([ImageRequest(url: url)])
    }
    #expect(error?.code == .invalidated)
  }
}
