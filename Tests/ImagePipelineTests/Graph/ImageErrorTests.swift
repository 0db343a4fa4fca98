import Foundation
import Testing

@testable import DiskCaching
@testable import HTTPCaching
@testable import ImageFetching
@testable import ImageModel
@testable import ImagePipeline
@testable import RedisClustering
@testable import TestSupport

@Suite struct `An error` {
  @Test func `of a system call carries its number and says it once`() throws {
    let error = ImageError(.fileUnreadable, "cannot read a.jpg", errno: ENOENT)

    #expect(error.message == "cannot read a.jpg: No such file or directory")
    #expect("\(error)" == error.message)
    #expect((error.cause as? POSIXError)?.code == .ENOENT)
    #expect(ImageError(writing: "cannot write a.jpg", errno: ENOSPC).code == .diskFull)
    #expect(ImageError(writing: "cannot write a.jpg", errno: EIO).code == .storeFailed)
  }

  @Test func `says its cause where the message does not`() {
    struct Malformed: Error, CustomStringConvertible {
      let description = "database disk image is malformed"
      var message: String { description }
    }
    let cause = Malformed()

    let silent = ImageError(.cacheUnusable, "the index cannot be used", cause: cause)
    let spoken = ImageError(.cacheUnusable, "cannot be used: \(cause.message)", cause: cause)

    #expect("\(silent)" == "the index cannot be used (database disk image is malformed)")
    #expect("\(spoken)" == spoken.message)
    #expect("\(ImageError(.timedOut, "too late"))" == "too late")
  }

  @Test func `of the disk or the network has the cause that was reported`() async throws {
    let files = FaultyFileSystem()
    let scratch = try Scratch()
    let cache = try DiskCache(DiskCache.Configuration(directory: scratch / "c"), files: files)
    files.set(.init(call: 1, number: EACCES, lasts: true))
    let refused = imageError { try cache.core.stage() }
    files.set(.init())
    let failure = await (try FetcherFixture()).failure(of: "http://127.0.0.1:1/")

    #expect((refused?.cause as? POSIXError)?.code == .EACCES)
    #expect(failure?.code == .connectionFailed)
    #expect((failure?.cause as? CurlFailure)?.code == 7)
    #expect(failure?.description == failure?.message)
  }

  @Test func `code equals its string, also one of another module`() async throws {
    let code = ImageError.Code(rawValue: "day_not_found")

    #expect("\(ImageError.Code.timedOut)" == "timeout")
    #expect(ImageError.Code.known.contains(code))
    #expect(Set(ImageError.Code.known).count == ImageError.Code.known.count)
    var record = CacheRecord.stub(byteCount: nil, failure: code)
    record.expires = .distantFuture
    let scratch = try Scratch()
    let cache = try DiskCache(DiskCache.Configuration(directory: scratch / "cache"))
    try cache.core.storeNegative(record)
    #expect(await cache.record(for: record.key)?.failure == code)
  }

  @Test func `of a file that is gone says that it may have been evicted`() throws {
    let scratch = try Scratch()
    let path = scratch / "gone"
    let response = DataResponse(
      "http://test.invalid/a.jpg", .file(path: path), byteCount: 4,
      original: .stub(byteCount: 4), source: .disk)

    let error = imageError { try response.bytes() }

    #expect(error?.code == .fileUnreadable)
    #expect(error?.message == "cannot read \(path): it may have been evicted")
  }
}

