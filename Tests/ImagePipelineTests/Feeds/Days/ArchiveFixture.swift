import DiskCaching
import Foundation
import ImageFeeds
import ImageFetching
import ImagePipeline

@testable import ImageModel
@testable import TestSupport

/// A cache with a pipeline around it that may reach loopback, and the documents that it loads.
struct ArchiveFixture {
  let cache: DiskCache
  let pipeline: ImagePipeline
  let documents = DocumentCounter()

  init(
    _ scratch: Scratch, access: DiskCache.Access = .create,
    headers: OriginHeaders = OriginHeaders(),
    clock: @escaping @Sendable () -> Date = { Date() }
  ) throws {
    var fetching = HTTPFetcher.Configuration()
    fetching.hostGuard.allowsPrivateNetworks = true
    fetching.retryPolicy.maximumRetryCount = 0
    var disk = DiskCache.Configuration(directory: scratch / "cache")
    disk.access = access
    disk.originHeaders = headers
    fetching.originHeaders = headers
    cache = try DiskCache(disk)
    var configuration = ImagePipeline.Configuration(fetcher: try HTTPFetcher(fetching))
    configuration.diskCache = cache
    configuration.observers = [documents]
    configuration.clock = clock
    pipeline = try ImagePipeline(configuration)
  }

  func archive(_ feeds: FeedSource...) -> DayArchive { DayArchive(pipeline, feeds: .named(feeds)) }
}

/// Notes the documents that a pipeline loads, from wherever.
final class DocumentCounter: PipelineObserver {
  private let log = Locked<[String]>([])

  /// The URLs since the last call.
  func take() -> [String] {
    log.withLock { log in
      defer { log = [] }
      return log
    }
  }

  func requestFinished(_ report: LoadReport) {
    if report.isDocument { log.withLock { $0.append(report.request.url) } }
  }
}
