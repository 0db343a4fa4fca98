import CachePolicies
import DiskCaching
import Foundation
import HTTPTypes
import ImageCodecs
import ImageFetching
import ImageModel
import ImagePipeline
import Synchronization
import Testing

@testable import TestSupport

/// Uses any client that has a body as a sequence of chunks.
struct StreamingFetcher: DataFetching {
  typealias Chunks = AsyncThrowingStream<[UInt8], any Error>
  let open: @Sendable (_ url: String) async throws -> (status: Int, length: Int?, chunks: Chunks)

  func fetch(_ request: FetchRequest) async throws -> FetchedResponse {
    let (status, length, chunks) = try await open(request.url)
    var body: [UInt8] = []
    request.progress?.began(expectedByteCount: length)
    for try await chunk in chunks {
      body += chunk
      guard body.count <= request.limits.maximumByteCount else {
        throw ImageError(.tooLarge, "\(request.url): the body is larger than the limit")
      }
      request.progress?.grew(to: body)
    }
    return FetchedResponse(
      head: ResponseHead(url: request.url, status: status), body: .bytes(body))
  }
}

/// Runs code of the guides, which other tests only compile.
@Suite struct `Samples of the guides` {
  @Test func `of a manual clock fetch an image again once it has expired`() async throws {
    final class CannedFetcher: DataFetching {
      let bytes: [UInt8]
      let count = Atomic(0)

      init(_ bytes: [UInt8]) { self.bytes = bytes }

      func fetch(_ request: FetchRequest) async throws -> FetchedResponse {
        count.add(1, ordering: .relaxed)
        return FetchedResponse(
          head: ResponseHead(url: request.url, status: 200, fields: [.cacheControl: "max-age=60"]),
          body: .bytes(bytes))
      }
    }

    let red = PixelBuffer(
      size: PixelSize(width: 2, height: 1), bytes: [255, 0, 0, 255, 255, 0, 0, 255])
    let fetcher = CannedFetcher(try ImageCodecs.encodePNG(red))
    let tested = try ImagePipeline(ImagePipeline.Configuration(fetcher: fetcher))

    let one = try await tested.image(for: "https://example.org/a.png")
    let two = try await tested.image(for: "https://example.org/a.png")
    assert(one.image == red && two.source == .memory)
    assert(fetcher.count.load(ordering: .relaxed) == 1)
    await tested.close()

    final class ManualClock: Sendable {
      private let now = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
      var date: Date { now.withLock { $0 } }
      func advance(by seconds: Double) { now.withLock { $0 += seconds } }
    }

    let clock = ManualClock()
    let folder = FileManager.default.temporaryDirectory.appending(path: "test-\(UUID())").path
    var disk = DiskCache.Configuration(directory: folder)
    disk.clock = { clock.date }
    var configuration = ImagePipeline.Configuration(fetcher: fetcher)
    configuration.diskCache = try DiskCache(disk)
    configuration.clock = { clock.date }
    configuration.memory = nil

    let aging = try ImagePipeline(configuration)
    _ = try await aging.image(for: "https://example.org/a.png")
    _ = try await aging.image(for: "https://example.org/a.png")
    assert(fetcher.count.load(ordering: .relaxed) == 2)  // one more than above: it was fresh
    clock.advance(by: 61)
    _ = try await aging.image(for: "https://example.org/a.png")
    assert(fetcher.count.load(ordering: .relaxed) == 3)
    await aging.close()
    try FileManager.default.removeItem(atPath: folder)

    #expect(fetcher.count.load(ordering: .relaxed) == 3)
  }

  @Test func `of a fetcher report progress and previews of a progressive JPEG`() async throws {
    let photo = SampleImages.progressivePhoto
    let (chunks, feed) = StreamingFetcher.Chunks.makeStream()
    let fetcher = StreamingFetcher { _ in (200, photo.count, chunks) }
    var configuration = ImagePipeline.Configuration(fetcher: fetcher)
    configuration.previewInterval = .zero
    let pipeline = try ImagePipeline(configuration)

    var (received, previewCount, image): ([Int], Int, PixelBuffer?) = ([], 0, nil)
    var position = 0
    /// Sends an eighth; the next one follows once this one was seen.
    func send() {
      let end = min(photo.count, position + photo.count / 8)
      feed.yield(Array(photo[position..<end]))
      position = end
      if end == photo.count { feed.finish() }
    }
    let events = pipeline.events(for: ImageRequest(url: "https://example.org/a.jpg"))
    send()
    for await event in events {
      switch event {
      case .progress(let count, photo.count):
        received.append(count)
        if position < photo.count { send() }
      case .preview: previewCount += 1
      case .image(let response): image = response.image
      case .placeholder, .progress, .failure: Issue.record("\(event)")
      }
    }

    #expect(received == received.sorted() && received.last == photo.count)
    #expect(previewCount >= 2)
    #expect(image?.size == PixelSize(width: 320, height: 200))
  }

  @Test(arguments: [
    ("Testing", ["CannedFetcher", "ManualClock"]), ("Extending", ["StreamingFetcher"]),
  ])
  func `are those of the pages`(page: String, types: [String]) throws {
    func lines(_ text: some StringProtocol) -> String {
      text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        .filter { !$0.isEmpty && !$0.hasPrefix("import ") }.joined(separator: "\n")
    }
    let own = lines(try String(contentsOfFile: #filePath, encoding: .utf8))
    let text = try String(
      contentsOf: SharedFixtures.packageRoot.appending(
        path: "Sources/ImagePipeline/Documentation.docc/\(page).md"), encoding: .utf8)
    let blocks = text.components(separatedBy: "```").filter { $0.hasPrefix("swift\n") }

    for type in types {
      let block = try #require(blocks.first { $0.contains(" \(type): ") })
      #expect(own.contains(lines(block.dropFirst("swift\n".count))), "\(type)")
    }
  }
}