@Suite struct `The text of an error` {
  @Test func `is its localized description as well`() throws {
    let errors: [any Error] = [
      ImageError(.timedOut, "too late", url: "http://test.invalid/a.jpg"),
      RedisError(.timedOut, "no reply", node: RedisEndpoint(host: "h", port: 1)),
      RedisError(.notPermitted, "NOPERM no"),
      TierPurgeFailure(description: "down", isRetried: true),
      try #require(S3Failure(in: Array("<Error><Code>AccessDenied</Code></Error>".utf8))),
      CurlFailure(code: 7, description: "refused"), HTTPCache<StreamingEntry>.UselessResponse(),
    ]

    #expect(
      errors.map(\.localizedDescription) == [
        "http://test.invalid/a.jpg: too late", "h:1: no reply", "NOPERM no", "down", "AccessDenied",
        "refused", "the response is of no use to the request",
      ])
  }

  @Test(arguments: [
    ("not cached", "http://test.invalid/a.jpg: not cached"),
    ("http://test.invalid/a.jpg: not cached", "http://test.invalid/a.jpg: not cached"),
    ("cannot read http://test.invalid/a.jpg", "cannot read http://test.invalid/a.jpg"),
  ])
  func `has the URL once`(message: String, text: String) {
    let error = ImageError(.notCached, message, url: "http://test.invalid/a.jpg")

    #expect(error.description == text && error.message == message)
  }

  @Test func `and its URL are without a user and password`() {
    var error = ImageError(.notCached, "not cached", url: "http://user:hunter2@test.invalid/a.jpg")
    #expect(error.url == "http://test.invalid/a.jpg")

    error.url = "http://user:hunter2@test.invalid/b.jpg#c"
    #expect("\(error)" == "http://test.invalid/b.jpg#c: not cached")
    #expect("\(error.withMessage("http://test.invalid/b.jpg"))" == "http://test.invalid/b.jpg")
  }
}

@Suite struct `The URL of an error` {
  private let url = "http://test.invalid/a.jpg"

