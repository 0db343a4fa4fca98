import Comparisons
import DiskCaching
import Foundation
import HTTPListening
import ImageFetching
import ImagePipeline
import LoadScheduling
import ThumbnailServer

/// A server with an origin, on ports that the system chooses.
struct ServedPictures: Sendable {
  let port: UInt16
  let fetcher: HTTPFetcher
  let rounds = Counter()
  private let origin: LoopbackOrigin
  private let pipeline: ImagePipeline
  private let cache: DiskCache
  private let folder: ScratchFolder
  private let running: Task<Void, any Error>

  init() async throws {
    origin = try LoopbackOrigin(bodies: try Photographs.jpegs(Photographs.small, count: 8))
    folder = try ScratchFolder()
    var fetching = HTTPFetcher.Configuration()
    fetching.hostGuard.allowsPrivateNetworks = true
    fetcher = try HTTPFetcher(fetching)
    cache = try DiskCache(DiskCache.Configuration(directory: folder.path + "/cache"))
    var loading = ImagePipeline.Configuration(fetcher: fetcher)
    loading.diskCache = cache
    let parts = try ThumbnailServer.Parts(loading, maximumDecodes: 2, waiting: WaitLimits())
    pipeline = parts.pipeline
    var configuration = ThumbnailServer.Configuration()
    configuration.listener.targets = [.tcp(host: "127.0.0.1", port: 0)]
    configuration.allowedHosts = try HostAllowList(["127.0.0.1"])
    let server = try ThumbnailServer(configuration, parts: parts)
    let (ports, listening) = AsyncStream.makeStream(of: Int.self)
    running = Task {
      defer { listening.finish() }
      _ = try await server.run { targets in
        for case .tcp(_, let port) in targets { listening.yield(port) }
      }
    }
    var heard = ports.makeAsyncIterator()
    guard let port = await heard.next() else {
      try await running.value
      throw POSIXError(.EADDRNOTAVAIL)
    }
    self.port = UInt16(port)
  }

  /// An image with a unique URL.
  func url(_ number: Int) -> String { "http://127.0.0.1:\(origin.port)/\(number % 8)?\(number)" }

  /// Its thumbnail.
  func target(_ number: Int) -> String {
    let address = "http%3A%2F%2F127.0.0.1%3A\(origin.port)%2F\(number % 8)%3F\(number)"
    return "/thumb?url=\(address)&w=200&h=200&format=jpeg"
  }

  func end() async {
    running.cancel()
    _ = try? await running.value
    await pipeline.close()
    fetcher.stop()
    origin.stop()
    await cache.close()
    folder.remove()
  }
}
