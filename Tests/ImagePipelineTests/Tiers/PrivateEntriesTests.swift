import Foundation
import HTTPTypes
import ImageModel
import Testing

@testable import DiskCaching
@testable import ImageFetching
@testable import ImagePipeline
@testable import TestSupport

@Suite struct `Private entries` {
  private static let picture = SampleImages.widePhoto
  private let scratch: Scratch
  /// The time of every access: negative entries expire after a minute.
  private let clock = ManualClock()

  init() throws { scratch = try Scratch() }

  private func cache(_ headers: [String] = [], hides: Bool = true) throws -> DiskCache {
    var configuration = DiskCache.Configuration(directory: scratch / "cache")
    configuration.originHeaders = try OriginHeaders(headers)
    configuration.privateEntries = hides ? .hidden : .all
    configuration.clock = { [clock] in clock.now }
    return try DiskCache(configuration)
  }

  /// A pipeline over the directory whose fetcher sends these headers.
  private func pipeline(_ headers: [String] = [], hides: Bool = false) throws -> ImagePipeline {
    let sent = try OriginHeaders(headers)
    let fetcher = try FetcherFixture {
      $0.originHeaders = sent
      $0.clock.date = { [clock] in clock.now }
    }.fetcher
    var configuration = ImagePipeline.Configuration(fetcher: fetcher)
    configuration.diskCache = try cache(headers, hides: hides)
    configuration.isShared = hides
    configuration.clock = { [clock] in clock.now }
    configuration.fetchLimits.bePatient()
    return try ImagePipeline(configuration)
  }

  private func origin(_ control: String = "max-age=600") throws -> FaultyOrigin {
    try FaultyOrigin([
      "/a.jpg": [.whole(Self.picture, fields: ["Cache-Control: \(control)", "ETag: \"1\""])]
    ])
  }

  /// The result of a request in a process with these headers that hides private entries.
  private func source(
    of url: String, _ headers: [String] = [], thumbnail: Bool = false
  ) async throws -> LoadSource {
    let pipeline = try pipeline(headers, hides: true)
    var request = ImageRequest(url: url)
    if thumbnail {
      request.thumbnail = ThumbnailRecipe(size: PixelSize(width: 20, height: 20), fit: .cover)
      request.storage.rule = .both
    }
    let source = try await pipeline.data(for: request).source
    await pipeline.close()
    return source
  }

  @Test func `are hits for a process with the same header, and misses for others`() async throws {
    let origin = try origin()
    let url = origin.url("/a.jpg")
    let own = "127.0.0.1: Authorization: Bearer 1"
    _ = try await pipeline([own]).data(for: ImageRequest(url: url))

    for (headers, isSeen) in [
      ([], false), (["127.0.0.1: Authorization: Bearer 2"], false),
      (["127.0.0.1: X-Key: Bearer 1"], false), (["localhost: Authorization: Bearer 1"], false),
      ([own], true), (["127.0.0.1: authorization: Bearer 1", "b: X: y"], true),
      (["127.0.0.1:\(origin.port): Authorization: Bearer 1"], true),
    ] {
      let cache = try cache(headers)
      #expect(await cache.holds(.original(url: url)) == isSeen, "\(headers)")
      #expect(await cache.record(for: .original(url: url)) != nil || !isSeen)
      #expect(await cache.path(for: .original(url: url)) != nil || !isSeen)
      #expect(await cache.variations(of: url).count == (isSeen ? 1 : 0))
      #expect(await cache.read(.original(url: url)) != nil || !isSeen)
    }
    // A private cache reads all.
    #expect(await (try cache(hides: false)).holds(.original(url: url)))
    #expect(try await source(of: url, [own]) == .disk)
    #expect(try await source(of: url, [own], thumbnail: true) == .disk)
    #expect(origin.requests.count == 1)
    // Other processes fetch by their own rules, and what they store is public.
    #expect(try await source(of: url, thumbnail: true) == .network)
    #expect(try await source(of: url) == .disk)
    #expect(origin.requests.map { $0["authorization"] } == ["Bearer 1", nil])
  }

