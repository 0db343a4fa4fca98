import Foundation
import ImageCodecs
import ImageFetching
import ImageModel
import ImagePipeline
import Testing
@testable import TestSupport

/// A pipeline from its preset: through its public API, with an origin on loopback.
@Suite(.timeLimit(.minutes(5))) struct `A pipeline in a directory` {
  private static let local: HTTPFetcher.Configuration = {
    var fetching = HTTPFetcher.Configuration()
    fetching.hostGuard.allowsPrivateNetworks = true
    fetching.retryPolicy.maximumRetryCount = 0
    return fetching
  }()

  private static func photo() throws -> [UInt8] {
    try ImageCodecs.encodeJPEG(PixelBuffer(clear: PixelSize(width: 32, height: 24)))
  }

  @Test func `has the memory and the disk cache enabled`() async throws {
    let (scratch, body) = (try Scratch(), try Self.photo())
    let origin = try FaultyOrigin([
      "/a.jpg": [.whole(body, fields: ["Cache-Control: max-age=1000"])]
    ])
    let url = origin.url("/a.jpg")
    let directory = scratch / "cache"
    let pipeline = try ImagePipeline(directory: directory, fetching: Self.local)

    let first = try await pipeline.image(for: url)
    let second = try await pipeline.image(for: url)
    await pipeline.close()
    // Later loads fail, and do not wait for threads that have ended.
    let late = await imageError {
      try await pipeline.data(for: ImageRequest(url: "http://test.invalid/late.jpg"))
    }
    #expect(late?.code == .invalidated)
    let other = try ImagePipeline(directory: directory, fetching: Self.local)
    let third = try await other.image(for: url)
    let file = try await other.file(for: ImageRequest(url: url))
    await other.close()

    #expect([first, second, third].map(\.source) == [.network, .memory, .disk])
    #expect(try [UInt8](Data(contentsOf: URL(fileURLWithPath: file))) == body)
    #expect(origin.requests.count == 1)
  }

  @Test func `a private response is stored for one user, not for many`() async throws {
    let (scratch, body) = (try Scratch(), try Self.photo())
    let origin = try FaultyOrigin([
      "/a.jpg": [.whole(body, fields: ["Cache-Control: private, max-age=1000"])]
    ])
    let request = ImageRequest(url: origin.url("/a.jpg"))

    var stored: [Bool] = []
    for configuration in [
      try ImagePipeline.Configuration.client(directory: scratch / "one", fetching: Self.local),
      try .server(directory: scratch / "many", fetching: Self.local),
    ] {
      let pipeline = try ImagePipeline(configuration)
      _ = try await pipeline.data(for: request)
      stored.append(try await pipeline.storedFile(for: request) != nil)
      await pipeline.close()
    }

    #expect(stored == [true, false])
  }

  @Test @MainActor func `a slot on the main actor shows its events there, in order`() async throws {
    let (scratch, body) = (try Scratch(), try Self.photo())
    let origin = try FaultyOrigin(["/a.jpg": [.whole(body)], "/b.jpg": [.whole(body)]])
    let pipeline = try ImagePipeline(directory: scratch / "cache", fetching: Self.local)
    let (shown, showing) = AsyncStream<String>.makeStream()
    let slot = MainActorImageSlot(pipeline) { content in
      MainActor.assertIsolated()
      switch content {
      case .empty: showing.yield("empty")
      case .placeholder(_, let failure): showing.yield(failure == nil ? "placeholder" : "failure")
      case .preview: showing.yield("preview")
      case .image(let response): showing.yield(String(response.url.suffix(5)))
      }
    }

    slot.set(url: origin.url("/a.jpg"), placeholder: .color(.white))
    slot.set(url: origin.url("/b.jpg"))
    var seen: [String] = []
    for await name in shown {
      seen.append(name)
      if name == "b.jpg" { break }
    }
    slot.set(nil)
    await pipeline.close()

    #expect(seen == ["placeholder", "empty", "b.jpg"])
    #expect(slot.content.pixels == nil && slot.task == nil)
  }
}
