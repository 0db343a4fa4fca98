import DiskCaching
import HTTPListening
import HTTPTypes
import ImageFeeds
import ImageModel
import ImagePipeline
import LoadScheduling

/// Answers the requests that remove images: `DELETE` and `PURGE` of an image, a day or a tag, and
/// `POST /purge`.
///
/// They need an admin key; a server without any answers 405, as it has no such methods.
struct PurgeRoutes: Sendable {
  let pipeline: ImagePipeline
  let days: any DayProviding
  let metrics: ServerMetrics
  /// Threads that may block on the disk: those of the operators' pages are not to wait for that.
  let executor: BlockingExecutor

  func add(to routes: inout RouteTable) {
    routes.remove("/image") { request in
      let query = try QueryPairs(target: request.target)
      return try await remove(CachePurge(urls: [try ThumbnailParameters.original(query).url]))
    }
    routes.remove("/days/{day}") { request in
      try await remove(days: [try Self.day(Self.name(request))])
    }
    routes.remove("/tags/{tag}") { request in
      try await remove(CachePurge(tags: [try PurgeRequest.tag(Self.name(request))]))
    }
    routes.purge(["urls", "days", "tags"]) { request in
      // A path is the URL of nothing, and would be removed silently.
      guard request["urls"].allSatisfy({ $0.contains("://") }) else {
        throw Problem(.badRequest, "bad_url", "A URL is that of the origin, with its scheme.")
      }
      let days = try request["days"].map { text throws(Problem) in try Self.day(text) }
      let tags = try request["tags"].map { text throws(Problem) in try PurgeRequest.tag(text) }
      return try await remove(CachePurge(urls: request["urls"], tags: tags), days: days)
    }
  }

  private func remove(
    _ purge: CachePurge = CachePurge(), days named: [DayKey] = []
  ) async throws -> Answer {
    let count = try await withTaskExecutorPreference(executor) {
      var (count, failure) = (0, ImageError?.none)
      // Where the shared tier cannot be told, the rest is removed all the same.
      func record(_ removal: () async throws -> Int) async throws {
        do {
          count += try await removal()
        } catch let error as ImageError where error.code == .sharedTierFailed {
          failure = error
        }
      }
      try await record { try await pipeline.purge(purge) }
      for day in named { try await record { try await days.remove(day) } }
      if let failure { throw Problem(failure) }
      return count
    }
    metrics.add(count, to: PurgeRequest.counter)
    return .removed(count)
  }

  static func day(_ text: String) throws(Problem) -> DayKey {
    guard let day = DayKey(text), text.utf8.count == 8 else {
      throw Problem(.badRequest, "bad_day", "A day is written YYYYMMDD.")
    }
    return day
  }

  /// The step of the path behind the first, decoded.
  private static func name(_ request: RoutedRequest) throws(Problem) -> String {
    guard let name = QueryPairs.decoded(request.step(1)[...]) else {
      throw Problem(.badRequest, "bad_path", "The path is malformed.")
    }
    return name
  }
}
