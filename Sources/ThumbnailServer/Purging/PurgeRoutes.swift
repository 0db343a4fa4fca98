import DiskCaching
import HTTPListening
import HTTPTypes
import Hummingbird
import ImageFeeds
import ImageModel
import ImagePipeline
import LoadScheduling
import TextEncodings

/// Answers the requests that remove images: `DELETE` and `PURGE` of an image, a day or a tag, and
/// `POST /purge`.
///
/// They need an admin key; a server without any answers 405, as it has no such methods.
struct PurgeRoutes: Sendable {
  let pipeline: ImagePipeline
  let days: any DayProviding
  let rules: RulesInForce
  let metrics: ServerMetrics
  /// Threads that may block on the disk.
  let executor: BlockingExecutor

  /// Adds the routes; those of `/image` and `/days/{day}` exist for reading as well.
  func add(to routes: RouteBuilder, _ router: Router<ServerContext>) {
    for method in RouteBuilder.removing {
      on("/image", method, readable: true, routes, router) { request in
        try Purged(CachePurge(urls: [url(of: request)]))
      }
      on("/days/:day", method, readable: true, routes, router) { request in
        Purged(days: [try PurgeRequest.day(Self.name(request))])
      }
      on("/tags/:tag", method, routes, router) { request in
        Purged(CachePurge(tags: [try PurgeRequest.tag(Self.name(request))]))
      }
    }
    on("/purge", .post, routes, router) { request in
      let body = try await request.body.collect(upTo: PurgeRequest.maximumByteCount)
      let named = try PurgeRequest(body: Array(body.readableBytesView))
      return Purged(named.purge, days: named.days)
    }
    routes.refuse("/tags/:tag", router, allowed: RouteBuilder.removing)
    routes.refuse("/purge", router, allowed: [.post])
  }

  /// The selection in a request.
  private struct Purged {
    var purge: CachePurge
    var days: [DayKey]

    init(_ purge: CachePurge = CachePurge(), days: [DayKey] = []) {
      self.purge = purge
      self.days = days
    }
  }

  private func on(
    _ path: RouterPath, _ method: HTTPRequest.Method, readable: Bool = false,
    _ routes: RouteBuilder, _ router: Router<ServerContext>,
    _ named: @escaping @Sendable (Request) async throws -> Purged
  ) {
    router.on(path, method: method) { request, _ in
      try await routes.respond(to: request) {
        guard let admins = rules.current.admins else {
          throw Problem.method(allowed: readable ? "GET, HEAD" : "")
        }
        try SameOrigin.check(request.head)
        guard admins.admit(request.headers) else { throw Problem.adminKeyRequired }
        return try await remove(try await named(request))
      }
    }
  }

  private func remove(_ named: Purged) async throws -> Answer {
    let count = try await withTaskExecutorPreference(executor) {
      var (count, failure) = (0, ImageError?.none)
      // Where the shared tier cannot be told, the rest is removed all the same.
      func note(_ removal: () async throws -> Int) async throws {
        do {
          count += try await removal()
        } catch let error as ImageError where error.code == .sharedTierFailed {
          failure = error
        }
      }
      try await note { try await pipeline.purge(named.purge) }
      for day in named.days { try await note { try await days.remove(day) } }
      if let failure { throw Problem(failure) }
      return count
    }
    metrics.purged(count)
    let body: JSONLine = ["removed": count]
    return .text("\(body)\n", type: "application/json")
  }

  private func url(of request: Request) throws(Problem) -> String {
    try ThumbnailParameters.original(try QueryPairs(target: request.head.path ?? "")).url
  }

  /// The step of the path behind the first, decoded.
  private static func name(_ request: Request) throws(Problem) -> String {
    let steps = (request.head.path ?? "").prefix { $0 != "?" }.split(separator: "/")
    guard steps.count > 1, let name = QueryPairs.decoded(steps[1]) else {
      throw Problem(.badRequest, "bad_path", "The path is malformed.")
    }
    return name
  }
}
