import DiskCaching
import Foundation
import ImageFetching
import ImageModel
import ImagePipeline
import LoadScheduling

/// A set of images to disk and once more: all work of a prefetch except the program's start and the
/// feed, compared with the transfer and the files. `prefetch/compare_with_curl.py` compares the
/// whole program with curl.
enum PrefetchComparisons {
  private static let count = 100

  static let all = [
    Comparison(
      "cold, a picture of 640x480", beside: "HTTPFetcher, write, rename", count: count, mayCost: 15
    ) {
      let scene = try Scene()
      return Contest { count in
        let (urls, folder) = scene.next(count)
        let pipeline = try scene.pipeline(in: folder)
        try await load(urls, pipeline, expecting: .network)
        await scene.close(pipeline)
      } limit: { count in
        let (urls, folder) = scene.next(count)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try await inTurns(urls) { url in
          let body = try await scene.fetcher.fetch(FetchRequest(url: url)).body.bytes()
          let name = folder + "/" + String(url.drop { $0 != "?" }.dropFirst())
          BareFiles.write(body, temporary: name + ".part", final: name)
        }
      } end: {
        scene.end()
      }
    },
    Comparison(
      "warm, a picture of 640x480", beside: "open, fstat, pread, close", count: count, mayCost: 15
    ) {
      let scene = try Scene()
      let (urls, folder) = scene.next(count)
      let pipeline = try scene.pipeline(in: folder)
      try await load(urls, pipeline, expecting: .network)
      let cache = pipeline.configuration.diskCache
      var paths: [String] = []
      for url in urls { paths.append(await cache?.path(for: .original(url: url)) ?? "") }
      let files = paths
      return Contest { count in
        try await load(urls, pipeline, expecting: .disk)
      } limit: { count in
        for path in files { precondition(!BareFiles.read(path).isEmpty) }
      } end: {
        await scene.close(pipeline)
        scene.end()
      }
    },
  ]

  /// What `imgcache prefetch` does with the images that it does not find on disk, one at a time.
  private static func load(
    _ urls: [String], _ pipeline: ImagePipeline, expecting source: LoadSource
  ) async throws {
    try await pipeline.onOwnThreads {
      try await inTurns(urls) { url in
        var request = ImageRequest(url: url)
        request.priority = .prefetch
        request.storage.rule = .always
        request.storage.retention = .pinned
        let response = try await pipeline.data(for: request)
        precondition(response.source == source && response.byteCount > 1000)
      }
    }
  }

  private static func inTurns(
    _ urls: [String], _ work: @escaping @Sendable (String) async throws -> Void
  ) async throws {
    let items = AsyncStream { continuation in
      for url in urls { continuation.yield(url) }
      continuation.finish()
    }
    try await BoundedWork(maximumInFlight: 6).run(items, work: work) { _ in }
  }

  /// An origin, a fetcher, and new folders.
  private struct Scene {
    let origin: LoopbackOrigin
    let fetcher: HTTPFetcher
    private let folder: ScratchFolder
    private let rounds = Counter()

    init() throws {
      origin = try LoopbackOrigin(bodies: try Photographs.jpegs(Photographs.small, count: 8))
      var configuration = HTTPFetcher.Configuration()
      configuration.hostGuard.allowsPrivateNetworks = true
      fetcher = try HTTPFetcher(configuration)
      folder = try ScratchFolder()
    }

    /// URLs not requested before, and an unused folder.
    func next(_ count: Int) -> (urls: [String], folder: String) {
      let round = rounds.next()
      let urls = (0..<count).map { "http://127.0.0.1:\(origin.port)/\($0)?\(round)-\($0)" }
      return (urls, "\(folder.path)/\(round)")
    }

    func pipeline(in folder: String) throws -> ImagePipeline {
      var configuration = ImagePipeline.Configuration(fetcher: fetcher)
      configuration.diskCache = try DiskCache(DiskCache.Configuration(directory: folder))
      return try ImagePipeline(configuration)
    }

    func close(_ pipeline: ImagePipeline) async {
      await pipeline.close()
      await pipeline.configuration.diskCache?.close()
    }

    func end() {
      fetcher.stop()
      origin.stop()
      folder.remove()
    }
  }
}
