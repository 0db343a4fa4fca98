import Foundation
import HTTPTypes
import Testing

@testable import CachePolicies
@testable import DiskCaching
@testable import ImageCodecs
@testable import ImageFetching
@testable import ImageModel
@testable import ImagePipeline
@testable import SampleFeed
@testable import TestSupport

/// An origin that answers each `Authorization`, `Cookie` and `X-Key` with another image, and with a
/// tag that it confirms.
private struct PersonalOrigin {
  let origin: FaultyOrigin
  private let control: Locked<String>

  init(_ control: String = "max-age=600", vary: String? = nil) throws {
    self.control = Locked(control)
    origin = try FaultyOrigin()
    origin["/a.jpg"] = [
      .custom { [control = self.control] request, connection in
        let client = Self.client(request)
        var response = LoopbackResponse()
        let tag = "\"\(client.count)\""
        let isKnown = request["if-none-match"] == tag
        response.status = client.hasSuffix("gone") ? 404 : isKnown ? 304 : 200
        response.headers = [("Cache-Control", control.withLock { $0 }), ("ETag", tag)]
        if let vary { response.headers.append(("Vary", vary)) }
        response.body = response.status == 200 ? Self.image(client) : []
        return connection.send(response.wire(isHead: false, keepsAlive: true))
      }
    ]
  }

  var url: String { origin.url("/a.jpg") }
  var count: Int { origin.requests.count }

  func answer(with control: String) { self.control.withLock { $0 = control } }

  private static func client(_ request: LoopbackRequest) -> String {
    ["authorization", "cookie", "x-key"].map { request[$0] ?? "" }.joined()
  }

  /// An image whose width tells the client.
  private static func image(_ client: String) -> [UInt8] {
    (try? ImageCodecs.encodeJPEG(SampleImages.gradient(20 + client.count, 20))) ?? []
  }
}

@Suite struct `Entries of requests with credentials` {
  private let scratch: Scratch
  private let clock = ManualClock()
  private static let names: [HTTPField.Name] = [.authorization, .cookie]

  init() throws { scratch = try Scratch() }

  private func pipeline(
    _ headers: [String] = [], memory: MemoryCache<DecodedImage>? = nil,
    _ entries: DiskCache.PrivateEntries = .own
  ) throws -> ImagePipeline {
    let headers = try OriginHeaders(headers)
    var disk = DiskCache.Configuration(directory: scratch / "cache")
    disk.privateEntries = entries
    disk.originHeaders = headers
    disk.clock = { [clock] in clock.now }
    let cache = try DiskCache(disk)
    let fetcher = try FetcherFixture(store: cache.core.partialBodies.store) {
      $0.originHeaders = headers
      $0.retryPolicy.maximumRetryCount = 0
      $0.clock.date = { [clock] in clock.now }
    }.fetcher
    var configuration = ImagePipeline.Configuration(fetcher: fetcher)
    configuration.diskCache = cache
    configuration.sharedMemory = memory
    if memory == nil { configuration.memory = nil }
    configuration.isShared = entries == .hidden
    configuration.clock = { [clock] in clock.now }
    configuration.fetchLimits.bePatient()
    return try ImagePipeline(configuration)
  }

  private func request(
    _ url: String, _ name: HTTPField.Name = .authorization, _ value: String? = nil
  ) -> ImageRequest {
    var request = ImageRequest(url: url)
    request.network.headers[name] = value
    return request
  }

  /// The width and the source of an image that a new pipeline loads.
  private func load(
    _ request: ImageRequest, _ headers: [String] = [], _ entries: DiskCache.PrivateEntries = .own
  ) async throws -> (width: Int?, source: LoadSource) {
    let pipeline = try pipeline(headers, entries)
    let response = try await pipeline.data(for: request)
    await pipeline.close()
    return (response.size?.width, response.source)
  }

  // MARK: Originals

  @Test(arguments: names)
  func `answer those with the same, side by side`(name: HTTPField.Name) async throws {
    let origin = try PersonalOrigin()
    let values = [nil, "Bearer 1", "Bearer 22"]
    var widths: [Int?] = []
    for value in values {
      let (width, source) = try await load(request(origin.url, name, value))
      #expect(source == .network)
      widths.append(width)
    }

    for (value, width) in zip(values, widths) {
      let (again, source) = try await load(request(origin.url, name, value))
      #expect(again == width && source == .disk, "\(value ?? "none")")
    }
    #expect(widths == [20, 28, 29] && origin.count == 3)
  }

  @Test func `that say public answer all`() async throws {
    let origin = try PersonalOrigin("public, max-age=600")
    _ = try await load(request(origin.url, .authorization, "Bearer 1"))

    for value in [nil, "Bearer 22"] {
      let (width, source) = try await load(request(origin.url, .authorization, value))
      #expect(width == 28 && source == .disk)
    }
    #expect(try await load(request(origin.url), [], .hidden).source == .disk)
  }

