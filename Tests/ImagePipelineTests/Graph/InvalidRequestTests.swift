import Testing

@testable import ImageCodecs
@testable import ImageFetching
@testable import ImageModel
@testable import ImagePipeline
@testable import TestSupport

private let url = "http://test.invalid/a.jpg"

/// The kinds of loads.
private enum Kind: CaseIterable {
  case image, task, events, data, thumbnails, file, storedFile, prefetch

  func load(_ request: ImageRequest, with pipeline: ImagePipeline) async throws {
    switch self {
    case .image: _ = try await pipeline.image(for: request)
    case .task: _ = try await pipeline.task(for: request).response
    case .events:
      for await case .failure(let error, _) in pipeline.events(for: request) { throw error }
    case .data: _ = try await pipeline.data(for: request)
    case .thumbnails:
      _ = try await pipeline.data(
        for: ImageRequest(url: request.url), thumbnails: [request.thumbnail].compactMap(\.self))
    case .file: _ = try await pipeline.file(for: request)
    case .storedFile: _ = try await pipeline.storedFile(for: request)
    case .prefetch:
      try await ImagePrefetcher(pipeline).load([request]) { _, outcome in
        if case .failed(let error) = outcome { throw error }
      }
    }
  }
}

/// A step that is never valid, or whose checks are counted.
private final class CheckedStep: ImageProcessing {
  let identity = "checked"
  let isValid: Bool
  let count = Locked(0)

  init(isValid: Bool) { self.isValid = isValid }

  func check() throws(ImageError) {
    count.withLock { $0 += 1 }
    if !isValid { throw ImageError(.invalidArgument, "never valid") }
  }

  func process(_ image: PixelBuffer) throws(ImageError) -> PixelBuffer { image }
}

/// Fetches URLs of one scheme.
private struct PickyFetcher: DataFetching {
  let stub = StubFetcher()

  func fetch(_ request: FetchRequest) async throws -> FetchedResponse {
    try await stub.fetch(request)
  }

  func check(_ url: String) throws(ImageError) {
    guard url.hasPrefix("photo:") else { throw ImageError(.unsupportedScheme, "no photo: \(url)") }
  }
}

@Suite struct `An invalid request` {
  private static func recipe(_ change: (inout ThumbnailRecipe) -> Void) -> ThumbnailRecipe {
    with(ThumbnailRecipe(size: PixelSize(width: 20, height: 20)), change)
  }

  static let recipes = [
    recipe { $0.size = PixelSize(width: 0, height: 0) }, recipe { $0.size.width = -1 },
    recipe { $0.size.height = 70_000 }, recipe { $0.quality = 0 }, recipe { $0.frame = -1 },
  ]

  @Test(arguments: recipes.indices, Kind.allCases)
  fileprivate func `with a bad recipe is refused before its load`(
    index: Int, kind: Kind
  ) async throws {
    let fixture = try PipelineFixture(onDisk: true)
    let request = with(ImageRequest(url: url)) { $0.thumbnail = Self.recipes[index] }

    let error = await imageError { try await kind.load(request, with: fixture.pipeline) }

    #expect(error?.code == .invalidArgument)
    #expect(fixture.fetcher.count == 0)
  }

  static let steps: [any ImageProcessing] = [
    .resize(), .crop(width: 5, height: 0), .blur(radius: -1), .roundCorners(.nan),
    ProcessingChain([.circle, .blur(radius: .infinity)]), CheckedStep(isValid: false),
  ]

  @Test(arguments: steps.indices, Kind.allCases.filter { $0 != .thumbnails })
  fileprivate func `with a bad step is refused before its load`(
    index: Int, kind: Kind
  ) async throws {
    let fixture = try PipelineFixture(onDisk: true)
    let request = with(ImageRequest(url: url)) { $0.processors = [.circle, Self.steps[index]] }

    let error = await imageError { try await kind.load(request, with: fixture.pipeline) }

    #expect(error?.code == .invalidArgument)
    #expect(fixture.fetcher.count == 0)
  }

  @Test(arguments: Kind.allCases)
  fileprivate func `without a URL, or with one that its fetcher does not know, is refused`(
    kind: Kind
  ) async throws {
    let fixture = try PipelineFixture()
    let picky = PickyFetcher()
    let pipeline = try ImagePipeline(ImagePipeline.Configuration(fetcher: picky))

    let empty = await imageError {
      try await kind.load(ImageRequest(url: ""), with: fixture.pipeline)
    }
    let unknown = await imageError { try await kind.load(ImageRequest(url: url), with: pipeline) }

    #expect(empty?.code == .invalidURL && fixture.fetcher.count == 0)
    #expect(unknown?.code == .unsupportedScheme && picky.stub.count == 0)
    _ = try await pipeline.image(for: ImageRequest(url: "photo:1"))
    #expect(picky.stub.count == 1)
  }

  @Test func `a fetcher over HTTP and one of files know their URLs`() async throws {
    let http = try HTTPFetcher()
    for good in ["http://a.example/b.jpg", "https://user:secret@a.example/", "s3://bucket/key"] {
      try http.check(good)
    }
    for (bad, code) in [
      ("", ImageError.Code.invalidURL), ("a.jpg", .invalidURL), ("http://", .invalidURL),
      ("ftp://a.example/b.jpg", .unsupportedScheme), ("file:///a.jpg", .unsupportedScheme),
      ("s3://b", .invalidURL),
    ] {
      #expect(imageError("\(bad)") { try http.check(bad) }?.code == code)
    }
    let secret = imageError { try http.check("https://user:secret@a b/") }
    #expect(secret?.message.contains("secret") == false)
    await http.shutdown()
  }

