import Foundation
import Testing

@testable import DiskCaching
@testable import ImageCodecs
@testable import ImageFetching
@testable import ImageModel
@testable import ImagePipeline
@testable import ThumbnailServer
@testable import TestSupport

/// How often an image is decoded, and its header read by itself, counted at the codecs.
@Suite(.serialized, .timeLimit(.minutes(5))) struct `An image is decoded once` {
  /// Files of each format that no other test has.
  enum File: CaseIterable {
    case jpeg, rotatedJPEG, progressiveJPEG, png, gif

    func bytes() throws -> [UInt8] {
      let pixels = SampleImages.noise(90, 60, seed: 77)
      switch self {
      case .jpeg: return try ImageCodecs.encodeJPEG(pixels)
      case .rotatedJPEG:
        return SampleImages.jpeg(
          try ImageCodecs.encodeJPEG(pixels, options: .init(quality: 79)),
          inserting: [SampleImages.exif(orientation: 6)])
      case .progressiveJPEG:
        let options = with(EncodingOptions(quality: 80)) { $0.isProgressive = true }
        return try ImageCodecs.encodeJPEG(pixels, options: options)
      case .png: return try ImageCodecs.encodePNG(pixels)
      case .gif:
        return try ImageCodecs.encodeGIF([
          AnimationFrame(pixels: pixels, delay: .milliseconds(100)),
          AnimationFrame(pixels: SampleImages.noise(90, 60, seed: 78), delay: .milliseconds(100)),
        ])
      }
    }

    /// A GIF's header is its blocks, which are read for each decode.
    var headers: Int { self == .gif ? 0 : 1 }
  }

  private static let recipes = [(10, 10), (40, 30), (80, 60)].map { width, height in
    ThumbnailRecipe(size: PixelSize(width: width, height: height))
  }

  private struct Fixture {
    let origin: FaultyOrigin
    let gate = Gate()
    let cache: DiskCache
    let pipeline: ImagePipeline
    let url: String
    private let scratch: Scratch

    /// - Parameter isHeld: Whether the body comes when the gate opens.
    init(_ body: [UInt8], isHeld: Bool = false) throws {
      scratch = try Scratch()
      let head = FaultyOrigin.head(length: body.count, fields: ["Cache-Control: max-age=1000"])
      origin = try FaultyOrigin(["/a": [.held(head, gate, body)]])
      if !isHeld { gate.open() }
      url = origin.url("/a")
      cache = try DiskCache(DiskCache.Configuration(directory: scratch / "cache"))
      var configuration = ImagePipeline.Configuration(fetcher: try FetcherFixture().fetcher)
      configuration.diskCache = cache
      pipeline = try ImagePipeline(configuration)
    }

    var request: ImageRequest { ImageRequest(url: url) }

    func request(_ recipe: ThumbnailRecipe) -> ImageRequest {
      with(request) { ($0.thumbnail, $0.storage.rule) = (recipe, .both) }
    }
  }

  @Test(arguments: File.allCases)
  func `for an original and three thumbnails of a prefetch`(file: File) async throws {
    let body = try file.bytes()
    let fixture = try Fixture(body)
    let work = CodecWork(body)

    let first = try await fixture.pipeline.data(for: fixture.request, thumbnails: Self.recipes)

    #expect(work.decodes == 1)
    #expect(work.headers == file.headers)
    let made = try first.thumbnails.map { try $0.get() }
    #expect(made.allSatisfy { $0.isNew && $0.path != nil })
    let turned = file == .rotatedJPEG
    #expect(
      made.map(\.size)
        == [(10, 10), (40, 30), turned ? (60, 45) : (80, 60)]
        .map { PixelSize(width: $0, height: $1) })
    let record = try #require(
      await fixture.cache.record(for: .original(url: fixture.url)))
    #expect(!record.thumbHash.isEmpty && record.format != nil)

    // Thumbnails on disk are not made again, nor is their original looked at.
    let again = try await fixture.pipeline.data(for: fixture.request, thumbnails: Self.recipes)

    #expect(try again.thumbnails.allSatisfy { try !$0.get().isNew })
    #expect(work.decodes == 1 && work.headers == file.headers)
    #expect(fixture.origin.requests.count == 1)
  }

  @Test(arguments: File.allCases)
  func `for all requests that join during its fetch`(file: File) async throws {
    let body = try file.bytes()
    let fixture = try Fixture(body, isHeld: true)
    let pipeline = fixture.pipeline
    let work = CodecWork(body)

    async let image = pipeline.image(for: fixture.request)
    async let original = pipeline.data(for: fixture.request)
    async let small = pipeline.data(for: fixture.request(Self.recipes[0]))
    async let large = pipeline.data(for: fixture.request(Self.recipes[2]))
    // Four callers, one of them at the original; the three other nodes wait for it too.
    await Condition.until { pipeline.graph.waitingCount == 7 }
    fixture.gate.open()

    let size = try await image.image.size
    #expect(size == (try ImageCodecs.info(of: body.span.bytes)).size)
    #expect(try await original.bytes() == body)
    #expect(try await small.size != large.size)
    // The test's own look at the header is one of them.
    // A JPEG is decoded at each scale that a caller needs by itself: here whole, and at 1/4 of its
    // size for the small thumbnail.
    let isJPEG = [.jpeg, .rotatedJPEG, .progressiveJPEG].contains(file)
    #expect(work.decodes == (isJPEG ? 2 : 1) && work.headers == 2 * file.headers)
    #expect(fixture.origin.requests.count == 1)
    // What a caller gets does not depend on the others.
    let alone = try ImageCodecs.thumbnail(of: body.span.bytes, recipe: Self.recipes[0])
    #expect(try await small.bytes() == alone.bytes)
  }

  @Test func `and once more for a request that comes after the decode has begun`() async throws {
    let body = try File.jpeg.bytes()
    let fixture = try Fixture(body)
    let (pipeline, late) = (fixture.pipeline, Locked<Task<DataResponse, any Error>?>(nil))
    let request = fixture.request(Self.recipes[1])
    let work = CodecWork(body) {
      guard late.withLock({ $0 == nil }) else { return }
      late.withLock { $0 = Task { try await pipeline.data(for: request) } }
      // The decode waits until the late caller waits for its original.
      let never = DispatchSemaphore(value: 0)
      for _ in 0..<10_000 where pipeline.graph.waitingCount < 3 {
        _ = never.wait(timeout: .now() + .milliseconds(1))
      }
    }

    _ = try await pipeline.data(for: fixture.request)
    let made = try await #require(late.withLock { $0 }).value

    #expect(made.size == PixelSize(width: 40, height: 30))
    #expect(work.decodes == 2 && work.headers == 1)
    #expect(fixture.origin.requests.count == 1)
  }

  @Test func `by a cold server, reading its header once`() async throws {
    let body = try File.jpeg.bytes()
    let server = try await ServerFixture(["/a.jpg": [.file(body, tag: "\"1\"")]])
    let work = CodecWork(body)

    let answer = try await server.get(server.thumb("/a.jpg", "w=20&h=20"))

    #expect(answer.status == 200)
    #expect(work.decodes == 1 && work.headers == 1)
  }

  @Test func `a recipe that does not apply to an image fails alone`() async throws {
    let fixture = try Fixture(try File.gif.bytes())
    let bad = with(Self.recipes[0]) { $0.frame = 2 }

    let response = try await fixture.pipeline.data(
      for: fixture.request, thumbnails: [bad, Self.recipes[1]])

    #expect(response.original.storeFailure == nil && response.original.hash != nil)
    guard case .failure(let error) = response.thumbnails[0] else {
      Issue.record("there is no third frame")
      return
    }
    #expect(error.code == .invalidArgument)
    #expect(try response.thumbnails[1].get().isNew)
  }

  @Test func `undecodable pixels do not discard bytes stored without a check`() async throws {
    let whole = try File.jpeg.bytes()
    let fixture = try Fixture(Array(whole.dropLast(whole.count / 2)))
    let request = with(fixture.request) { $0.decoding.check = .none }

    for source in [LoadSource.network, .disk] {
      let response = try await fixture.pipeline.data(for: request, thumbnails: [Self.recipes[1]])

      #expect(response.original.source == source && response.original.hash != nil)
      #expect(throws: ImageError.self) { try response.thumbnails[0].get() }
    }
    #expect(fixture.origin.requests.count == 1)
  }

  @Test func `one frame in memory is not stored as the animation`() async throws {
    let fixture = try Fixture(try File.gif.bytes())
    let recipe = with(Self.recipes[1]) { $0.format = .gif }

    let image = try await fixture.pipeline.image(for: fixture.request(recipe))
    let data = try await fixture.pipeline.data(for: fixture.request(recipe))

    #expect(image.image.size == data.size)
    #expect(data.format == .gif && data.frameCount == 2)
  }

  @Test func `refetched bytes that are equal need no decode`() async throws {
    let body = try File.jpeg.bytes()
    let fixture = try Fixture(body)
    var request = fixture.request(Self.recipes[1])
    _ = try await fixture.pipeline.data(for: request)
    let work = CodecWork(body)

    request.cache.policy = .reload
    let again = try await fixture.pipeline.data(for: request)

    #expect(fixture.origin.requests.count == 2)
    #expect(!again.isNew && again.source == .network)
    #expect(work.decodes == 0)
  }
}

/// Counts what the codecs do with one file.
private final class CodecWork: Sendable {
  private let counts = Locked((headers: 0, decodes: 0))

  /// - Parameter onDecode: Called when a decode of the file begins, before it is counted.
  init(_ file: [UInt8], onDecode: (@Sendable () -> Void)? = nil) {
    CodecBridge.setObserver { [counts] event, bytes in
      guard bytes.count == file.count, file.elementsEqual(bytes) else { return }
      if event == .decode { onDecode?() }
      counts.withLock { counts in
        if event == .header { counts.headers += 1 } else { counts.decodes += 1 }
      }
    }
  }

  var headers: Int { counts.withLock { $0.headers } }
  var decodes: Int { counts.withLock { $0.decodes } }

  deinit { CodecBridge.setObserver(nil) }
}