  @Test func `that are no longer public answer no other`() async throws {
    let origin = try PersonalOrigin("public, max-age=0")
    let own = request(origin.url, .authorization, "Bearer 1")
    _ = try await load(own)
    origin.answer(with: "private, max-age=600")

    #expect(try await load(own).source == .revalidated)
    #expect(try await load(own).source == .disk)

    var others = request(origin.url)
    others.cache.policy = .onlyIfCached
    await imageError { _ = try await load(others) }
  }

  @Test func `are confirmed by their own tags alone`() async throws {
    let origin = try PersonalOrigin("max-age=0")
    for value in [nil, "Bearer 1", nil, "Bearer 1"] {
      _ = try await load(request(origin.url, .authorization, value))
    }

    #expect(origin.origin.requests.map { $0["if-none-match"] } == [nil, nil, "\"0\"", "\"8\""])
  }

  @Test func `are chosen by Vary as well, and no value is on disk`() async throws {
    let origin = try PersonalOrigin(vary: "Authorization, Cookie")
    let secret = "s3cret-value"
    for _ in 0..<2 {
      for name in Self.names { _ = try await load(request(origin.url, name, secret)) }
      _ = try await load(request(origin.url, .authorization, "public \(secret)"))
    }
    origin.answer(with: "public, max-age=600")
    for _ in 0..<2 { _ = try await load(request(origin.url, .cookie, "a=1; \(secret)")) }

    #expect(origin.count == 4)
    let folder = URL(fileURLWithPath: scratch / "cache")
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      let bytes = (try? Data(contentsOf: folder.appending(path: name))) ?? Data()
      #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(name)")
    }
  }

  @Test func `are all removed by a purge`() async throws {
    let origin = try PersonalOrigin()
    for value in [nil, "Bearer 1", "Bearer 22"] {
      _ = try await load(request(origin.url, .authorization, value))
    }
    let pipeline = try pipeline()

    #expect(try await pipeline.purge(CachePurge(urls: [origin.url])) == 3)

    #expect(await pipeline.configuration.diskCache?.variations(of: origin.url).count == 0)
  }

  @Test func `are found by those that only look`() async throws {
    let origin = try PersonalOrigin()
    let own = request(origin.url, .authorization, "Bearer 1")
    _ = try await load(own)
    let pipeline = try pipeline()

    for (request, isThere) in [(own, true), (request(origin.url), false)] {
      #expect(try await (pipeline.storedFile(for: request) != nil) == isThere)
      #expect(try await pipeline.graph.isStored(request) == isThere)
      var remembering = request
      remembering.placeholder = .remembered(otherwise: .none)
      #expect(await (pipeline.graph.placeholder(for: remembering) != nil) == isThere)
    }
  }

  // MARK: Results, failures, prefixes

  @Test(arguments: [StorageRule.result, .both])
  func `have results of their own`(storage: StorageRule) async throws {
    let origin = try PersonalOrigin()
    func thumbnail(_ value: String?) -> ImageRequest {
      var request = request(origin.url, .authorization, value)
      request.thumbnail = ThumbnailRecipe(size: PixelSize(width: 10, height: 100), fit: .inside)
      request.storage.rule = storage
      return request
    }
    var made: [[UInt8]] = []
    for value in [nil, "Bearer 1"] {
      made.append(try await pipeline().data(for: thumbnail(value)).bytes())
    }

    for (value, bytes) in zip([nil, "Bearer 1"], made) {
      let response = try await pipeline().data(for: thumbnail(value))
      #expect(try response.source == .disk && response.bytes() == bytes)
      #expect(try await pipeline().storedFile(for: thumbnail(value)) == response.path)
    }
    #expect(made[0] != made[1] && origin.count == 2)
    var other = thumbnail("Bearer 22")
    other.cache.policy = .onlyIfCached
    await imageError { _ = try await pipeline().data(for: other) }
  }

  @Test func `that are failures answer no other`() async throws {
    let origin = try PersonalOrigin()
    for _ in 0..<2 {
      await imageError { _ = try await load(request(origin.url, .authorization, "gone")) }
    }
    #expect(origin.count == 1)

    #expect(try await load(request(origin.url, .authorization, "Bearer 1")).source == .network)
    // The bytes of others are not in the way, nor is what is remembered beside them.
    for value in ["gone", "also gone"] {
      let pipeline = try pipeline()
      for _ in 0..<2 {
        await imageError { _ = try await pipeline.data(for: request(origin.url, .cookie, value)) }
      }
    }
    #expect(origin.count == 4)
    #expect(try await load(request(origin.url, .authorization, "Bearer 1")).source == .disk)
  }

  @Test func `do not continue the prefixes of others`() async throws {
    let body = try SampleImages.photo(byteCount: 200_000)
    let origin = try FaultyOrigin()
    let url = origin.url("/b.jpg")
    for (first, second, isContinued) in [
      ("Bearer 1", "Bearer 1", true), ("Bearer 1", "Bearer 2", false), ("Bearer 3", nil, false),
      (nil, "Bearer 4", false),
    ] {
      origin["/b.jpg"] = [
        .brokenFile(body, tag: "\"1\"", after: 150_000), .file(body, tag: "\"1\""),
      ]
      let pipeline = try pipeline()
      var request = request(url, .authorization, first)
      request.cache.policy = .reload
      await imageError { _ = try await pipeline.data(for: request) }
      request.network.headers[.authorization] = second

      #expect(try await pipeline.data(for: request).byteCount == body.count)

      #expect((origin.requests.last?["range"] != nil) == isContinued, "\(first ?? "none")")
    }
  }

  // MARK: Fields for hosts

  @Test func `are told by the fields for their hosts as well, on disk and in memory`() async throws
  {
    let origin = try PersonalOrigin()
    let keys = [[], ["127.0.0.1: X-Key: 1"], ["127.0.0.1: X-Key: 22"]]
    let memory = MemoryCache<DecodedImage>()
    for key in keys {
      let pipeline = try pipeline(key, memory: memory)
      #expect(pipeline.imageInMemory(for: ImageRequest(url: origin.url)) == nil)
      let image = try await pipeline.image(for: ImageRequest(url: origin.url))
      #expect(image.source == .network)
    }

    for (number, key) in keys.enumerated() {
      let (width, source) = try await load(request(origin.url), key)
      #expect(width == 20 + number && source == .disk)
      let kept = try pipeline(key, memory: memory).imageInMemory(for: request(origin.url))
      #expect(kept?.image.size.width == 20 + number)
    }
    #expect(origin.count == 3)
  }

  @Test func `behind a redirect are told by the fields for its target`() async throws {
    let origin = try PersonalOrigin()
    let start = origin.origin.url("/r").replacing("127.0.0.1", with: "localhost")
    origin.origin["/r"] = [.whole([], status: 302, fields: ["Location: \(origin.url)"])]
    let key = ["127.0.0.1: X-Key: 1"]
    for (headers, source) in [
      ([], LoadSource.network), (key, .network), (key, .disk), ([], .network), ([], .disk),
    ] {
      #expect(try await load(request(start), headers).source == source)
    }
  }

  @Test func `of an archive answer its user, and those of servers by their fields`() async throws {
    let origin = try PersonalOrigin()
    let key = ["127.0.0.1: X-Key: 1"]
    _ = try await load(request(origin.url), key, .all)

    #expect(try await load(request(origin.url), [], .all).source == .disk)
    #expect(try await load(request(origin.url), key, .own).source == .disk)
    #expect(try await load(request(origin.url), key, .hidden).source == .disk)
    #expect(try await load(request(origin.url), [], .own).source == .network)
    #expect(try await load(request(origin.url), [], .own).source == .disk)
  }

  @Test func `of a server answer those with the same, and are hidden from others`() async throws {
    let origin = try PersonalOrigin("max-age=600, must-revalidate")
    let own = request(origin.url, .authorization, "Bearer 1")
    #expect(try await load(own, [], .hidden).source == .network)

    #expect(try await load(own, [], .hidden).source == .disk)
    let cache = try #require(try pipeline([], .hidden).configuration.diskCache)
    #expect(await !cache.holds(own.key))
    #expect(try await load(request(origin.url), [], .hidden).source == .network)
    #expect(try await load(own, [], .hidden).source == .disk)
  }

  @Test func `are documents as well`() async throws {
    let origin = try FaultyOrigin(["/feed": [.text("{}", fields: ["Cache-Control: max-age=600"])]])
    let key = ["127.0.0.1: X-Key: 1"]
    for (headers, count) in [(key, 1), (key, 1), ([], 2), ([], 2)] {
      let pipeline = try pipeline(headers)
      let document = try await pipeline.document(
        at: origin.url("/feed"), options: DocumentOptions())
      #expect(origin.requests.count == count)
      try await pipeline.keep(document, as: "kept")
    }

    #expect(try await pipeline().keptDocument(named: "kept") != nil)
    try await pipeline(key).keep(
      Document(
        url: origin.url("/feed"), bytes: [], mediaType: nil, source: .disk, fetchedAt: clock.now),
      as: "kept")
    #expect(try await pipeline().keptDocument(named: "kept") == nil)
    #expect(try await pipeline(key).keptDocument(named: "kept") != nil)
  }
}