  @Test func `a URL that a hook will replace, or that names a file, is not the fetcher's`()
    async throws
  {
    let picky = PickyFetcher()
    var configuration = ImagePipeline.Configuration(fetcher: picky)
    configuration.prepare = { request in with(request) { $0.url = "photo:2" } }
    let hooked = try ImagePipeline(configuration)
    configuration.prepare = nil
    configuration.readsLocalFiles = true
    let reading = try ImagePipeline(configuration)

    _ = try await hooked.image(for: ImageRequest(url: "asset"))
    let missing = await imageError {
      try await reading.image(for: ImageRequest(url: "/nonexistent/a.jpg"))
    }

    #expect(picky.stub.requests.map(\.url) == ["photo:2"])
    #expect(missing?.code == .fileUnreadable)
  }

  @Test func `costs a hit in memory nothing: a valid one is checked by its load alone`()
    async throws
  {
    let fixture = try PipelineFixture(StubFetcher(fields: [.cacheControl: "max-age=60"]))
    let step = CheckedStep(isValid: true)
    let request = with(ImageRequest(url: url)) { $0.processors = [step] }

    _ = try await fixture.pipeline.image(for: request)
    let count = step.count.withLock { $0 }
    let hit = try await fixture.pipeline.image(for: request)

    #expect(count == 1 && hit.source == .memory)
    #expect(step.count.withLock { $0 } == count)
  }

  @Test(arguments: Kind.allCases)
  fileprivate func
    `with a range, a condition or an empty key is refused, and the error has its URL`(
      kind: Kind
    ) async throws
  {
    let fixture = try PipelineFixture(onDisk: true)
    var ranged = ImageRequest(url: url)
    ranged.network.headers[.range] = "bytes=0-99"
    var conditional = ImageRequest(url: url)
    conditional.network.headers[.ifNoneMatch] = "\"a\""
    var nameless = ImageRequest(url: url)
    nameless.cache.key = ""

    // Thumbnails are made of a request for the URL alone.
    for request in kind == .thumbnails ? [] : [ranged, conditional, nameless] {
      let error = await imageError { try await kind.load(request, with: fixture.pipeline) }
      #expect(error?.code == .invalidArgument)
      #expect(error?.url == url)
    }
    #expect(fixture.fetcher.count == 0)
  }

  @Test func `with an invalid alternate is refused before the first is asked`() async throws {
    let picky = PickyFetcher()
    let pipeline = try ImagePipeline(ImagePipeline.Configuration(fetcher: picky))
    var request = ImageRequest(url: "photo:1")
    request.network.alternates = ["bad url"]

    #expect(await imageError { try await pipeline.image(for: request) }?.url == "photo:1")
    #expect(picky.stub.count == 0)
  }

  @Test func `is not made by counts of a pipeline with which nothing could be loaded`() {
    for change: (inout ImagePipeline.Configuration) -> Void in [
      { $0.maximumFetches = 0 }, { $0.maximumFetchesPerHost = -1 }, { $0.threadCount = 0 },
    ] {
      let error = imageError {
        try ImagePipeline(with(ImagePipeline.Configuration(fetcher: StubFetcher()), change))
      }
      #expect(error?.code == .invalidArgument)
    }
  }
}

@Suite struct `A fetcher of one's own` {
  private struct Unreachable: Error {}

  @Test func `that throws another error, or a cancellation by itself, fails its image alone`()
    async throws
  {
    let fixture = try PipelineFixture(
      StubFetcher { request in
        switch request.url.last {
        case "1": throw Unreachable()
        case "2": throw CancellationError()
        default:
          return StubFetcher.response(
            request.url, SampleImages.photo, fields: [.cacheControl: "max-age=60"])
        }
      })
    let urls = (1...3).map { "http://test.invalid/\($0)" }
    var outcomes: [String: ImagePrefetcher.Outcome] = [:]
    try await ImagePrefetcher(fixture.pipeline).load(urls.map { ImageRequest(url: $0) }) {
      outcomes[$0.url] = $1
    }

    for url in urls.prefix(2) {
      guard case .failed(let error) = outcomes[url] else {
        Issue.record("\(url) did not fail")
        continue
      }
      #expect(error.code == .fetchFailed && error.url == url)
      #expect(error.cause is Unreachable || error.cause is CancellationError)
    }
    guard case .loaded = outcomes[urls[2]] else {
      Issue.record("the third did not load")
      return
    }
  }

  @Test func `that throws in the hook before it fails with that as the cause`() async throws {
    let fixture = try PipelineFixture { $0.prepare = { _ in throw Unreachable() } }

    let error = await imageError { try await fixture.pipeline.image(for: ImageRequest(url: url)) }

    #expect(error?.code == .fetchFailed && error?.cause is Unreachable && error?.url == url)
  }

  @Test(arguments: [101, 301, 404, 500])
  func `that returns an error status has failed`(status: Int) async throws {
    let fixture = try PipelineFixture(
      StubFetcher { StubFetcher.response($0.url, SampleImages.photo, status: status) },
      onDisk: true)

    let error = await imageError { try await fixture.pipeline.data(for: ImageRequest(url: url)) }

    #expect(error?.code == .httpStatus && error?.status == status)
  }
}
