import Foundation
import Testing

@testable import DiskCaching
@testable import ImageCodecs
@testable import ImageFetching
@testable import ImageModel
@testable import ImagePipeline
@testable import TestSupport

/// The journey over real HTTP on loopback and a real directory.
@Suite struct `Requests with a disk cache` {
  private static let picture: [UInt8] = {
    let pixels = PixelBuffer(clear: PixelSize(width: 40, height: 30))
    return (try? ImageCodecs.encodeJPEG(pixels)) ?? []
  }()

  private let scratch: Scratch
  private let origin: FaultyOrigin
  private let pipeline: ImagePipeline

  init() throws {
    (scratch, origin) = (try Scratch(), try FaultyOrigin())
    let fetcher = try FetcherFixture { $0.retryPolicy.maximumRetryCount = 0 }.fetcher
    var configuration = ImagePipeline.Configuration(fetcher: fetcher)
    configuration.diskCache = try DiskCache(DiskCache.Configuration(directory: scratch / "cache"))
    pipeline = try ImagePipeline(configuration)
  }

  @Test func `a 404 for a cached image does not remove it`() async throws {
    var request = ImageRequest(url: origin.url("/a.jpg"))
    origin["/a.jpg"] = [.whole(Self.picture)]
    _ = try await pipeline.data(for: request)

    origin["/a.jpg"] = [.whole([], status: 404)]
    let refused = with(request) { $0.cache.policy = .revalidate }
    await imageError { try await pipeline.data(for: refused) }
    request.cache.policy = .onlyIfCached

    #expect(try await pipeline.data(for: request).bytes() == Self.picture)
  }

  @Test func `a 500, HTML and a truncated image are not stored`() async throws {
    let request = ImageRequest(url: origin.url("/a.jpg"))
    let cache = try #require(pipeline.configuration.diskCache)

    origin["/a.jpg"] = [.whole([], status: 500)]
    await imageError { try await pipeline.data(for: request) }
    origin["/a.jpg"] = [.whole(Array("<html>no</html>".utf8), fields: ["Content-Type: image/jpeg"])]
    await imageError { try await pipeline.data(for: request) }
    origin["/a.jpg"] = [
      .whole(Array(Self.picture.dropLast(20)), fields: ["Content-Type: image/jpeg"])
    ]
    let again = with(request) { $0.cache.policy = .reload }
    await imageError { try await pipeline.data(for: again) }
    #expect(origin.requests.count == 3)

    #expect(await cache.record(for: request.key) == nil)
    #expect(await cache.list().isEmpty)
  }

  @Test func `equal concurrent requests are one fetch`() async throws {
    origin["/a.jpg"] = [.whole(Self.picture, fields: ["Cache-Control: max-age=60"])]
    let url = origin.url("/a.jpg")

    let responses = try await withThrowingTaskGroup(of: DataResponse.self) { group in
      for day in 0..<20 {
        let request = with(ImageRequest(url: url)) { $0.storage.groups = ["day:\(day % 2)"] }
        group.addTask { try await pipeline.data(for: request) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }

    #expect(responses.count == 20)
    #expect(origin.requests.count == 1)
    let cache = try #require(pipeline.configuration.diskCache)
    #expect(await cache.groups(of: .original(url: url)) == ["day:0", "day:1"])
  }

  @Test func `a document is revalidated by its ETag and available offline`() async throws {
    var options = DocumentOptions()
    origin["/a.jpg"] = [
      .whole(Array("{}".utf8), fields: ["ETag: \"d\"", "Content-Type: application/json"])
    ]
    let first = try await pipeline.document(at: origin.url("/a.jpg"), options: options)
    origin["/a.jpg"] = [.whole([], status: 304, fields: ["ETag: \"d\""])]
    let second = try await pipeline.document(at: origin.url("/a.jpg"), options: options)
    options.isOffline = true
    let third = try await pipeline.document(at: origin.url("/a.jpg"), options: options)

    #expect([first, second, third].map(\.source) == [.network, .revalidated, .disk])
    #expect(third.bytes == Array("{}".utf8))
    #expect(third.mediaType == "application/json")
    #expect(origin.requests.count == 2)
  }
}
