import CachePolicies
import Foundation
import ImageCodecs
import ImageFetching
import ImageModel
import ImagePipeline
import Synchronization

/// The overhead of a pipeline.
enum LoaderComparisons {
  static let all = [
    coalescing,
    hit("image(for:), a hit in memory", mayCost: 8) { $0 },
    hit("image(for:) of a thumbnail with a processor, a hit in memory", mayCost: 15) { request in
      var request = request
      request.thumbnail = ThumbnailRecipe(size: PixelSize(width: 32, height: 32))
      request.processors = [.roundCorners(4)]
      return request
    },
    Comparison("data(for:), no caches, no network", beside: "the fetcher alone", count: 2000) {
      let fetcher = QuickFetcher(try photo())
      let pipeline = try ImagePipeline(ImagePipeline.Configuration(fetcher: fetcher))
      return Contest { count in
        for index in 0..<count {
          var request = ImageRequest(url: "http://bench.invalid/\(index).jpg")
          request.decoding.check = .none
          consume(try await pipeline.data(for: request).byteCount)
        }
      } limit: { count in
        for index in 0..<count {
          let request = FetchRequest(url: "http://bench.invalid/\(index).jpg")
          consume(try await fetcher.fetch(request).body.byteCount)
        }
      } end: {
        await pipeline.close()
      }
    },
  ]

  /// Many equal requests at once, from the first call to the last response.
  private static let coalescing = Comparison(
    "5,000 equal requests at once, each", beside: "a bare task", count: 5000, mayCost: 25
  ) {
    let photo = try LoaderComparisons.photo()
    return Contest { count in
      let fetcher = PatientFetcher(photo, wanted: count)
      let pipeline = try ImagePipeline(ImagePipeline.Configuration(fetcher: fetcher))
      let request = ImageRequest(url: "http://bench.invalid/a.jpg")
      // Unstructured tasks: a group with thousands of children spends more time on its list of
      // them.
      let tasks = (0..<count).map { _ in
        Task {
          fetcher.note()
          return try await pipeline.image(for: request).image.width
        }
      }
      for task in tasks { consume(try await task.value) }
      await pipeline.close()
    } limit: { count in
      let tasks = (0..<count).map { index in Task { index & 1 } }
      for task in tasks { consume(await task.value) }
    }
  }

  private static func hit(
    _ name: String, mayCost: Double, _ change: @escaping @Sendable (ImageRequest) -> ImageRequest
  ) -> Comparison {
    Comparison(name, beside: "the memory tier alone", count: 50_000, mayCost: mayCost) {
      let memory = MemoryCache<DecodedImage>()
      var configuration = ImagePipeline.Configuration(fetcher: QuickFetcher(try photo()))
      configuration.sharedMemory = memory
      let pipeline = try ImagePipeline(configuration)
      let request = change(
        ImageRequest(url: "https://pic1.zhimg.com/v2-0123456789abcdef0123456789abcdef_720w.jpg"))
      let picture = try await pipeline.image(for: request).decoded
      let key = MemoryKey("the same")
      memory.insert(picture, for: key, byteCount: picture.byteCount)
      return Contest { count in
        for _ in 0..<count {
          let response = try await pipeline.image(for: request)
          precondition(response.source == .memory)
        }
      } limit: { count in
        for _ in 0..<count { precondition(memory.value(for: key) != nil) }
      } end: {
        await pipeline.close()
      }
    }
  }

  /// A small image.
  static func photo() throws -> [UInt8] {
    try ImageCodecs.encodeJPEG(Photographs.pixels(PixelSize(width: 64, height: 48), seed: 1))
  }
}

/// Answers at once, with a fresh response.
struct QuickFetcher: DataFetching {
  private let photo: [UInt8]

  init(_ photo: [UInt8]) { self.photo = photo }

  func fetch(_ request: FetchRequest) async throws -> FetchedResponse {
    var head = ResponseHead(url: request.url, status: 200)
    head.fields[.cacheControl] = "max-age=3600"
    return FetchedResponse(head: head, body: .bytes(photo))
  }
}

/// Answers when all requests have arrived.
private final class PatientFetcher: DataFetching {
  private let photo: [UInt8]
  private let wanted: Int
  private let asked = Atomic(0)
  private let all: AsyncStream<Void>
  private let done: AsyncStream<Void>.Continuation

  init(_ photo: [UInt8], wanted: Int) {
    self.photo = photo
    self.wanted = wanted
    (all, done) = AsyncStream<Void>.makeStream()
  }

  func note() {
    if asked.add(1, ordering: .relaxed).newValue == wanted { done.finish() }
  }

  func fetch(_ request: FetchRequest) async throws -> FetchedResponse {
    for await _ in all {}
    return FetchedResponse(head: ResponseHead(url: request.url, status: 200), body: .bytes(photo))
  }
}