  /// The failure of a request, checked to be that of all kinds of loads.
  private func failure(
    _ answer: @escaping StubFetcher.Answer, url: String? = nil, onDisk: Bool = false,
    _ change: (inout ImageRequest) -> Void = { _ in }
  ) async throws -> ImageError? {
    let fixture = try PipelineFixture(StubFetcher(answer), onDisk: onDisk)
    let pipeline = fixture.pipeline
    var request = ImageRequest(url: url ?? self.url)
    change(&request)
    let recipe = ThumbnailRecipe(size: PixelSize(width: 8, height: 8))
    let failure = await imageError { try await pipeline.image(for: request) }
    var others = [
      await imageError { try await pipeline.data(for: request) },
      await imageError { try await pipeline.file(for: request) },
      await imageError { try await pipeline.data(for: request, thumbnails: [recipe]) },
      await imageError { try await pipeline.task(for: request).response },
    ]
    for await event in pipeline.events(for: request) {
      if case .failure(let error, _) = event { others.append(error as? ImageError) }
    }
    #expect(others.count == 5)
    for other in others { #expect(other?.code == failure?.code && other?.url == failure?.url) }
    return failure
  }

  @Test func `is that of the request, whatever failed`() async throws {
    let fetched = try await failure { _ in throw ImageError(.timedOut, "too late") }
    let refused = try await failure { _ in throw StubFetcher.failure(500) }
    let damaged = try await failure { StubFetcher.response($0.url, Array("no image".utf8)) }
    let empty = try await failure { StubFetcher.response($0.url, []) }
    let absent = try await failure {
      StubFetcher.response($0.url, [])
    } _: {
      $0.cache.policy = .onlyIfCached
    }

    let errors = [fetched, refused, damaged, empty, absent]
    #expect(errors.map(\.?.code) == [.timedOut, .httpStatus, .notAnImage, .emptyBody, .notCached])
    for error in errors {
      #expect(error?.url == url)
      #expect(error?.description.contains("\(url): ") == true)
    }
  }

  @Test func `is that of the request where its bytes were loaded but cannot be decoded`()
    async throws
  {
    let cut = Array(SampleImages.photo.prefix(700))
    let fixture = try PipelineFixture(StubFetcher(returning: cut), onDisk: true)
    var request = ImageRequest(url: url)
    request.decoding.check = .none
    let recipe = ThumbnailRecipe(size: PixelSize(width: 8, height: 8))

    let decoded = await imageError { try await fixture.pipeline.image(for: request) }
    let made = try await fixture.pipeline.data(for: request, thumbnails: [recipe]).thumbnails

    #expect(decoded?.url == url)
    guard case .failure(let error)? = made.first else {
      Issue.record("\(made)")
      return
    }
    #expect(error.url == url)
  }

  @Test func `is that of the request where another one's failure is remembered`() async throws {
    let fixture = try PipelineFixture(StubFetcher { _ in throw ImageError(.nameNotResolved, "no") })
    let urls = ["http://test.invalid/a.jpg", "http://test.invalid/b.jpg"]

    for url in urls {
      let error = await imageError { try await fixture.pipeline.data(for: ImageRequest(url: url)) }
      #expect(error?.url == url)
    }

    #expect(fixture.fetcher.count == 1)
  }

  @Test func `is kept by a failure that is remembered`() {
    let answers = NegativeAnswers()
    let error = ImageError(.notAnImage, "no image", url: url)
    answers.remember(error, for: "a", until: .distantFuture, now: .distantPast)

    #expect(answers.answer(for: ["a"], at: .distantPast)?.url == url)
  }

  @Test func `is that of the entry where it is remembered on disk`() async throws {
    let fixture = try PipelineFixture(
      StubFetcher { _ in throw StubFetcher.failure(404) }, onDisk: true)

    for _ in 0..<2 {
      let error = await imageError { try await fixture.pipeline.data(for: ImageRequest(url: url)) }
      #expect(error?.code == .httpStatus && error?.status == 404 && error?.url == url)
    }

    #expect(fixture.fetcher.count == 1)
  }

  @Test(arguments: ["ftp://test.invalid/a.jpg", "http://", "s3://bucket", "http://test.invalid:x/"])
  func `of an invalid request is its text`(text: String) async throws {
    let fetcher = try FetcherFixture().fetcher

    let direct = await imageError { try await fetcher.fetch(FetchRequest(url: text)) }
    let loaded = try await failure({ try await fetcher.fetch($0) }, url: text)

    #expect(direct?.url == text && loaded?.url == text)
    #expect([.invalidURL, .unsupportedScheme].contains(loaded?.code))
    #expect(loaded?.description == loaded?.message)
  }

  @Test func `of the network is that of the request, which a redirect does not change`()
    async throws
  {
    let origin = try FaultyOrigin([
      "/a": [.whole([], status: 302, fields: ["Location: /b"])], "/b": [.whole([], status: 404)],
      "/c": [.whole([], status: 302, fields: ["Location: ftp://test.invalid/"])],
    ])
    let fetcher = try FetcherFixture()

    for url in [origin.url("/a"), origin.url("/c"), "http://127.0.0.1:1/a"] {
      let error = await fetcher.failure(of: url)
      #expect(error?.url == url)
      #expect(error?.description == error?.message)
    }
  }

  @Test func `is that of a document, and of what could not be stored`() async throws {
    let fixture = try PipelineFixture(StubFetcher { _ in throw ImageError(.timedOut, "too late") })
    let document = await imageError {
      try await fixture.pipeline.document(at: url, options: DocumentOptions())
    }
    var response = DataResponse(
      url, .file(path: "/gone"), byteCount: 4, original: .stub(byteCount: 4), source: .disk)
    response.storeFailure = ImageError(.diskFull, "the disk is full")

    #expect(document?.url == url && document?.description == "\(url): too late")
    #expect(response.storeFailure?.url == url)
    #expect(imageError { try response.bytes() }?.url == url)
  }

  @Test func `is once in the report of a load`() async throws {
    let observer = RecordingObserver()
    let fixture = try PipelineFixture(
      StubFetcher { _ in throw ImageError(.timedOut, "too late") }
    ) { $0.observers = [observer] }

    await imageError { try await fixture.pipeline.data(for: ImageRequest(url: url)) }

    let report = try #require(observer.traces.first)
    guard case .failure(let error as ImageError) = report.result else {
      Issue.record("\(report)")
      return
    }
    #expect(error.url == url)
    #expect(report.description.components(separatedBy: url).count == 2)
  }
}
