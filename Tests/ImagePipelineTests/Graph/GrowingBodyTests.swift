import Foundation
import Testing

@testable import DiskCaching
@testable import ImageCodecs
@testable import ImageFetching
@testable import ImageModel
@testable import ImagePipeline
@testable import SampleFeed
@testable import TestSupport

/// A fetcher of one's own around another one: it sends a request that it makes.
private struct WrappingFetcher: DataFetching {
  let inner: HTTPFetcher

  func fetch(_ request: FetchRequest) async throws -> FetchedResponse {
    var other = FetchRequest(url: request.url)
    other.limits = request.limits
    other.progress = request.progress
    return try await inner.fetch(other)
  }
}

/// Bodies that arrive over real HTTP, as their consumers see them.
@Suite struct `A growing body` {
  static let photo: [UInt8] = {
    let options = with(EncodingOptions(quality: 95)) { $0.isProgressive = true }
    return (try? ImageCodecs.encodeJPEG(SampleImages.gradient(480, 320), options: options)) ?? []
  }()

  private func pipeline(_ scratch: Scratch) throws -> ImagePipeline {
    let cache = try DiskCache(DiskCache.Configuration(directory: scratch / "cache"))
    let fetcher = try FetcherFixture {
      $0.retryPolicy.maximumRetryCount = 0
      $0.partialBodies = cache.core.partialBodies
    }.fetcher
    var configuration = ImagePipeline.Configuration(fetcher: fetcher)
    configuration.diskCache = cache
    configuration.previewInterval = .zero
    configuration.fetchLimits.bePatient()
    return try ImagePipeline(configuration)
  }

  /// Answers as a careful origin, but stops in the middle of the body until the gate opens.
  private static func halting(at gate: Gate) -> FaultyOrigin.Answer {
    .custom { request, connection in
      let response = LoopbackResponse.file(
        photo, mediaType: "image/jpeg", entityTag: "\"v1\"", for: request)
      let wire = response.wire(isHead: false, keepsAlive: true)
      let rest = response.body.count / 2
      connection.send(Array(wire.dropLast(rest)))
      gate.block()
      return connection.send(Array(wire.suffix(rest)))
    }
  }

  @Test func `is in the cost and the arriving bodies of a request for data alone`() async throws {
    let (scratch, gate) = (try Scratch(), Gate())
    let origin = try FaultyOrigin(["/a.jpg": [Self.halting(at: gate)]])
    defer { gate.open() }
    let pipeline = try pipeline(scratch)
    let half = Self.photo.count - Self.photo.count / 2

    let load = Task { try await pipeline.data(for: ImageRequest(url: origin.url("/a.jpg"))) }
    await Condition.until { pipeline.arrivingBodies.first?.receivedByteCount == half }
    await Condition.until { pipeline.transferTotals.receivedByteCount == half }
    #expect(pipeline.arrivingBodies.first?.expectedByteCount == Self.photo.count)
    #expect(pipeline.arrivingBodies.count == 1 && pipeline.transferTotals.requestCount == 1)
    gate.open()

    #expect(try await load.value.byteCount == Self.photo.count)
    #expect(pipeline.arrivingBodies.isEmpty)
    #expect(pipeline.transferTotals.receivedByteCount == Self.photo.count)
    #expect(pipeline.transferTotals.requestCount == 1)
  }

  @Test func `is seen through a fetcher that wraps another one`() async throws {
    let gate = Gate()
    let origin = try FaultyOrigin(["/a.jpg": [Self.halting(at: gate)]])
    defer { gate.open() }
    var configuration = ImagePipeline.Configuration(
      fetcher: WrappingFetcher(inner: try FetcherFixture().fetcher))
    configuration.previewInterval = .zero
    configuration.fetchLimits.bePatient()
    let pipeline = try ImagePipeline(configuration)

    var words: Set<String> = []
    for await event in pipeline.events(for: ImageRequest(url: origin.url("/a.jpg"))) {
      switch event {
      case .progress(_, let expected):
        words.insert("progress of \(expected ?? 0)")
        gate.open()
      case .preview: words.insert("preview")
      case .image: words.insert("image")
      case .placeholder, .failure: words.insert("other")
      }
    }

    #expect(words == ["progress of \(Self.photo.count)", "preview", "image"])
  }

  @Test func `that is resumed counts the bytes already received`() async throws {
    let (scratch, gate) = (try Scratch(), Gate())
    let kept = Self.photo.count / 2
    let origin = try FaultyOrigin([
      "/a.jpg": [
        .brokenFile(Self.photo, tag: "\"v1\"", after: kept), Self.halting(at: gate),
      ]
    ])
    defer { gate.open() }
    let pipeline = try pipeline(scratch)
    let request = ImageRequest(url: origin.url("/a.jpg"))
    await imageError { try await pipeline.data(for: request) }

    var first: Int?
    var sawPreview = false
    for await event in pipeline.events(for: request) {
      if case .progress(let count, Self.photo.count?) = event {
        first = first ?? count
        gate.open()
      }
      if case .preview = event { sawPreview = true }
    }

    #expect(try #require(first) > kept)
    // The beginning is read back for the previews, for it came in another life.
    #expect(sawPreview)
    #expect(origin.requests.last?["range"] == "bytes=\(kept)-")
  }
}
