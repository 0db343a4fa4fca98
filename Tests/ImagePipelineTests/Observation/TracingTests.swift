import Foundation
import HTTPTypes
import ImageCodecs
import InMemoryTracing
import Testing
import Tracing

@testable import ImageFetching
@testable import ImageModel
@testable import ImagePipeline
@testable import TestSupport

@Suite struct `Tracing` {
  private let tracer = InMemoryTracer()

  private func fixture(
    _ fetcher: StubFetcher = StubFetcher(), in scratch: Scratch? = nil
  ) throws -> PipelineFixture {
    try PipelineFixture(fetcher, in: scratch) { [tracer] in $0.tracer = tracer }
  }

  private func request(_ url: String = "http://test.invalid/a.jpg", side: Int = 16) -> ImageRequest
  {
    var request = ImageRequest(url: url)
    request.thumbnail = ThumbnailRecipe(size: PixelSize(width: side, height: side), fit: .cover)
    return request
  }

  private func span(_ name: String) throws -> FinishedInMemorySpan {
    let spans = tracer.finishedSpans.filter { $0.operationName == name }
    #expect(spans.count == 1, "\(name): \(tracer.finishedSpans.map(\.operationName))")
    return try #require(spans.first)
  }

  @Test func `a load is a span, and its stages are spans below it`() async throws {
    let fixture = try fixture(in: Scratch())
    var request = request()
    request.processors = [CountingStep("step")]
    request.storage.rule = .both

    _ = try await tracer.withSpan("caller") { _ in
      try await fixture.pipeline.data(for: request)
    }

    let load = try span("image load")
    #expect(load.parentSpanID == (try span("caller").spanID))
    #expect(load.attributes.get("url.full") == "http://test.invalid/a.jpg")
    #expect(load.attributes.get("imgcache.source") == "network")
    #expect(load.attributes.get("imgcache.freshness") == "current")
    #expect(load.status == nil && load.links.isEmpty)
    for name in ["queue", "fetch", "decode", "process", "encode"] {
      let stage = try span(name)
      #expect(stage.parentSpanID == load.spanID, "\(name)")
      #expect(stage.startInstant.nanosecondsSinceEpoch <= stage.endInstant.nanosecondsSinceEpoch)
      #expect(load.startInstant.nanosecondsSinceEpoch <= stage.endInstant.nanosecondsSinceEpoch)
    }
    let names = tracer.finishedSpans.map(\.operationName)
    #expect(names.count { $0 == "store" } == 2)
    #expect(names.contains("tier"))
    let fetch = try span("fetch")
    #expect(fetch.kind == .client)
    #expect(fetch.attributes.get("http.request.method") == "GET")
    #expect(fetch.attributes.get("http.response.status_code") == 200)
    #expect(fetch.attributes.get("server.address") == "test.invalid")
    #expect(fetch.attributes.get("server.port") == 80)
    #expect(try span("process").attributes.get("imgcache.processor") == "counting(step)")
    #expect(tracer.activeSpans.isEmpty)
  }

  @Test func `a lookup span has its tier and whether it hit`() async throws {
    let fixture = try fixture(in: Scratch())
    var plain = request()
    plain.storage.rule = .both

    _ = try await fixture.pipeline.data(for: plain)
    let cold = tracer.popFinishedSpans().filter { $0.operationName == "tier" }
    fixture.fetcher.become { StubFetcher.response($0.url, [], status: 304) }
    plain.cache.policy = .onlyIfCached
    _ = try await fixture.pipeline.data(for: plain)
    let warm = tracer.popFinishedSpans()

    #expect(cold.map { $0.attributes.get("imgcache.hit") } == [false])
    #expect(warm.map(\.operationName) == ["tier", "image load"])
    #expect(warm[0].attributes.get("imgcache.tier") == "disk")
    #expect(warm[0].attributes.get("imgcache.hit") == true)
    #expect(warm[1].attributes.get("imgcache.source") == "disk")
  }

  @Test func `a failure is an error of its stage and of the load, by its code alone`() async throws
  {
    let fixture = try fixture(StubFetcher { _ in throw StubFetcher.failure(404) })

    await imageError { try await fixture.pipeline.data(for: request()) }

    for name in ["fetch", "image load"] {
      let span = try span(name)
      #expect(span.status?.code == .error)
      #expect(span.attributes.get("error.type") == "http_status")
      #expect(span.attributes.get("http.response.status_code") == 404)
      #expect(span.errors.isEmpty)
    }
    #expect(tracer.activeSpans.isEmpty)
  }

  @Test func `an error of a fetcher of the caller's is shown by its type`() async throws {
    struct Unknown: Error {}
    let fixture = try fixture(StubFetcher { _ in throw Unknown() })

    let error = await imageError { try await fixture.pipeline.data(for: request()) }

    #expect(error?.cause is Unknown)

    #expect(try span("fetch").attributes.get("error.type") == "Unknown")
  }

  @Test func `a cancelled load ends its spans`() async throws {
    let gate = Gate()
    let fixture = try fixture(
      StubFetcher { _ in
        gate.open()
        try await Task.sleep(for: .seconds(3600))
        throw CancellationError()
      })

    let task = Task { try await fixture.pipeline.data(for: request()) }
    await gate.wait()
    task.cancel()
    _ = await task.result
    await fixture.pipeline.close()

    for name in ["fetch", "image load"] {
      #expect(try span(name).attributes.get("error.type") == "cancelled")
      #expect(try span(name).status?.code == .error)
    }
    #expect(tracer.activeSpans.isEmpty)
  }

