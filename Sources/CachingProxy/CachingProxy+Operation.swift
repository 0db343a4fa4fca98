import DiskCaching
import HTTPListening
import ImageFetching
import ImageModel
import LoadScheduling
import NIOHTTP1

extension CachingProxy {
  static let help = [
    PurgeRequest.counter: "Responses removed, or made stale, by request.",
    ServerMetrics.collapsed: "Requests that shared the response to an equal one.",
  ]

  var operatorRoutes: RouteTable {
    var routes = RouteTable { [services] in services.admins.withLock { $0 } }
    operation.addHealth(to: &routes)
    operation.addPages(to: &routes)
    routes.purge(ProxyPurge.lists, maySoften: true) { [services, executor] request in
      let purge = try ProxyPurge(request, services)
      return .removed(
        try await withTaskExecutorPreference(executor) { try await services.purge(purge) })
    }
    return routes
  }

  static func reading(
    _ services: ProxyServices, _ storage: Storage
  ) async -> ServerReading {
    var reading = ServerReading()
    reading.memory = (services.store as? MemoryProxyStore)?.reading
    if case .disk(let cache) = storage {
      reading.disk = await cache.statistics()
    }
    reading.tier = services.tier
    reading.running = ["origin": services.client.runningCount]
    reading.waiting = [
      "origin": services.client.waitingCount, "collapsed": services.flights.waiterCount,
    ]
    return reading
  }
}

/// The routes of a proxy: the methods of its requests.
enum ProxyRoute: Int, ServerRoute, CustomStringConvertible {
  case get, head, post, put, patch, delete, options, purge, other

  static let label = "method"
  static let sources: [ServerMetrics.Source] = [
    .hit, .shared, .miss, .revalidated, .pass, .stale,
  ]

  static func source(of cacheStatus: String) -> ServerMetrics.Source {
    // That of this proxy is the last member.
    let own = cacheStatus.split(separator: ",").last ?? ""
    if own.contains("detail=stale-if-error") || own.contains("; ttl=-") { return .stale }
    if own.contains("; hit") { return own.contains("detail=shared") ? .shared : .hit }
    if own.contains("fwd=method") || own.contains("fwd=bypass") { return .pass }
    let isConfirmed =
      own.contains("fwd=stale; fwd-status=304") || own.contains("fwd=request; fwd-status=304")
    return isConfirmed ? .revalidated : .miss
  }

  private static let names = [
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE", "other",
  ]

  init(_ head: HTTPRequestHead) {
    let number = Self.names.dropLast().firstIndex(of: head.method.rawValue)
    self = number.flatMap(Self.init(rawValue:)) ?? .other
  }

  var description: String { Self.names[rawValue] }
}