  @Test func `behind a redirect are hidden, and results without an original`() async throws {
    let origin = try origin()
    origin["/r"] = [.whole([], status: 302, fields: ["Location: \(origin.url("/a.jpg"))"])]
    let start = origin.url("/r").replacing("127.0.0.1", with: "localhost")
    let own = "127.0.0.1: X-Key: 1"
    var thumbnail = ImageRequest(url: origin.url("/a.jpg"))
    thumbnail.thumbnail = ThumbnailRecipe(size: PixelSize(width: 9, height: 9), fit: .cover)
    thumbnail.storage.rule = .result
    _ = try await pipeline([own]).data(for: ImageRequest(url: start))
    _ = try await pipeline([own]).data(for: thumbnail)

    let key = CacheKey.variant(source: thumbnail.url, recipe: thumbnail.resultIdentity)
    for (headers, isSeen) in [([], false), ([own], true)] {
      #expect(await (try cache(headers)).holds(.original(url: start)) == isSeen)
      #expect(await (try cache(headers)).holds(key) == isSeen)
    }
  }

  @Test(arguments: [
    ("private, max-age=60", true), ("no-store", true), ("Max-Age=60, PRIVATE", true),
    ("max-age=60", false), ("private=\"x\", max-age=60", false), ("public, max-age=60", false),
  ])
  func `are those marked by their origin, unless fetched with the process's header`(
    control: String, isPrivate: Bool
  ) async throws {
    let origin = try origin(control)
    var request = ImageRequest(url: origin.url("/a.jpg"))
    request.storage.rule = .always
    request.storage.retention = .pinned
    let key = CacheKey.original(url: request.url)

    _ = try await pipeline().data(for: request)
    #expect(await (try cache()).holds(key) != isPrivate)
    #expect(await (try cache(hides: false)).holds(key))

    request.cache.policy = .reload
    _ = try await pipeline(["127.0.0.1: X-Key: 1"]).data(for: request)
    #expect(await (try cache(["127.0.0.1: X-Key: 1"])).holds(key))
    #expect(await !(try cache()).holds(key))
  }

  @Test func `survive the failed fetch of a process that may not see them`() async throws {
    let origin = try origin()
    let url = origin.url("/a.jpg")
    let own = "127.0.0.1: X-Key: 1"
    _ = try await pipeline([own]).data(for: ImageRequest(url: url))
    origin["/a.jpg"] = [.whole([], status: 404)]

    let other = try pipeline(hides: true)
    for _ in 0..<2 { await imageError { _ = try await other.data(for: ImageRequest(url: url)) } }
    await other.close()

    // It caches the failure for itself.
    #expect(origin.requests.count == 2)
    #expect(try await source(of: url, [own]) == .disk)
  }

  @Test func `do not include failures cached under other headers`() async throws {
    let origin = try FaultyOrigin(["/a.jpg": [.whole([], status: 404), .whole(Self.picture)]])
    let url = origin.url("/a.jpg")
    await imageError { _ = try await pipeline().data(for: ImageRequest(url: url)) }
    await imageError { _ = try await pipeline().data(for: ImageRequest(url: url)) }
    #expect(origin.requests.count == 1)

    let response = try await pipeline(["127.0.0.1: X-Key: 1"]).data(for: ImageRequest(url: url))

    #expect(response.source == .network)
  }

  @Test func `contain no header value`() async throws {
    let origin = try origin()
    let secret = "s3cret-value"
    let pipeline = try pipeline(["127.0.0.1: Authorization: Bearer \(secret)"])
    _ = try await pipeline.data(for: ImageRequest(url: origin.url("/a.jpg")))
    await pipeline.close()

    let folder = URL(fileURLWithPath: scratch / "cache")
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    for name in names {
      let bytes = (try? Data(contentsOf: folder.appending(path: name))) ?? Data()
      #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(name)")
    }
    #expect(names.contains("origin-key"))
  }
}
