import Foundation
import Testing

@testable import DiskCaching
@testable import ImageFeeds
@testable import ImageFetching
@testable import ImageModel
@testable import ImagePipeline
@testable import SampleFeed
@testable import ThumbnailServer
@testable import TestSupport

/// A body from the network to the cache, counted at the file system and at SHA-256.
@Suite(.isLong, .serialized) struct `A body on its way to the disk` {
  /// How the body arrives.
  enum Arrival: CaseIterable {
    case whole, slow
    /// In two transfers of one process, or of two.
    case resumed, resumedLater

    var isResumed: Bool { self == .resumed || self == .resumedLater }
  }

  /// Answers of an origin that lets the body arrive so.
  private func answers(
    _ body: [UInt8], _ arrival: Arrival, _ files: FaultyFileSystem
  ) -> [FaultyOrigin.Answer] {
    switch arrival {
    case .whole: [.file(body, tag: "\"1\"")]
    case .resumed, .resumedLater:
      [.brokenFile(body, tag: "\"1\"", after: body.count / 2), .file(body, tag: "\"1\"")]
    case .slow:
      [
        .custom { request, connection in
          let wire = LoopbackResponse.file(
            body, mediaType: "image/jpeg", entityTag: "\"1\"", for: request
          ).wire(isHead: false, keepsAlive: true)
          connection.send(Array(wire.dropLast(body.count / 2)))
          // The second half comes when the first one is in a file.
          let never = DispatchSemaphore(value: 0)
          for _ in 0..<5000 where files.writtenByteCount == 0 {
            _ = never.wait(timeout: .now() + .milliseconds(2))
          }
          return connection.send(Array(wire.suffix(body.count / 2)))
        }
      ]
    }
  }

  @Test(
    arguments: [
      (1 << 10, .whole), (1 << 10, .resumed), (1 << 20, .slow), (1 << 20, .resumedLater),
      (20 << 20, .whole), (20 << 20, .slow), (20 << 20, .resumed),
    ] as [(Int, Arrival)])
  func `is written once, hashed once and never copied`(
    byteCount: Int, arrival: Arrival
  ) async throws {
    let body = try SampleImages.photo(byteCount: byteCount)
    let (scratch, files) = (try Scratch(), FaultyFileSystem())
    let origin = try FaultyOrigin(["/a.jpg": answers(body, arrival, files)])
    var (cache, pipeline) = try pipeline(scratch, files)
    let request = ImageRequest(url: origin.url("/a.jpg"))
    let hashed = HashCounter(body)

    if arrival.isResumed {
      await #expect(throws: ImageError.self) { try await pipeline.data(for: request) }
      #expect(files.writtenByteCount == byteCount / 2)
    }
    if arrival == .resumedLater {
      (cache, pipeline) = try self.pipeline(scratch, files)
      hashed.reset()
    }
    let response = try await pipeline.data(for: request)

    #expect(response.storeFailure == nil)
    #expect(files.writtenByteCount == byteCount)
    // Only what an earlier process wrote has to be read, to be hashed.
    #expect(files.readByteCount == (arrival == .resumedLater ? byteCount / 2 : 0))
    #expect(hashed.byteCount == byteCount)
    #expect(try response.bytes() == body)
    #expect(try await cache.verify().damages.map(\.reason) == [])
    #expect(origin.requests.count == (arrival.isResumed ? 2 : 1))
  }

  private func pipeline(
    _ scratch: Scratch, _ files: FaultyFileSystem
  ) throws -> (DiskCache, ImagePipeline) {
    let cache = try DiskCache(
      DiskCache.Configuration(directory: scratch / "cache"), files: files)
    let fetching = try FetcherFixture {
      $0.retryPolicy.maximumRetryCount = 0
      $0.partialBodies = cache.core.partialBodies
    }
    var configuration = ImagePipeline.Configuration(fetcher: fetching.fetcher)
    configuration.diskCache = cache
    configuration.fetchLimits.bePatient()
    return (cache, try ImagePipeline(configuration))
  }

  @Test(
    arguments: [(1 << 10, .slow), (1 << 20, .resumed), (20 << 20, .whole)] as [(Int, Arrival)])
  func `is written and hashed once by a server that makes its thumbnail`(
    byteCount: Int, arrival: Arrival
  ) async throws {
    let body = try SampleImages.photo(byteCount: byteCount)
    let files = FaultyFileSystem()
    let server = try await ServerFixture(["/a.jpg": answers(body, arrival, files)], files: files)
    let hashed = HashCounter(body)

    if arrival == .resumed {
      #expect(try await server.get(server.thumb("/a.jpg", "w=2&h=2")).status == 502)
      #expect(files.writtenByteCount == byteCount / 2)
    }
    let answer = try await server.get(server.thumb("/a.jpg", "w=2&h=2"))
    let (written, read, hashes) = (files.writtenByteCount, files.readByteCount, hashed.byteCount)
    let damages = try await server.cache.verify().damages
    try await server.stop()

    #expect(answer.status == 200)
    #expect(damages.map(\.reason) == [])
    #expect(written == byteCount + answer.body.count)
    #expect(read == 0)
    #expect(hashes == byteCount)
  }

  @Test func `does not make a store list its folder, unless prefixes may remain`() throws {
    let (scratch, files) = (try Scratch(), FaultyFileSystem())
    let cache = try DiskCache(DiskCache.Configuration(directory: scratch / "cache"), files: files)
    let store = cache.core.partialBodies.store
    func lists(_ url: String, finishing: Bool) throws -> Int {
      let before = files.names.count { $0 == "names" }
      let partial = try #require(try store.openPartial(for: url))
      try partial.append([1].span.bytes)
      if finishing { _ = partial.finish() }
      return files.names.count { $0 == "names" } - before
    }

    #expect(try lists("1", finishing: true) == 1)
    #expect(try lists("2", finishing: true) == 0)
    #expect(try lists("3", finishing: false) == 0)
    #expect(try lists("4", finishing: true) == 1)
    #expect(try lists("5", finishing: true) == 0)
  }
}

/// Counts the bytes of one body that are hashed, in one pass or several.
private final class HashCounter: Sendable {
  /// The start of a body that one hasher saw.
  private struct Pass {
    var hasher: ObjectIdentifier?
    var byteCount: Int
  }

  /// Fewer bytes than these may be the start of any JPEG, which another test hashes.
  private static let minimumByteCount = 64
  private let passes = Locked<[Pass]>([])

  init(_ body: [UInt8]) {
    SHA256.setObserver { [passes] bytes, hasher in
      passes.withLock { passes in
        // A pass goes on, or another one begins.
        if let hasher, let last = passes.lastIndex(where: { $0.hasher == hasher }),
          Self.isPart(bytes, of: body, at: passes[last].byteCount)
        {
          passes[last].byteCount += bytes.count
        } else if Self.isPart(bytes, of: body, at: 0) {
          passes.append(Pass(hasher: hasher, byteCount: bytes.count))
        }
      }
    }
  }

  var byteCount: Int {
    passes.withLock { passes in
      passes.map(\.byteCount).filter { $0 >= Self.minimumByteCount }.reduce(0, +)
    }
  }

  func reset() { passes.withLock { $0 = [] } }

  deinit { SHA256.setObserver(nil) }

  private static func isPart(
    _ bytes: UnsafeRawBufferPointer, of body: [UInt8], at position: Int
  ) -> Bool {
    guard bytes.count <= body.count - position else { return false }
    return bytes.prefix(64).elementsEqual(body[position...].prefix(min(64, bytes.count)))
  }
}