  @Test(arguments: [true, false])
  func `loads that share work are linked to the one that does it`(isImage: Bool) async throws {
    let gate = Gate()
    let fixture = try fixture(StubFetcher(heldAt: gate))
    let load: @Sendable () async throws -> Void = {
      if isImage {
        _ = try await fixture.pipeline.image(for: ImageRequest(url: "http://test.invalid/a.jpg"))
      } else {
        _ = try await fixture.pipeline.data(for: request())
      }
    }

    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 { group.addTask { try await load() } }
      await Condition.until { fixture.pipeline.graph.waitingCount >= 3 }
      gate.open()
      try await group.waitForAll()
    }

    let loads = tracer.finishedSpans.filter { $0.operationName == "image load" }
    let fetch = try span("fetch")
    let first = try #require(loads.first { $0.spanID == fetch.parentSpanID })
    let others = loads.filter { $0.spanID != first.spanID }
    #expect(fixture.fetcher.count == 1)
    #expect(first.links.isEmpty)
    #expect(others.count == 2)
    for other in others {
      #expect(other.links.map { $0.context.inMemorySpanContext?.spanID } == [first.spanID])
      #expect(other.attributes.get("imgcache.coalesced") == true)
      #expect(!tracer.finishedSpans.contains { $0.parentSpanID == other.spanID })
    }
  }

  @Test func `the origin receives the fetch span's context`() async throws {
    let fixture = try fixture()

    _ = try await TraceContext.$current.withValue(
      TraceContext(parent: `A trace context`.parent)
    ) {
      try await fixture.pipeline.data(for: request())
    }

    let fields = try #require(fixture.fetcher.requests.first?.headers)
    #expect(fields[.init(InMemoryTracer.spanIDKey)!] == (try span("fetch").spanID))
    // The tracer's own propagation takes the place of what the client sent.
    #expect(fields[.init("traceparent")!] == nil)
  }

  @Test func `a document is a span with its fetch below it`() async throws {
    let fixture = try fixture(StubFetcher(returning: Array("{}".utf8)), in: Scratch())

    _ = try await fixture.pipeline.document(
      at: "http://me:pw@test.invalid/feed?token=1", options: DocumentOptions())

    let load = try span("document load")
    #expect(try span("fetch").parentSpanID == load.spanID)
    #expect(load.attributes.get("url.full") == "http://test.invalid/feed?token=REDACTED")
  }

  @Test func `a background refresh is a separate span`() async throws {
    let fixture = try fixture(in: Scratch())
    fixture.fetcher.become {
      StubFetcher.response(
        $0.url, SampleImages.photo,
        fields: [.cacheControl: "max-age=10, stale-while-revalidate=100"])
    }
    var plain = request()
    plain.storage.rule = .original
    _ = try await fixture.pipeline.data(for: plain)
    fixture.clock.advance(by: 20)
    _ = try await fixture.pipeline.data(for: plain)
    await fixture.pipeline.close()

    let refresh = try span("image refresh")
    #expect(tracer.finishedSpans.contains { $0.parentSpanID == refresh.spanID })
    #expect(tracer.activeSpans.isEmpty)
  }

  @Test(arguments: [
    ("http://a/b?w=1&h=2", "http://a/b?w=1&h=2"), ("http://a/b", "http://a/b"),
    ("http://me:secret@a/b#secret", "http://a/b"),
    (
      "http://a/?X-Amz-Signature=secret&X-Amz-Expires=9",
      "http://a/?X-Amz-Signature=REDACTED&X-Amz-Expires=9"
    ),
    ("http://a/?AWSAccessKeyId=secret", "http://a/?AWSAccessKeyId=REDACTED"),
    (
      "http://a/?sig=secret&access_token=secret&api-key=secret&Password=secret",
      "http://a/?sig=REDACTED&access_token=REDACTED&api-key=REDACTED&Password=REDACTED"
    ),
    ("http://a/?%73ig=secret&sig=&b", "http://a/?%73ig=REDACTED&sig=REDACTED&b"),
    ("http://a/?url=http%3A%2F%2Fb%2F%3Fsig%3Dsecret", "http://a/?url=REDACTED"),
    ("/tmp/a.jpg", "/tmp/a.jpg"), ("ftp://me:secret@a/b", "REDACTED"),
  ])
  func `no attribute has credentials or signatures`(url: String, shown: String) {
    #expect(RedactedURL.text(of: url) == shown)
  }

  @Test func `no attribute has an origin header or the text of an error`() async throws {
    let origin = try FaultyOrigin(["/a.jpg": [.whole([1, 2, 3])]])
    let headers = try OriginHeaders(["127.0.0.1: Authorization: s3cret-value"])
    var configuration = ImagePipeline.Configuration(
      fetcher: try FetcherFixture { $0.originHeaders = headers }.fetcher)
    configuration.tracer = tracer
    let pipeline = try ImagePipeline(configuration)

    await imageError {
      try await pipeline.data(for: ImageRequest(url: origin.url("/a.jpg?sig=s3cret-value")))
    }
    await pipeline.close()

    #expect(origin.requests.first?["authorization"] == "s3cret-value")
    #expect(!tracer.finishedSpans.isEmpty)
    for span in tracer.finishedSpans { #expect(!"\(span)".contains("s3cret")) }
  }
}
