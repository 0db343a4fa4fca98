import Foundation
import Testing

@testable import CachePolicies
@testable import DiskCaching
@testable import ImageFetching
@testable import ImageModel
@testable import ImagePipeline
@testable import TestSupport

@Suite struct `Purges of a pipeline` {
  private let clock = ManualClock(Date(timeIntervalSince1970: 1_700_000_000))

  private func pipeline(
    _ origin: FaultyOrigin, in scratch: Scratch, hasDisk: Bool = true
  ) throws -> ImagePipeline {
    let fetcher = try FetcherFixture { $0.clock.date = { [clock] in clock.now } }.fetcher
    var configuration = ImagePipeline.Configuration(fetcher: fetcher)
    configuration.memory = MemoryCacheConfiguration()
    configuration.clock = { [clock] in clock.now }
    configuration.hostRules.cacheURL = { $0.replacing("?old", with: "") }
    if hasDisk {
      var disk = DiskCache.Configuration(directory: scratch / "cache")
      disk.clock = { [clock] in clock.now }
      configuration.diskCache = try DiskCache(disk)
    }
    return try ImagePipeline(configuration)
  }

  private func origin() throws -> FaultyOrigin {
    let fields = ["Cache-Control: max-age=600"]
    return try FaultyOrigin([
      "/a.jpg": [.whole(SampleImages.widePhoto, fields: fields)],
      "/b.jpg": [.whole(SampleImages.widePhoto + [0], fields: fields)],
    ])
  }

  @Test(arguments: [true, false])
  func `a purged image leaves memory, and others stay`(hasDisk: Bool) async throws {
    let origin = try origin()
    let pipeline = try pipeline(origin, in: try Scratch(), hasDisk: hasDisk)
    let (gone, kept) = (
      ImageRequest(url: origin.url("/a.jpg")), ImageRequest(url: origin.url("/b.jpg"))
    )
    for request in [gone, kept] { _ = try await pipeline.image(for: request) }
    #expect(pipeline.imageInMemory(for: gone) != nil)
    clock.advance(by: 1)

    // Another spelling of the same key.
    #expect(try await pipeline.purge(CachePurge(urls: [gone.url + "?old"])) == 1)
    clock.advance(by: 1)

    #expect(pipeline.imageInMemory(for: gone) == nil)
    #expect(pipeline.imageInMemory(for: kept) != nil)
    #expect(try await pipeline.image(for: gone).source == .network)
    #expect(pipeline.imageInMemory(for: gone) != nil)
    #expect(origin.requests.count == 3)
    await pipeline.close()
  }

  @Test func `a remembered failure is requested again after a purge`() async throws {
    let origin = try FaultyOrigin([
      "/a.jpg": [
        .whole([], status: 404),
        .whole(SampleImages.widePhoto, fields: ["Cache-Control: max-age=600"]),
      ]
    ])
    let pipeline = try pipeline(origin, in: try Scratch())
    let request = ImageRequest(url: origin.url("/a.jpg"))
    for _ in 0..<2 { await imageError { try await pipeline.image(for: request) } }
    #expect(origin.requests.count == 1)
    clock.advance(by: 1)

    #expect(try await pipeline.purge(CachePurge(urls: [request.url])) == 1)
    clock.advance(by: 1)

    #expect(try await pipeline.image(for: request).source == .network)
    await pipeline.close()
  }
}
