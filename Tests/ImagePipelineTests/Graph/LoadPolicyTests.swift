import Foundation
import HTTPTypes
import Testing

@testable import ImageCodecs
@testable import ImageFetching
@testable import ImageModel
@testable import ImagePipeline
@testable import LoadScheduling
@testable import TestSupport

private let url = "http://test.invalid/a.jpg"

/// Answers with a picture of the clock's time, so that entries age by the test's clock alone.
private func fixture(
  _ fields: HTTPFields, onDisk: Bool = false
) throws -> (PipelineFixture, Locked<Date>) {
  let now = Locked(Date(timeIntervalSince1970: 1_592_300_000))
  let fixture = try PipelineFixture(
    StubFetcher { request in
      StubFetcher.response(request.url, SampleImages.photo, fields: fields, at: now.withLock { $0 })
    }, onDisk: onDisk
  ) {
    $0.clock = { now.withLock { $0 } }
  }
  return (fixture, now)
}

@Suite struct `A stale image` {
  @Test func `is revalidated before its prefetched thumbnail, then current`() async throws {
    let (fixture, now) = try fixture(
      [.cacheControl: "max-age=60, stale-while-revalidate=60", .eTag: "\"1\""], onDisk: true)
    var request = ImageRequest(url: url)
    request.thumbnail = ThumbnailRecipe(size: PixelSize(width: 8, height: 8))
    let first = try await fixture.pipeline.data(for: request)
    now.withLock { $0 += 90 }

    let outcomes = Locked<[ImagePrefetcher.Outcome]>([])
    try await ImagePrefetcher(fixture.pipeline).load([request]) { _, outcome in
      outcomes.withLock { $0.append(outcome) }
    }

    guard case .loaded(let loaded)? = outcomes.withLock({ $0.first }) else {
      Issue.record("\(outcomes.withLock { $0 })")
      return
    }
    #expect(first.source == .network)
    #expect(loaded.freshness == .current)
    #expect(fixture.fetcher.count == 2)
  }

  @Test func `is served within stale-while-revalidate, and revalidated once`() async throws {
    let (fixture, now) = try fixture(
      [.cacheControl: "max-age=60, stale-while-revalidate=60", .eTag: "\"1\""], onDisk: true)
    let pipeline = fixture.pipeline
    let request = ImageRequest(url: url)
    _ = try await pipeline.data(for: request)
    now.withLock { $0 += 90 }
    let gate = Gate()
    fixture.fetcher.become { request in
      await gate.wait()
      return StubFetcher.response(
        request.url, [], status: 304, fields: [.cacheControl: "max-age=60"],
        at: now.withLock { $0 })
    }

    var stale: [DataResponse] = []
    for _ in 0..<5 { stale.append(try await pipeline.data(for: request)) }
    gate.open()
    await pipeline.graph.background.finish()
    let after = try await pipeline.data(for: request)

    #expect(stale.allSatisfy { $0.source == .disk && $0.freshness == .staleWhileRevalidating })
    #expect(after.source == .disk && after.freshness == .fresh)
    #expect(fixture.fetcher.count == 2)
    #expect(fixture.fetcher.requests.last?.headers[.ifNoneMatch] == "\"1\"")
  }
}

@Suite struct `A cached failure` {
  static let now = Date(timeIntervalSince1970: 1_592_300_000)

  @Test(arguments: [
    (ImageError(.nameNotResolved, ""), Duration.seconds(10)),
    (ImageError(.notAnImage, ""), .seconds(60)), (ImageError(.truncated, ""), .seconds(60)),
    (ImageError(.tooLarge, ""), .seconds(600)), (ImageError(.limitExceeded, ""), .seconds(600)),
    (StubFetcher.failure(404), .seconds(60)), (StubFetcher.failure(410), .seconds(60)),
    (StubFetcher.failure(404, fields: [.cacheControl: "max-age=7"]), .seconds(7)),
    (StubFetcher.failure(404, fields: [.cacheControl: "max-age=0"]), nil),
    (StubFetcher.failure(503, fields: [.retryAfter: "30"]), .seconds(30)),
    (StubFetcher.failure(429, fields: [.retryAfter: "9999"]), .seconds(600)),
    (StubFetcher.failure(503), nil), (StubFetcher.failure(500), nil),
    (StubFetcher.failure(403), nil), (ImageError(.timedOut, ""), nil),
    (StubFetcher.failure(404, fields: [.cacheControl: "no-store, max-age=7"]), .seconds(60)),
    (StubFetcher.failure(403, fields: [.cacheControl: "max-age=7"]), nil),
  ])
  func `has a lifetime by its code`(error: ImageError, lifetime: Duration?) {
    #expect(NegativeLifetimes().lifetime(of: error, at: Self.now) == lifetime)
  }

  @Test func `of name resolution holds for the whole host`() async throws {
    let (fixture, _) = try fixture([:])
    fixture.fetcher.become { _ in throw ImageError(.nameNotResolved, "no such host") }

    for index in 0..<3 {
      let error = await imageError {
        try await fixture.pipeline.data(for: ImageRequest(url: "\(url)?\(index)"))
      }
      #expect(error?.code == .nameNotResolved)
    }

    #expect(fixture.fetcher.count == 1)
  }

  @Test func `lasts longer when Retry-After is longer, but not when it is hit again`() {
    let answers = NegativeAnswers()
    func busy(_ seconds: Int) -> ImageError {
      ImageError(.httpStatus, "busy", status: 503, retryAfter: .seconds(seconds))
    }
    func remember(_ error: ImageError, at now: Date) {
      answers.remember(
        error, for: "a", until: now + Double(error.retryAfter?.components.seconds ?? 60), now: now)
    }
    func left(after seconds: Double) -> Duration? {
      answers.answer(for: ["a"], at: Self.now + seconds)?.retryAfter
    }

    remember(busy(10), at: Self.now)
    #expect(left(after: 4.5) == .seconds(6))
    // What is returned from here is remembered again by the caller.
    for second in 1..<10 {
      let now = Self.now + Double(second) + 0.5
      if let replay = answers.answer(for: ["a"], at: now) { remember(replay, at: now) }
    }
    #expect(left(after: 9.5) == .seconds(1))
    #expect(left(after: 10.5) == nil)

    remember(busy(10), at: Self.now)
    remember(busy(30), at: Self.now + 5)
    remember(busy(1), at: Self.now + 6)
    remember(ImageError(.notAnImage, ""), at: Self.now + 6)
    #expect(left(after: 25) == .seconds(10))
  }

  @Test func `does not stop a request that insists on revalidation`() async throws {
    let (fixture, _) = try fixture([:])
    fixture.fetcher.become { _ in throw StubFetcher.failure(404) }
    let request = ImageRequest(url: url)
    await imageError { try await fixture.pipeline.data(for: request) }

    fixture.fetcher.become { StubFetcher.response($0.url, SampleImages.photo) }
    let insisting = with(request) { $0.cache.policy = .revalidate }
    let response = try await fixture.pipeline.data(for: insisting)

    #expect(response.source == .network)
  }
}
